"""How XLA compiles: what is asked of it, and that programs are kept on disk and used again by later processes."""

import os
import stat
from pathlib import Path

import jax


def private_directory(name: str) -> Path | None:
    """A directory of this user's alone for what was compiled: `name` below `$XDG_CACHE_HOME/recursor` or ~/.cache/recursor.

    Args:
        name: `xla` or `kernels`.

    Returns:
        The directory, which is created if it is not there; None if there is no home, it cannot be written to, or the
        directory belongs to somebody else. If others could write to it, they no longer can, and what it held is removed.
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
    except (OSError, RuntimeError):  # RuntimeError: there is no home
        return None
    return path if os.access(path, os.W_OK) else None


WRITABLE_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH


def belongs_to_us(status: os.stat_result) -> bool:
    """Whether a file or directory is this user's; always where the system has no owners."""
    return not hasattr(os, "getuid") or status.st_uid == os.getuid()


def keep_compiled_programs() -> None:
    """Turns JAX's persistent compilation cache on, unless the caller has set one or there is no place for it."""
    if not jax.config.values["jax_compilation_cache_dir"] and (directory := private_directory("xla")):
        jax.config.update("jax_compilation_cache_dir", str(directory))
        jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.5)


def require_device() -> None:
    """Refuses, in a sentence, an environment in which JAX finds no device.

    Raises:
        ValueError: If JAX_PLATFORMS names what is not there.
    """
    try:
        jax.devices()
    except RuntimeError as error:
        asked = jax.config.values["jax_platforms"]
        why = str(error).splitlines()[0]
        raise ValueError(
            f"JAX cannot use JAX_PLATFORMS={asked}: {why}; unset it, or use JAX_PLATFORMS=cpu"
            if asked
            else f"JAX finds no device: {why}"
        ) from None


def cores() -> list[int]:
    """The cores that this process may use."""
    return sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else list(range(os.cpu_count() or 1))


EACH_CORE_A_DEVICE = {"xla_cpu_multi_thread_eigen": "False"}
"""What is compiled for several cores that are a device each is given: a device keeps to its core."""
FOR_ROLLOUTS: dict[str, str] = {}
"""What an update by rollouts is compiled with on a CPU: optimisation barriers hold. Else XLA takes them out before it fuses
operations, and makes an array that has several readers once for each."""
FOR_CALL_FRAMES: dict[str, str] = {}
"""What an update by call frames is compiled with. Of XLA's YNN kernels only the matrix products: with its sums it takes
nearly twice as long (in execution its maxima pay, and in a rollout all of them do)."""
if jax.__version__.startswith("0.10."):  # with this JAX they were measured; an option that another does not know is an error
    FOR_ROLLOUTS["xla_disable_hlo_passes"] = "cse_barrier_expander"
    FOR_CALL_FRAMES["xla_cpu_experimental_ynn_fusion_type"] = "LIBRARY_FUSION_TYPE_DOT"
