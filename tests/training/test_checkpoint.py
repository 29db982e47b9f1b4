from pathlib import Path

import jax.numpy as jnp
import numpy as np
import pytest

from recursor.system.files import DamagedFileError
from recursor.training import checkpoint

TREE = {"a": jnp.arange(3.0), "b": [jnp.array([[1, 2]]), "a static leaf"]}


def same(one, other) -> bool:
    return bool((one["a"] == other["a"]).all()) and bool((one["b"][0] == other["b"][0]).all())


def test_what_is_saved_is_loaded(tmp_path: Path) -> None:
    checkpoint.save(tmp_path, "last", 7, TREE, {"note": 1})
    tree, notes, found = checkpoint.load(tmp_path, "last", {"a": jnp.zeros(3), "b": [jnp.zeros((1, 2), int), "other"]})
    assert same(tree, TREE)
    assert (notes, found.update) == ({"note": 1}, 7)
    assert tree["b"][1] == "other", "what is no array comes from the network that is loaded into"


def test_equal_states_are_equal_bytes(tmp_path: Path) -> None:
    one = checkpoint.save(tmp_path, "last", 1, TREE, {})
    other = checkpoint.save(tmp_path, "best", 1, TREE, {})
    assert one.read_bytes() == other.read_bytes()


def test_the_newest_two_are_kept(tmp_path: Path) -> None:
    for update in range(5):
        checkpoint.save(tmp_path, "last", update, TREE, {})
    assert [found.update for found in checkpoint.checkpoints(tmp_path, "last")] == [4, 3]


@pytest.mark.parametrize("damage", ["truncated", "altered", "empty"])
def test_a_damaged_checkpoint_is_named_and_the_one_before_is_used(tmp_path: Path, damage: str) -> None:
    checkpoint.save(tmp_path, "last", 1, TREE, {})
    path = checkpoint.save(tmp_path, "last", 2, TREE, {})
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 255
    path.write_bytes({"truncated": data[:-7], "altered": data, "empty": b""}[damage])
    with pytest.warns(UserWarning, match=f"{path.name} is damaged.*the checkpoint before it is used"):
        _, _, found = checkpoint.load(tmp_path, "last", TREE)
    assert found.update == 1


@pytest.mark.filterwarnings("ignore")
def test_if_all_are_damaged_the_error_names_one(tmp_path: Path) -> None:
    path = checkpoint.save(tmp_path, "last", 1, TREE, {})
    path.write_bytes(b"nothing")
    with pytest.raises(DamagedFileError, match=path.name):
        checkpoint.load(tmp_path, "last", TREE)


def test_a_checkpoint_of_another_network_is_refused(tmp_path: Path) -> None:
    checkpoint.save(tmp_path, "last", 1, TREE, {})
    with pytest.raises(ValueError, match="was written by another network"):
        checkpoint.load(tmp_path, "last", {"a": jnp.zeros(4), "b": [jnp.zeros((1, 2), int)]})


def test_where_there_is_none_is_said(tmp_path: Path) -> None:
    (tmp_path / "last-notes.npz").write_bytes(b"a file of somebody else's")
    with pytest.raises(ValueError, match="holds no checkpoint"):
        checkpoint.load(tmp_path, "last", TREE)


def test_no_pickle_is_read(tmp_path: Path) -> None:
    path = tmp_path / "evil.npz"
    np.savez(path, evil=np.array([{}], object))
    import hashlib

    from recursor.system.files import read_arrays

    with pytest.raises(DamagedFileError, match=r"evil\.npz"):
        read_arrays(path, sha256=hashlib.sha256(path.read_bytes()).hexdigest())
