import json
import os
import struct
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
import safetensors.numpy

from recursor.algorithms import find
from recursor.network.config import NetworkConfig
from recursor.system.files import DamagedFileError
from recursor.training import checkpoint, loading, weights
from recursor.training.config import TrainConfig
from recursor.training.loading import SHIPPED, new_reasoner
from recursor.training.notes import Notes, read_notes

TREE = {"a": jnp.arange(3.0), "b": [jnp.array([[1, 2]]), "a static leaf"]}
CONFIG = TrainConfig(network=NetworkConfig(width=8, frame_width=4))


def save(directory: Path, kind: str, done: int, tree: Any = TREE, notes: dict | None = None) -> Path:
    return checkpoint.save(directory, kind, done, tree, CONFIG, notes or {})


def same(one, other) -> bool:
    return bool((one["a"] == other["a"]).all()) and bool((one["b"][0] == other["b"][0]).all())


def test_what_is_saved_is_loaded(tmp_path: Path) -> None:
    save(tmp_path, "last", 7, notes={"note": 1})
    like = {"a": jnp.zeros(3), "b": [jnp.zeros((1, 2), int), "other"]}
    tree, header = checkpoint.load(tmp_path, "last", like, CONFIG)
    assert same(tree, TREE)
    assert (header.notes, header.updates, header.config) == ({"note": 1}, 7, CONFIG)
    assert tree["b"][1] == "other", "what is no array comes from the network that is loaded into"


def test_arrays_have_their_path_as_their_name() -> None:
    names = weights.named_arrays({"reasoner": new_reasoner(CONFIG)})
    assert "reasoner.processors.0.send.weight" in names or any(name.startswith("reasoner.processors.0.") for name in names)
    assert set(weights.named_arrays(TREE)) == {"a", "b.0"}
    with pytest.raises(ValueError, match="two arrays of the tree have the same name"):
        weights.named_arrays({"a.b": jnp.zeros(1), "a": {"b": jnp.zeros(1)}})


def test_equal_states_are_equal_bytes(tmp_path: Path) -> None:
    one, other = (save(tmp_path, "last", 1, notes={"x": 1, "y": 2.5}) for _ in range(2))
    assert one != other
    assert one.read_bytes() == other.read_bytes()


def test_arrays_of_every_shape_are_kept(tmp_path: Path) -> None:
    tree = {"scalar": jnp.array(3), "none": jnp.zeros((0, 2)), "turned": np.arange(6, dtype=np.int32).reshape(2, 3).T}
    found, _ = weights.read(save(tmp_path, "last", 1, tree), tree, "last", CONFIG)
    assert jax.tree.all(jax.tree.map(np.array_equal, found, tree))


def test_any_reader_of_safetensors_reads_the_arrays(tmp_path: Path) -> None:
    arrays = safetensors.numpy.load_file(save(tmp_path, "last", 1))
    np.testing.assert_array_equal(arrays["a"], TREE["a"])
    np.testing.assert_array_equal(arrays["b.0"], TREE["b"][0])


def test_the_newest_two_are_kept(tmp_path: Path) -> None:
    for done in range(5):
        save(tmp_path, "last", done)
    assert [found.updates for found in checkpoint.checkpoints(tmp_path, "last")] == [4, 3]
    assert checkpoint.updates(tmp_path) == 4
    assert len([*tmp_path.iterdir()]) == 2


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "truncated": lambda data: data[:-7],
    "altered": lambda data: data[:-5] + bytes([data[-5] ^ 1]) + data[-4:],
    "header altered": lambda data: data.replace(b'updates\\": 2', b'updates\\": 3'),
    "notes altered": lambda data: data.replace(b'note\\": 1', b'note\\": 2'),
    "empty": lambda data: b"",
    "short": lambda data: data[:5],
    "zeros": lambda data: bytes(len(data)),
    "longer": lambda data: data + b"x",
    "huge header": lambda data: b"\xff" * 8 + data[8:],
    "deep header": lambda data: struct.pack("<Q", 100_000) + b"[" * 100_000,
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_checkpoint_is_named_and_the_one_before_is_used(tmp_path: Path, damage: str) -> None:
    save(tmp_path, "last", 1, notes={"note": 1})
    path = save(tmp_path, "last", 2, notes={"note": 1})
    before = path.read_bytes()
    path.write_bytes(DAMAGES[damage](before))
    assert path.read_bytes() != before
    with pytest.warns(UserWarning, match=rf"{path.name} is damaged.*last-A\.safetensors is used, after 1 updates"):
        _, found = checkpoint.load(tmp_path, "last", TREE, CONFIG)
    assert found.updates == 1
    assert path.exists(), "who does not train renames nothing"


@pytest.mark.parametrize("damage", DAMAGES)
def test_no_good_checkpoint_is_replaced_while_a_damaged_one_is_there(tmp_path: Path, damage: str) -> None:
    good = save(tmp_path, "last", 1)
    bad = save(tmp_path, "last", 2)
    bad.write_bytes(DAMAGES[damage](bad.read_bytes()) if damage != "notes altered" else b"")
    whole = good.read_bytes()
    with pytest.warns(UserWarning, match=r"is now called last-B\.safetensors\.damaged"):
        checkpoint.load(tmp_path, "last", TREE, CONFIG, clean=True)
    assert bad.with_name(f"{bad.name}.damaged").exists()
    assert save(tmp_path, "last", 2) == bad
    assert good.read_bytes() == whole, "what was loaded is there until a newer one is"
    good.write_bytes(b"")
    with pytest.warns(UserWarning, match="is damaged"):
        assert save(tmp_path, "last", 3) == good, "what was just written is not replaced either"
    assert [found.updates for found in checkpoint.checkpoints(tmp_path, "last")] == [3, 2]


@pytest.mark.parametrize("kind", ["last", "weights"])
def test_if_all_are_damaged_the_error_names_one_and_nothing_is_renamed(tmp_path: Path, kind: str) -> None:
    path = save(tmp_path, kind, 1)
    path.write_bytes(b"nothing")
    with pytest.raises(DamagedFileError, match=path.name):
        checkpoint.load(tmp_path, kind, TREE, CONFIG, clean=True)
    assert path.exists()


def test_every_flipped_bit_is_found_or_changes_nothing(tmp_path: Path) -> None:
    path = save(tmp_path, "weights", 1, {"a": jnp.arange(3.0)}, {"note": 1})
    data = path.read_bytes()
    rng = np.random.default_rng(0)
    for place in rng.integers(0, 8 * len(data), 2000):
        altered = bytearray(data)
        altered[place // 8] ^= 1 << (place % 8)
        path.write_bytes(altered)
        with pytest.raises(DamagedFileError, match=r"weights\.safetensors is damaged"):
            weights.read(path, {"a": jnp.zeros(3)}, "weights", CONFIG)


def test_arrays_that_swap_names_are_found(tmp_path: Path) -> None:
    path = save(tmp_path, "weights", 1, {"one": jnp.zeros(3), "two": jnp.ones(3)})
    data = path.read_bytes()
    path.write_bytes(data.replace(b'"one"', b'"xxx"').replace(b'"two"', b'"one"').replace(b'"xxx"', b'"two"'))
    assert path.read_bytes() != data
    with pytest.raises(DamagedFileError):
        weights.read(path, {"one": jnp.zeros(3), "two": jnp.ones(3)}, "weights", CONFIG)


def test_fields_of_a_tree_that_swap_places_keep_their_values(tmp_path: Path) -> None:
    class One(eqx.Module):
        send: jax.Array
        receive: jax.Array

    class Other(eqx.Module):
        receive: jax.Array
        send: jax.Array

    path = save(tmp_path, "weights", 1, One(send=jnp.zeros(2), receive=jnp.ones(2)))
    found, _ = weights.read(path, Other(send=jnp.ones(2), receive=jnp.zeros(2)), "weights", CONFIG)
    np.testing.assert_array_equal(found.send, [0, 0])


@pytest.mark.parametrize(
    ("like", "message"),
    [
        (
            {"a": jnp.zeros(4), "b": [jnp.zeros((1, 2), int)]},
            r"a is float32 of shape \(3,\) there and float32 of shape \(4,\) here",
        ),
        ({"a": jnp.zeros(3, int), "b": [jnp.zeros((1, 2), int)]}, "a is float32 .* there and int32 .* here"),
        ({"a": jnp.zeros(3), "c": [jnp.zeros((1, 2), int)]}, r"it lacks c\.0"),
        ({"a": jnp.zeros(3)}, r"it also has b\.0"),
    ],
)
def test_a_checkpoint_of_another_network_is_refused(like: Any, message: str, tmp_path: Path) -> None:
    save(tmp_path, "last", 1)
    with pytest.raises(ValueError, match=f"is of another network than the one it is read for: {message}") as error:
        checkpoint.load(tmp_path, "last", like, CONFIG)
    assert not isinstance(error.value, DamagedFileError)


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (replace(CONFIG, updates=5), "updates is 20000 there and 5 here"),
        (replace(CONFIG, network=replace(CONFIG.network, pooling="max")), "network.pooling is 'sum' there and 'max' here"),
        (
            replace(CONFIG, network=replace(CONFIG.network, processor="mpnn-edges")),
            "network.processor is 'mpnn' there and 'mpnn-edges' here",
        ),
    ],
)
def test_a_checkpoint_of_another_configuration_is_refused(other: TrainConfig, message: str, tmp_path: Path) -> None:
    save(tmp_path, "last", 1)
    with pytest.raises(ValueError, match=f"is of another configuration: {message}"):
        checkpoint.load(tmp_path, "last", TREE, other)


def test_weights_of_one_algorithm_are_not_loaded_as_anothers(tmp_path: Path) -> None:
    directory = tmp_path / "run"
    directory.mkdir()
    (directory / "config.json").write_bytes((SHIPPED / "articulation_points" / "config.json").read_bytes())
    (directory / "weights.safetensors").write_bytes((SHIPPED / "bridges" / "weights.safetensors").read_bytes())
    with pytest.raises(ValueError, match="algorithm is 'bridges' there and 'articulation_points' here"):
        loading.load(directory)


def test_weights_of_an_algorithm_whose_fields_changed_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save(tmp_path, "weights", 1)
    spec = find("dfs").spec("local")
    first, second, *others = spec.hints
    swapped = replace(spec, hints=(second, first, *others))
    monkeypatch.setattr(TrainConfig, "spec", property(lambda self: swapped))
    with pytest.raises(ValueError, match=f"the hints of dfs were others: number 1 is {first.name}: .* and {second.name}: "):
        checkpoint.load(tmp_path, "weights", TREE, CONFIG)


def test_another_kind_or_format_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = save(tmp_path, "last", 1)
    with pytest.raises(ValueError, match="is of the kind last, and weights is needed"):
        weights.read(path, TREE, "weights", CONFIG)
    monkeypatch.setattr(weights, "FORMAT", 2)
    with pytest.raises(ValueError, match=r"has format 1 and was written by Recursor .*, which reads format 2"):
        weights.read(path, TREE, "last", CONFIG)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_numbers_that_are_not_finite_are_neither_kept_nor_loaded(
    bad: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = {"a": jnp.array([1.0, bad])}
    with pytest.raises(weights.NotFiniteError, match="a holds numbers that are not finite"):
        save(tmp_path, "weights", 1, tree)
    assert not [*tmp_path.iterdir()]
    with monkeypatch.context() as patched:
        patched.setattr(weights, "not_finite", lambda arrays: None)
        path = save(tmp_path, "weights", 1, tree)
    with pytest.raises(DamagedFileError, match="a holds numbers that are not finite"):
        weights.read(path, tree, "weights", CONFIG)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"metrics": "12"}, "the note metrics must be a number of at least 0, not '12'"),
        ({"seconds": -1.0}, r"the note seconds must be a number of at least 0, not -1\.0"),
        ({"best": None}, "the note best must be a number of at least -1, not None"),
        ({"kernels": 1}, "the note kernels must be true or false, not 1"),
        ({"since_best": True}, "the note since_best must be a number of at least 0, not True"),
        ({"more": 1}, "its notes also have more"),
    ],
)
def test_odd_notes_are_refused_in_a_sentence(change: dict[str, Any], message: str) -> None:
    good = vars(Notes(metrics=5))
    assert read_notes(Path("x"), good) == Notes(metrics=5)
    with pytest.raises(ValueError, match=message):
        read_notes(Path("x"), good | change)
    with pytest.raises(ValueError, match="its notes lack peak"):
        read_notes(Path("x"), {name: value for name, value in good.items() if name != "peak"})


def test_where_there_is_none_is_said(tmp_path: Path) -> None:
    (tmp_path / "last-notes.safetensors").write_bytes(b"a file of somebody else's")
    with pytest.raises(FileNotFoundError, match="holds no checkpoint"):
        checkpoint.load(tmp_path, "last", TREE, CONFIG)


def test_a_write_that_fails_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for done in (1, 2):
        save(tmp_path, "last", done)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match=r"last-A\.safetensors cannot be written: No space left on device"):
        save(tmp_path, "last", 3)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_loading_never_fails_while_another_thread_saves(tmp_path: Path) -> None:
    stop = threading.Event()
    save(tmp_path, "last", 0)
    save(tmp_path, "weights", 0)

    def rotate() -> None:
        done = 0
        while not stop.is_set():
            done += 1
            for kind in ("last", "weights"):
                save(tmp_path, kind, done)

    thread = threading.Thread(target=rotate)
    thread.start()
    try:
        seen = [checkpoint.load(tmp_path, kind, TREE, CONFIG)[1].updates for _ in range(150) for kind in ("last", "weights")]
    finally:
        stop.set()
        thread.join()
    assert len(set(seen)) > 10, "it was replaced meanwhile"


def test_the_header_says_what_the_file_is(tmp_path: Path) -> None:
    path = SHIPPED / "dfs" / "weights.safetensors"
    data = path.read_bytes()
    described = json.loads(json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])["__metadata__"]["recursor"])
    assert (described["format"], described["kind"], described["updates"]) == (1, "weights", loading.load("dfs").updates)
    assert described["configuration"]["algorithm"] == "dfs"
    assert {"version", "configuration_sha256", "fields", "notes", "sha256"} < described.keys()
