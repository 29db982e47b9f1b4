"""The kernels' library: built where there is a C++ compiler, kept beside the other compiled programs, and loaded.

A library is built for one processor and by one compiler. Its name is a hash of these and of the sources, so that it is not
used where it does not belong.
"""

import ctypes
import hashlib
import os
import platform
import shlex
import shutil
import subprocess
import tempfile
import warnings
from functools import cache
from importlib.metadata import version
from pathlib import Path

import jax

from recursor.system.compiling import cache_home
from recursor.system.files import write_atomically

SOURCES = [path for path in sorted(Path(__file__).parent.iterdir()) if path.suffix in (".cc", ".h")]
MATHS = ["-fno-fast-math", "-fno-math-errno", "-fno-trapping-math", "-ffp-contract=fast"]
FLAGS = ["-std=c++17", "-O3", "-march=native", *MATHS, "-fPIC", "-shared", "-pthread"]
KERNELS = "recursor_strongest", "recursor_strongest_backward", "recursor_logits", "recursor_got"


@cache
def ready() -> bool:
    """Whether the kernels are there for XLA to call. Asked for the first time, it builds them."""
    if os.environ.get("RECURSOR_KERNELS") == "0" or not _pays(_processor()):
        return False
    try:
        compiler = _compiler()
        if compiler is None:
            return False
        library = ctypes.CDLL(str(_built(compiler)))
    except (OSError, RuntimeError, ValueError, subprocess.CalledProcessError) as error:
        said = (getattr(error, "stderr", None) or str(error)).splitlines()
        why = next((line for line in said if "error" in line), said[0] if said else error)
        warnings.warn(
            f"some networks take longer, since their kernels could not be built or loaded: {why}; "
            "CXX names another compiler, and RECURSOR_KERNELS=0 does without",
            stacklevel=2,
        )
        return False
    for name in KERNELS:
        jax.ffi.register_ffi_target(name, jax.ffi.pycapsule(getattr(library, name)), platform="cpu")
    return True


def _compiler() -> list[str] | None:
    """The command of a C++ compiler: what CXX says, else the first that is installed."""
    if named := shlex.split(os.environ.get("CXX", "")):
        return named
    return next(([name] for name in ("c++", "g++", "clang++") if shutil.which(name)), None)


def _output(command: list[str]) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def _built(compiler: list[str]) -> Path:
    """The library, made unless an earlier process has made the same one."""
    made_by = compiler, _output([*compiler, "--version"]), platform.libc_ver(), version("jaxlib"), _processor()
    made_of = [path.read_text() for path in SOURCES], FLAGS, made_by
    path = cache_home() / "kernels" / f"{hashlib.sha256(repr(made_of).encode()).hexdigest()[:32]}.so"
    if not path.exists():
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory() as directory:
            made = Path(directory) / path.name
            units = [str(source) for source in SOURCES if source.suffix == ".cc"]
            _output([*compiler, *FLAGS, "-isystem", jax.ffi.include_dir(), *units, "-o", str(made)])
            write_atomically(path, made.read_bytes())
    return path


def _pays(processor: str) -> bool:
    """Whether the kernels are faster than XLA there: on an x86 they are not without AVX2 and FMA."""
    return "\nflags" not in processor or {"avx2", "fma"} <= {*processor.split()}


def _processor() -> str:
    """What a library that is built for this very processor depends on."""
    try:
        of_one_core = Path("/proc/cpuinfo").read_text().split("\n\n")[0].splitlines()
    except OSError:
        of_one_core = []
    described = [line for line in of_one_core if line.startswith(("model", "flags", "Features", "CPU"))]
    return "\n".join([platform.machine(), *described])
