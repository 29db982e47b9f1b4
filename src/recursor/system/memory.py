"""Memory: how much this process may use, its peak use, and settings of the allocator."""

import contextlib
import ctypes
import os
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path, PurePosixPath

try:
    import resource
except ImportError:  # Windows
    resource = None

M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3  # names and values of glibc's malloc.h
MEBIBYTE = 2**20
UNKNOWN = sys.maxsize
"""The size of a memory that the system does not report."""


class NotEnoughMemoryError(ValueError):
    """What was asked for needs more memory than this process may use. Nothing was begun."""


SMALL = 2**28
"""Bytes; work that needs less is not checked where asking the system would take longer than the work."""


def require_memory(need: float, what: str, advice: str) -> None:
    """Refuses work that needs more memory than this process may use.

    Args:
        need: About how many bytes the work needs.
        what: The work, for the error message, such as "the page of 9 rows".
        advice: What would be right, such as "choose a smaller graph".

    Raises:
        NotEnoughMemoryError: If it needs more than `usable_memory`.

    Example:
        >>> require_memory(1e3, "a small graph", "choose a smaller one")
    """
    have = usable_memory()
    if need > have:
        raise NotEnoughMemoryError(f"{what} would take about {_gigabytes(need)}, and there are {_gigabytes(have)}; {advice}")


def _gigabytes(count: float) -> str:
    return f"{count / 1e9:.3g} GB" if count < 1e11 else f"{count / 1e9:,.0f} GB"


def usable_memory() -> int:
    """Returns how many bytes of memory this process may use: the machine's, or less if a limit is set.

    Limits are those of the control groups of the process, as containers and schedulers set them, and `ulimit -v`.
    """
    return min([physical_memory(), *control_group_limits(), *_resource_limits()])


def physical_memory() -> int:
    """Returns the size of this machine's memory in bytes; `UNKNOWN` where the system does not report it."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # Windows has no sysconf
        return UNKNOWN


def control_group_limits(process: Path = Path("/proc/self/cgroup"), root: Path = Path("/sys/fs/cgroup")) -> Iterator[int]:
    """Yields the memory limits of the control groups that this process is in, and of those above them, in bytes.

    Args:
        process: The file that lists the groups, a line `number:controllers:path` each. Version 2 has one line, without
            controllers.
        root: Where the groups are directories. A container often sees its own group there and not the path, so every
            directory from the root down to the group is looked at.
    """
    try:
        lines = process.read_text().splitlines()
    except OSError:  # not Linux
        return
    for line in lines:
        _, controllers, path = (*line.split(":", 2), "", "")[:3]
        if not controllers:
            base, name = root, "memory.max"
        elif "memory" in controllers.split(","):
            base, name = root / "memory", "memory.limit_in_bytes"
        else:
            continue
        group = PurePosixPath(path.lstrip("/"))
        for place in (group, *group.parents):
            with contextlib.suppress(OSError, ValueError):  # the root has no limit, and a group may have `max`
                yield int((base / place / name).read_text())


def _resource_limits() -> Iterator[int]:
    if resource is not None and hasattr(resource, "RLIMIT_AS"):
        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        if limit != resource.RLIM_INFINITY:
            yield limit


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
