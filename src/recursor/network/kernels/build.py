"""The kernels' library: built where there is a C++ compiler, kept beside the other compiled programs, and loaded.

They are used only where RECURSOR_KERNELS=1 asks for them, since nobody expects a library to start a compiler.

A library is built for one processor and by one compiler. Its name is a hash of these and of the sources, so that it is not
used where it does not belong. The hash of its bytes is kept beside it. A library that is not this user's, that others may
write to, or whose bytes have another hash is not loaded but built again.
"""

import atexit
import ctypes
import hashlib
import os
import platform
import shlex
import shutil
import stat
import subprocess
import tempfile
import warnings
from functools import cache
from importlib.metadata import version
from pathlib import Path

import jax

from recursor.system.compiling import WRITABLE_BY_OTHERS, belongs_to_us, private_directory
from recursor.system.files import write_atomically
from recursor.system.locks import lock

SOURCES = [path for path in sorted(Path(__file__).parent.iterdir()) if path.suffix in (".cc", ".h")]
MATHS = ["-fno-fast-math", "-fno-math-errno", "-fno-trapping-math", "-ffp-contract=fast"]
FLAGS = ["-std=c++17", "-O3", "-march=native", *MATHS, "-fPIC", "-shared", "-pthread"]
KERNELS = "recursor_strongest", "recursor_strongest_backward", "recursor_logits", "recursor_got"


def asked() -> bool:
    """Whether kernels are to be used: the environment variable RECURSOR_KERNELS is 1."""
    return os.environ.get("RECURSOR_KERNELS") == "1"


def ready() -> bool:
    """Whether the kernels are asked for and there for XLA to call. The first time, they are built."""
    return asked() and _loaded()


@cache
def _loaded() -> bool:
    if not _pays(_processor()):
        return False
    try:
        compiler = _compiler()
        if compiler is None:
            return False
        library = ctypes.CDLL(str(_built(compiler)))
    except (OSError, RuntimeError, ValueError, subprocess.CalledProcessError) as error:
        lines = (getattr(error, "stderr", None) or str(error)).splitlines()
        why = next((line for line in lines if "error" in line), lines[0] if lines else error)
        warnings.warn(
            f"some networks take longer, since their kernels could not be built or loaded: {why}; "
            "CXX names another compiler, and without RECURSOR_KERNELS=1 none is needed",
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
    name = f"{hashlib.sha256(repr(made_of).encode()).hexdigest()[:32]}.so"
    directory = private_directory("kernels")
    if directory is None:
        temporary = Path(tempfile.mkdtemp(prefix="recursor-kernels-"))
        atexit.register(shutil.rmtree, temporary, ignore_errors=True)
        return _build(compiler, temporary / name)
    with lock(directory / "lock", wait=True):
        path = directory / name
        return path if _is_ours(path) else _build(compiler, path)


def _build(compiler: list[str], path: Path) -> Path:
    with tempfile.TemporaryDirectory() as directory:
        made = Path(directory) / path.name
        units = [str(source) for source in SOURCES if source.suffix == ".cc"]
        _output([*compiler, *FLAGS, "-isystem", jax.ffi.include_dir(), *units, "-o", str(made)])
        data = made.read_bytes()
    for file, content in ((path, data), (_sum(path), hashlib.sha256(data).hexdigest().encode())):
        write_atomically(file, content)
        file.chmod(0o600)
    return path


def _sum(path: Path) -> Path:
    """The file with the hash of a library."""
    return path.with_suffix(".sha256")


def _is_ours(path: Path) -> bool:
    """Whether a library is there that this user has built, that nobody else may write to, and that is whole."""
    try:
        for file in (path, _sum(path)):
            status = file.lstat()
            if not stat.S_ISREG(status.st_mode) or not belongs_to_us(status) or status.st_mode & WRITABLE_BY_OTHERS:
                return False
        return hashlib.sha256(path.read_bytes()).hexdigest().encode() == _sum(path).read_bytes()
    except OSError:
        return False


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
