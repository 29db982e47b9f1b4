from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from recursor.network import kernels, pairs
from recursor.network.kernels import build
from recursor.system import compiling
from tests.network.networks import quickly_compiled

compiled = pytest.mark.skipif(not build._loaded(), reason="there are no kernels here")


@pytest.fixture(autouse=True)
def asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels are used only where they are asked for."""
    monkeypatch.setenv("RECURSOR_KERNELS", "1")


Sizes = tuple[int, int, int, int]  # graphs, nodes, width, channels
SIZES: list[Sizes] = [(1, 1, 32, 1), (2, 7, 64, 1), (3, 33, 96, 9), (1, 100, 32, 2)]


def draw(*sizes: int, nodes: tuple[int, ...] = ()) -> tuple[Any, ...]:
    """What both functions take: two arrays of nodes, and the channels."""
    graphs, n, width, channels = sizes
    rng = np.random.default_rng(sum(sizes))
    shapes = (graphs, n, *nodes, width), (graphs, n, *nodes, width), (graphs, n, n, channels)
    return tuple(jnp.asarray(rng.normal(size=shape), jnp.float32) for shape in shapes)


def message(*sizes: int) -> tuple[Callable, tuple[Any, ...]]:
    """The strongest messages, and what they are of: a third of the pairs is allowed, and of each node its own."""
    graphs, n, width, channels = sizes
    rng = np.random.default_rng(1)
    allowed = jnp.asarray((rng.random((graphs, n, n)) < 0.3) | np.eye(n, dtype=bool))
    shapes = (channels, width), (width, width), (width,), (width, width), (width,)
    weights = tuple(jnp.asarray(rng.normal(size=shape) / width**0.5, jnp.float32) for shape in shapes)
    return lambda s, r, e, w: pairs._strongest(s, r, e, allowed, w), (*draw(*sizes), weights)


def logits(*sizes: int, pointers: int = 3) -> tuple[Callable, tuple[Any, ...]]:
    """The logits of all pairs, and what they are of."""
    _, _, width, channels = sizes
    rng = np.random.default_rng(2)
    weights = tuple(
        jnp.asarray(rng.normal(size=shape), jnp.float32) for shape in ((channels, pointers, width), (pointers, width))
    )
    return pairs._logits, (*draw(*sizes, nodes=(pointers,)), weights)


def value_and_gradients(function: Callable, arguments: tuple[Any, ...]) -> tuple[jax.Array, list[jax.Array]]:
    """Traced anew, since a trace holds whose kernels it is of."""

    def both(*arguments: Any) -> tuple[jax.Array, list[jax.Array]]:
        value, pull = jax.vjp(lambda *moved: function(*moved), *arguments)
        return value, jax.tree.leaves(pull(jnp.cos(jnp.arange(value.size, dtype=jnp.float32)).reshape(value.shape)))

    return quickly_compiled(both)(*arguments)


@compiled
@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("make", [message, logits])
def test_kernels_agree_with_xla(make: Callable, sizes: Sizes, monkeypatch: pytest.MonkeyPatch) -> None:
    function, arguments = make(*sizes)
    of_kernels = value_and_gradients(function, arguments)
    monkeypatch.setattr(kernels, "usable", lambda *arrays: False)
    of_xla = value_and_gradients(function, arguments)
    for one, other in zip(jax.tree.leaves(of_kernels), jax.tree.leaves(of_xla), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-4)


@compiled
@pytest.mark.parametrize("make", [message, logits])
def test_the_number_of_threads_changes_no_bit(make: Callable, monkeypatch: pytest.MonkeyPatch) -> None:
    function, arguments = make(7, 32, 64, 3)
    found = []
    for cores in (1, 3, 16):
        monkeypatch.setattr(kernels, "cores", lambda cores=cores: list(range(cores)))
        found.append(jax.tree.leaves(value_and_gradients(function, arguments)))
    for others in found[1:]:
        jax.tree.map(np.testing.assert_array_equal, others, found[0])


def test_devices_that_work_side_by_side_share_the_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def call(*_: Any, **attributes: Any) -> tuple[jax.Array]:
        asked.append(int(attributes["threads"]))
        return (jnp.zeros(()),)

    monkeypatch.setattr(kernels, "cores", lambda: list(range(6)))
    monkeypatch.setattr(kernels.jax.ffi, "ffi_call", lambda *_, **__: call)
    kernels._call("", [])
    mesh = jax.sharding.AbstractMesh((3,), ("batch",))
    with jax.sharding.use_abstract_mesh(mesh):
        kernels._call("", [])
    assert asked == [6, 2]


@compiled
@pytest.mark.parametrize("place", range(4))
@pytest.mark.parametrize("make", [message, logits])
def test_what_is_not_a_number_stays_none(make: Callable, place: int) -> None:
    function, arguments = make(1, 3, 32, 2)
    bad = jax.tree.map(lambda array: jnp.full_like(array, jnp.nan), arguments[place])
    assert jnp.isnan(function(*arguments[:place], bad, *arguments[place + 1 :])).all()


@pytest.mark.parametrize("other", ["width", "type"])
def test_kernels_are_not_used_for_what_they_do_not_know(other: str) -> None:
    array = jnp.zeros((1, 2, 48)) if other == "width" else jnp.zeros((1, 2, 32), jnp.bfloat16)
    assert not kernels.usable(array)


@pytest.fixture
def wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where kernels are fit for the processor."""
    monkeypatch.setattr(build, "_pays", lambda processor: True)


@pytest.fixture
def compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A compiler that takes no time, and whose every library is another. Libraries are kept below the test's directory."""
    script = tmp_path / "compiler"
    script.write_text(
        '#!/bin/sh\ncase "$*" in *-shared*) while [ "$1" != "-o" ]; do shift; done; date +%s%N > "$2";; *) echo 1;; esac\n'
    )
    script.chmod(0o700)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return [str(script)]


def test_a_library_is_built_once(compiler: list[str], tmp_path: Path) -> None:
    path = build._built(compiler)
    assert path.parent == tmp_path / "cache" / "recursor" / "kernels"
    assert {file.name for file in path.parent.iterdir()} == {path.name, path.with_suffix(".sha256").name, "lock"}
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert path.stat().st_mode & 0o777 == 0o600
    data = path.read_bytes()
    assert build._built(compiler) == path
    assert path.read_bytes() == data


def damaged(path: Path, how: str) -> None:
    data = path.read_bytes()
    match how:
        case "truncated":
            path.write_bytes(data[:-1])
        case "empty":
            path.write_bytes(b"")
        case "flipped":
            path.write_bytes(bytes([data[0] ^ 1]) + data[1:])
        case "of another mode":
            path.chmod(0o620)
        case "in a directory of another mode":
            path.parent.chmod(0o777)
        case "a link":
            path.rename(path.with_name("other"))
            path.symlink_to("other")
        case "without a hash":
            path.with_suffix(".sha256").unlink()
        case "with another hash":
            path.with_suffix(".sha256").write_text("0" * 64)
        case _:
            raise AssertionError(how)


WAYS = ("truncated", "empty", "flipped", "of another mode", "in a directory of another mode", "a link", "without a hash")


@pytest.mark.parametrize("how", [*WAYS, "with another hash"])
def test_a_library_that_could_be_anybodys_is_built_again(how: str, compiler: list[str]) -> None:
    path = build._built(compiler)
    before = path.read_bytes()
    damaged(path, how)
    assert build._built(compiler) == path
    assert path.read_bytes() != before, "it was not built again"
    assert build._is_ours(path)
    assert path.parent.stat().st_mode & 0o022 == 0


def test_a_library_of_another_user_is_built_again(compiler: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    path = build._built(compiler)
    before = path.read_bytes()
    monkeypatch.setattr(build, "belongs_to_us", lambda status: False)
    assert build._built(compiler).read_bytes() != before


def test_a_directory_of_another_user_is_not_used(
    compiler: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cached = build._built(compiler)
    before = {file: file.read_bytes() for file in cached.parent.iterdir()}
    monkeypatch.setattr(compiling, "belongs_to_us", lambda status: False)
    path = build._built(compiler)
    assert tmp_path not in path.parents
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert {file: file.read_bytes() for file in cached.parent.iterdir()} == before


@pytest.mark.parametrize("home", ["missing", "a file"])
def test_a_library_is_built_without_a_home(home: str, compiler: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    if home == "missing":

        def no_home() -> Path:
            raise RuntimeError("Could not determine home directory.")

        monkeypatch.delenv("XDG_CACHE_HOME")
        monkeypatch.setattr(Path, "home", no_home)
    else:
        monkeypatch.setenv("XDG_CACHE_HOME", compiler[0])
    assert compiling.private_directory("xla") is None
    compiling.keep_compiled_programs()
    assert build._built(compiler).exists()


@pytest.mark.usefixtures("wanted")
def test_what_is_no_library_is_told(compiler: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXX", compiler[0])
    with pytest.warns(UserWarning, match="could not be built or loaded"):
        assert not build._loaded.__wrapped__()


def test_without_a_compiler_there_are_no_kernels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert not build._loaded.__wrapped__()


@pytest.mark.parametrize("value", [None, "0", ""])
def test_no_compiler_is_started_unasked(value: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    def started() -> None:
        raise AssertionError("a compiler was looked for")

    monkeypatch.setattr(build, "_loaded", started)
    monkeypatch.delenv("RECURSOR_KERNELS")
    if value is not None:
        monkeypatch.setenv("RECURSOR_KERNELS", value)
    assert not build.ready()


def test_kernels_are_for_processors_on_which_they_pay() -> None:
    assert build._pays("arm64")
    assert build._pays("x86_64\nflags : sse2 fma avx avx2")
    assert not build._pays("x86_64\nflags : sse2 avx")


BAD = {
    "No such file": "/no/such/compiler",
    "no room": """sh -c 'case "$*" in *-shared*) echo "in x:"; echo "error: no room"; exit 1; esac >&2' sh""",
    "No closing quotation": "g++ '",
}


@pytest.mark.usefixtures("wanted")
@pytest.mark.parametrize("said", BAD)
def test_a_compiler_that_fails_is_told_and_nothing_is_left(
    said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CXX", BAD[said])
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with pytest.warns(UserWarning, match=f"kernels could not be built or loaded: .*{said}"):
        assert not build._loaded.__wrapped__()
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and path.name != "lock"]
