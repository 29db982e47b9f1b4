"""Compiled programs are kept on disk and used again by later processes."""

import os
from pathlib import Path

import jax


def keep_compiled_programs() -> None:
    """Turns JAX's persistent compilation cache on, unless the caller has set one: below `$XDG_CACHE_HOME` or ~/.cache."""
    if not jax.config.values["jax_compilation_cache_dir"]:
        home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
        jax.config.update("jax_compilation_cache_dir", str(home / "recursor" / "xla"))
        jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.5)
