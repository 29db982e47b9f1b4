"""Memory: its size, its peak use, and settings of the allocator."""

import ctypes
import os
import sys
from functools import cache

try:
    import resource
except ImportError:  # Windows
    resource = None

M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3  # names and values of glibc's malloc.h
MEBIBYTE = 2**20


def physical_memory() -> int:
    """Returns the size of this machine's memory in bytes."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def peak_resident_memory() -> int:
    """Returns the largest resident size of this process so far, in bytes; 0 where the system does not report it."""
    if resource is None:
        return 0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


@cache
def keep_freed_memory() -> None:
    """Sets glibc to keep up to 256 MiB of freed memory instead of returning it to the system.

    A batch takes a few megabytes, which the next batch needs again. Returning them in between costs a page fault for every
    4 KiB: a quarter of the time of a batch of 32 graphs. On other systems than Linux with glibc it does nothing.
    """
    if sys.platform != "linux":
        return
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(M_MMAP_THRESHOLD, 32 * MEBIBYTE)
        mallopt(M_TRIM_THRESHOLD, 256 * MEBIBYTE)
