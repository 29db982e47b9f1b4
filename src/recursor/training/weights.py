"""A file of named arrays, which says what it is: the weights of a reasoner, or the whole state of training.

It is a `.safetensors` file. Each array has its path in the tree as its name, such as `reasoner.processors.0.send.weight`.
The metadata has one entry, `recursor`, which is JSON:

    format                  the version of this description
    version                 the version of Recursor that wrote the file
    kind                    weights: of a reasoner; last: the state of training
    updates                 how many updates were done
    configuration           the whole configuration of the run
    configuration_sha256    its hash
    fields                  the inputs, hints and outputs that the network knows, in their order
    notes                   what else is kept, such as the best score
    sha256                  the hash of all the above and of all arrays with their names, types and shapes

There is no pickle: reading a file runs no code of it.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import equinox as eqx
import jax
import numpy as np
import safetensors
import safetensors.numpy
from jax.tree_util import DictKey, FlattenedIndexKey, GetAttrKey, SequenceKey

from recursor.system.files import DamagedFileError, parse_json, read_whole
from recursor.training import fit
from recursor.training.config import TrainConfig, from_json
from recursor.version import __version__

Tree = TypeVar("Tree")
FORMAT = 1
LARGEST_HEADER = 10**8
"""Bytes; safetensors itself refuses longer ones."""
ALTERED = "its bytes are not those that were written"


class NotFiniteError(ValueError):
    """A number that is to be kept is not finite."""


class Header(NamedTuple):
    """What a file says about itself."""

    path: Path
    kind: str
    updates: int
    config: TrainConfig
    fields: dict[str, list[str]]
    notes: dict[str, Any]


def name_of(path: tuple[Any, ...]) -> str:
    """The name of an array: its path in the tree, in words and numbers."""
    words = []
    for key in path:
        match key:
            case GetAttrKey():
                words.append(key.name)
            case SequenceKey():
                words.append(str(key.idx))
            case DictKey() | FlattenedIndexKey():
                words.append(str(key.key))
            case _:
                words.append(str(key))
    return ".".join(words)


def named_arrays(tree: Any) -> dict[str, Any]:
    """The arrays of a tree by name, in the tree's order.

    Raises:
        ValueError: If two arrays have one name.
    """
    leaves, _ = jax.tree_util.tree_flatten_with_path(eqx.filter(tree, _is_array))
    arrays = {name_of(path): leaf for path, leaf in leaves}
    if len(arrays) < len(leaves):
        raise ValueError("two arrays of the tree have the same name; a key must not contain a dot")
    return arrays


def encode(tree: Any, kind: str, updates: int, config: TrainConfig, notes: Mapping[str, Any]) -> bytes:
    """The bytes of a file. Equal trees and values give equal bytes.

    Args:
        tree: Any tree; its arrays are kept.
        kind: `weights` or `last`.
        updates: How many updates were done.
        config: The configuration of the run.
        notes: Further values that JSON knows.

    Raises:
        NotFiniteError: If an array holds a number that is not finite.
    """
    arrays = {name: np.asarray(leaf, order="C") for name, leaf in named_arrays(tree).items()}
    if bad := not_finite(arrays):
        raise NotFiniteError(f"{bad} holds numbers that are not finite")
    configuration = asdict(config)
    described = {
        "format": FORMAT,
        "version": __version__,
        "kind": kind,
        "updates": updates,
        "configuration": configuration,
        "configuration_sha256": hashlib.sha256(_json(configuration).encode()).hexdigest(),
        "fields": fit.fields_of(config.spec),
        "notes": dict(notes),
    }
    metadata = {"recursor": _json(described | {"sha256": _digest(described, arrays)})}  # one entry: their order is not kept
    return safetensors.numpy.save(arrays, metadata)


def read(path: Path, like: Tree, kind: str, config: TrainConfig) -> tuple[Tree, Header]:
    """Reads a file into a tree of the same shape.

    Args:
        path: The file.
        like: A tree with the names, shapes and types that the file has to have; shapes and types alone are enough
            (`jax.ShapeDtypeStruct`). What is no array is taken from it.
        kind: The kind that the file has to be.
        config: The configuration that the file has to be of.

    Returns:
        The tree, and what the file says about itself.

    Raises:
        FileNotFoundError: If there is no such file.
        DamagedFileError: If the file is not as it was written, or holds numbers that are not finite.
        ValueError: If the file is whole, but of something else.
    """
    header, arrays = _whole(path)
    if header.kind != kind:
        raise ValueError(f"{path} is of the kind {header.kind}, and {kind} is needed")
    fit.require_configuration(path, header.config, config)
    fit.require_fields(path, header.fields, config.spec)
    expected = named_arrays(like)
    fit.require_arrays(path, arrays, expected)
    if bad := not_finite(arrays):
        raise DamagedFileError(path, f"{bad} holds numbers that are not finite")
    dynamic, static = eqx.partition(like, _is_array)
    leaves = [jax.device_put(arrays[name], may_alias=False) for name in expected]  # jnp.array would compile
    return eqx.combine(jax.tree.unflatten(jax.tree.structure(dynamic), leaves), static), header


def verify(path: Path) -> Header:
    """What a file says about itself; the whole file is read, and must be as it was written.

    Raises:
        FileNotFoundError: If there is no such file.
        DamagedFileError: If the file is not as it was written.
        ValueError: If another version of Recursor wrote it.
    """
    return _whole(path)[0]


def _whole(path: Path) -> tuple[Header, dict[str, np.ndarray]]:
    data = read_whole(path)
    described = _described(path, data)
    try:
        arrays = safetensors.numpy.load(data)
    except (safetensors.SafetensorError, ValueError, KeyError, TypeError) as error:
        raise DamagedFileError(path, f"it is not a .safetensors file ({error})") from None
    sha256 = described.pop("sha256", None)
    if sha256 != _digest(described, arrays):
        raise DamagedFileError(path, ALTERED)
    return _header(path, described), arrays


def read_header(path: Path) -> Header:
    """What a file says about itself. The arrays are not read, so damage to them is not found.

    Raises:
        FileNotFoundError: If there is no such file.
        DamagedFileError: If its header is damaged.
        ValueError: If another version of Recursor wrote it.
    """
    try:
        if not path.is_file() and path.exists():
            raise DamagedFileError(path, "it is not a regular file")
        with path.open("rb") as file:
            length = int.from_bytes(file.read(8), "little")
            if length > LARGEST_HEADER:
                raise DamagedFileError(path, ALTERED)
            file.seek(0)
            return _header(path, _described(path, file.read(8 + length)))
    except FileNotFoundError:
        raise
    except OSError as error:
        raise DamagedFileError(path, f"it cannot be read ({error.strerror})") from None


def not_finite(arrays: Mapping[str, np.ndarray]) -> str | None:
    """The name of the first array with a number that is not finite."""
    for name, array in arrays.items():
        if np.issubdtype(array.dtype, np.inexact) and not np.isfinite(array).all():
            return name
    return None


def _is_array(leaf: Any) -> bool:
    return eqx.is_array(leaf) or isinstance(leaf, jax.ShapeDtypeStruct)


def _json(values: Any) -> str:
    return json.dumps(values, sort_keys=True, allow_nan=False)


def _digest(described: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> str:
    digest = hashlib.sha256(_json(described).encode())
    for name in sorted(arrays):
        array = arrays[name]
        digest.update(f"\n{name} {array.dtype.str} {array.shape} {array.nbytes}\n".encode())
        digest.update(array.tobytes())
    return digest.hexdigest()


def _described(path: Path, data: bytes) -> dict[str, Any]:
    """The metadata's entry of ours, from the first bytes of a file."""
    length = int.from_bytes(data[:8], "little")
    if len(data) < 8 or length > len(data) - 8:
        raise DamagedFileError(path, "it is truncated, or not a .safetensors file")
    try:
        described = parse_json(parse_json(data[8 : 8 + length])["__metadata__"]["recursor"])
        if not isinstance(described, dict):
            raise TypeError("no object")  # noqa: TRY301
        _json(described)  # no NaN
    except (ValueError, KeyError, TypeError, RecursionError):
        raise DamagedFileError(
            path, "its metadata do not say what it is; Recursor did not write it, or it was changed"
        ) from None
    return described


def _header(path: Path, described: dict[str, Any]) -> Header:
    if described.get("format") != FORMAT:
        raise ValueError(
            f"{path} has format {described.get('format')!r} and was written by Recursor {described.get('version')}; this is "
            f"Recursor {__version__}, which reads format {FORMAT}"
        )
    kinds: dict[str, type] = {"kind": str, "updates": int, "configuration": dict, "fields": dict, "notes": dict}
    for name, expected in kinds.items():
        value: Any = described.get(name)
        if type(value) is not expected or (name == "updates" and value < 0):
            raise ValueError(f"{path}: {name} of its metadata must be {expected.__name__}, not {value!r}")
    config = from_json(_json(described["configuration"]), str(path))
    return Header(path, described["kind"], described["updates"], config, described["fields"], described["notes"])
