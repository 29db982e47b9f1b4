"""Compilation by XLA and Numba: compiler options, and the caches of compiled programs on disk."""

import os
import stat
from collections.abc import Hashable
from pathlib import Path

import jax


def private_directory(name: str) -> Path | None:
    """Returns a private cache directory for compiled code: `name` below `$XDG_CACHE_HOME/recursor` or ~/.cache/recursor.

    Args:
        name: `xla`, `numba` or `kernels`.

    Returns:
        The directory, which is created if it does not exist; None if there is no home directory, if the directory cannot be
        written to, or if it belongs to another user. If other users could write to it, it is emptied and made private.
    """
    try:
        path = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "recursor" / name
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not belongs_to_us(path.stat()):
            return None
        if path.stat().st_mode & WRITABLE_BY_OTHERS:
            path.chmod(0o700)
            for file in path.iterdir():
                file.unlink()
    except (OSError, RuntimeError):  # RuntimeError: there is no home directory
        return None
    return path if os.access(path, os.W_OK) else None


WRITABLE_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH


def belongs_to_us(status: os.stat_result) -> bool:
    """Returns whether a file or directory belongs to this user; always true if the system has no owners."""
    return not hasattr(os, "getuid") or status.st_uid == os.getuid()


def keep_compiled_programs() -> None:
    """Turns on JAX's persistent compilation cache, unless one is set already or there is no private directory for it."""
    if not jax.config.values["jax_compilation_cache_dir"] and (directory := private_directory("xla")):
        jax.config.update("jax_compilation_cache_dir", str(directory))
        jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.5)


MOST_PROGRAMS = 32
"""Shapes of input whose programs a process keeps. A program takes about 15 MB."""
_shapes: set[Hashable] = set()


def bound_programs(shape: Hashable) -> None:
    """Keeps the memory of compiled programs bounded in a process that sees inputs of many shapes.

    JAX keeps the programs of all shapes that it ever compiled. Once there are more than `MOST_PROGRAMS`, all are dropped.
    Those that are needed again come from the cache on disk, if there is one, or are compiled again.

    Args:
        shape: What the next program depends on, such as the shapes of its inputs.
    """
    if shape in _shapes:
        return
    if len(_shapes) >= MOST_PROGRAMS:
        jax.clear_caches()
        _shapes.clear()
    _shapes.add(shape)


def require_device() -> None:
    """Refuses an environment in which JAX finds no device.

    Raises:
        ValueError: If there is no device, or JAX_PLATFORMS names a platform that is not available.
    """
    try:
        jax.devices()
    except RuntimeError as error:
        platforms = jax.config.values["jax_platforms"]
        why = str(error).splitlines()[0]
        raise ValueError(
            f"JAX cannot use JAX_PLATFORMS={platforms}: {why}; unset it, or use JAX_PLATFORMS=cpu"
            if platforms
            else f"JAX finds no device: {why}"
        ) from None


def cores() -> list[int]:
    """Returns the cores that this process may use."""
    return sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else list(range(os.cpu_count() or 1))


EACH_CORE_A_DEVICE = {"xla_cpu_multi_thread_eigen": "False"}
"""XLA options when each core is a device: one thread per device."""
FOR_ROLLOUTS: dict[str, str] = {}
"""XLA options for updates by rollout on a CPU: keep optimisation barriers. Otherwise XLA removes them before fusion, and
computes an array that is used several times once for each use."""
FOR_CALL_FRAMES: dict[str, str] = {}
"""XLA options for updates by call frames: use XLA's YNN kernels for matrix products only. With its sums, an update takes
nearly twice as long. (Its maxima help in execution, and all of its kernels help in rollouts.)"""
if jax.__version__.startswith("0.10."):  # measured with this version; another may not know these options, which is an error
    FOR_ROLLOUTS["xla_disable_hlo_passes"] = "cse_barrier_expander"
    FOR_CALL_FRAMES["xla_cpu_experimental_ynn_fusion_type"] = "LIBRARY_FUSION_TYPE_DOT"
