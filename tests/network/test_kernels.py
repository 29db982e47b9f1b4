from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from recursor.network import kernels, pairs
from recursor.network.kernels import build
from tests.network.networks import quickly_compiled

compiled = pytest.mark.skipif(not kernels.ready(), reason="there are no kernels here")

Sizes = tuple[int, int, int, int]  # graphs, nodes, width, channels
SIZES: list[Sizes] = [(1, 1, 16, 1), (2, 7, 32, 1), (3, 33, 48, 9), (1, 100, 16, 2)]


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
    function, arguments = make(1, 3, 16, 2)
    bad = jax.tree.map(lambda array: jnp.full_like(array, jnp.nan), arguments[place])
    assert jnp.isnan(function(*arguments[:place], bad, *arguments[place + 1 :])).all()


@pytest.mark.parametrize("other", ["width", "type"])
def test_kernels_are_not_used_for_what_they_do_not_know(other: str) -> None:
    array = jnp.zeros((1, 2, 24)) if other == "width" else jnp.zeros((1, 2, 16), jnp.bfloat16)
    assert not kernels.usable(array)


@pytest.fixture
def wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where kernels are neither left out nor unfit for the processor."""
    monkeypatch.delenv("RECURSOR_KERNELS", raising=False)
    monkeypatch.setattr(build, "_pays", lambda processor: True)


@pytest.mark.usefixtures("wanted")
def test_kernels_are_built_once_and_refused_if_damaged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compiler = build._compiler()
    if compiler is None:
        pytest.skip("there is no C++ compiler here")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    path = build._built(compiler)
    assert [*(tmp_path / "recursor" / "kernels").iterdir()] == [path]
    made = path.stat().st_mtime_ns
    assert build._built(compiler) == path
    assert path.stat().st_mtime_ns == made
    path.write_bytes(b"")
    with pytest.warns(UserWarning, match="could not be built or loaded"):
        assert not build.ready.__wrapped__()


def test_without_a_compiler_there_are_no_kernels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert not build.ready.__wrapped__()


def test_kernels_can_be_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECURSOR_KERNELS", "0")
    assert not build.ready.__wrapped__()


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
        assert not build.ready.__wrapped__()
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]
