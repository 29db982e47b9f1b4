"""How XLA compiles: what is asked of it, and that programs are kept on disk and used again by later processes."""

import os
from pathlib import Path

import jax


def cache_home() -> Path:
    """Where what was compiled is kept: below `$XDG_CACHE_HOME` or ~/.cache."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "recursor"


def keep_compiled_programs() -> None:
    """Turns JAX's persistent compilation cache on, unless the caller has set one."""
    if not jax.config.values["jax_compilation_cache_dir"]:
        jax.config.update("jax_compilation_cache_dir", str(cache_home() / "xla"))
        jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.5)


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
