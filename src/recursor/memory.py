"""Memory: how much there is, and what is freed stays with the process."""

import ctypes
import os
from functools import cache

M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3  # names and values of glibc's malloc.h
MEBIBYTE = 2**20


def physical_memory() -> int:
    """Bytes that this machine has."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


@cache
def keep_freed_memory() -> None:
    """Asks the C library, where it is glibc, to keep up to 256 MiB of freed memory instead of giving it back.

    A batch takes a few megabytes, which the next batch takes again. Giving them back in between costs a page fault for every
    4 KiB, a quarter of the time that a batch of 32 graphs takes.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(M_MMAP_THRESHOLD, 32 * MEBIBYTE)
        mallopt(M_TRIM_THRESHOLD, 256 * MEBIBYTE)
