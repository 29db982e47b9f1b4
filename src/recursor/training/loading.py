"""Loading a run from disk: a shipped one by its name, or a run directory."""

import os
from dataclasses import replace
from pathlib import Path

import equinox as eqx
import jax
import jax.numpy as jnp

from recursor.network.config import Feedback
from recursor.network.reasoner import Reasoner
from recursor.situations.certify import FILE as SITUATIONS
from recursor.situations.certify import read_verified
from recursor.system.compiling import require_device
from recursor.system.files import read_whole
from recursor.system.nearest import nearest
from recursor.training import checkpoint
from recursor.training.config import TrainConfig
from recursor.training.directory import config_of
from recursor.training.run import Run

SHIPPED = Path(__file__).parents[1] / "weights"


def shipped_names() -> list[str]:
    """The names of the runs that come with the package."""
    return sorted(path.name for path in SHIPPED.iterdir() if (path / "config.json").exists())


def directory_of(name: Path | str) -> Path:
    """Where a run is.

    Args:
        name: The name of a shipped run, such as `dfs`, or a run directory: a `Path`, or a string with a slash in it, such as
            `./dfs` or `runs/dfs`. So a directory never hides a shipped run.

    Raises:
        ValueError: If there is no such run.

    Example:
        >>> directory_of("dfs").name
        'dfs'
    """
    shipped = shipped_names()
    if isinstance(name, str) and name in shipped:
        return SHIPPED / name
    directory = Path(name)
    bare = isinstance(name, str) and not any(separator in name for separator in ("/", os.sep))
    if bare and directory.is_dir():
        raise ValueError(
            f"{name} is not a shipped run ({', '.join(shipped)}); for the directory of that name, write ./{name}"
        )
    if bare:
        near = nearest(str(name), shipped)
        raise ValueError(
            f"{name} is neither a run directory, which has a config.json, nor a shipped run"
            + (f"; did you mean {near}?" if near else f" ({', '.join(shipped)})")
        )
    if not (directory / "config.json").exists():
        lacks = "has no config.json" if directory.is_dir() else "does not exist"
        raise ValueError(f"{name} is no run directory: it {lacks}; `recursor train` makes one")
    return directory


def load(name: Path | str, *, feedback: Feedback | None = None) -> Run:
    """Loads a run with its best reasoner. It can be loaded while it is being trained.

    Args:
        name: The name of a shipped run, such as `dfs`, or a run directory: a `Path`, or a string with a slash in it, such as
            `./dfs` or `runs/dfs`.
        feedback: How predicted hints are fed back; left out, as the run was trained with.

    Returns:
        The run.

    Raises:
        ValueError: If there is no such run, it has no weights yet, or they are damaged or of another configuration than its
            config.json.

    Example:
        >>> import recursor
        >>> recursor.load("dfs").run([[0, 1], [0, 0]]).outputs["pi"].tolist()
        [0, 0]
    """
    directory = directory_of(name)
    trained = config_of(directory)
    config = trained
    if feedback is not None:
        config = replace(config, network=replace(config.network, feedback=feedback))
    shapes = eqx.filter_eval_shape(new_reasoner, config)  # nothing is drawn or compiled: the weights come from the file
    try:
        kept, header = checkpoint.load(directory, "weights", {"reasoner": shapes}, trained)
    except FileNotFoundError:
        raise ValueError(f"{directory} has no weights yet; the first validation writes them") from None
    verified = None
    if feedback is None and (directory / SITUATIONS).exists():
        verified = read_verified(directory, read_whole(header.path), kept["reasoner"])
    return Run(directory, config, kept["reasoner"], header.updates, verified)


def new_reasoner(config: TrainConfig) -> Reasoner:
    """With the weights that training starts from: 32 bits each, also where JAX_ENABLE_X64 makes 64 the default."""
    require_device()
    reasoner = Reasoner(config.spec, config.network, key=jax.random.key(config.seed))
    return jax.tree.map(lambda leaf: leaf.astype(jnp.float32) if eqx.is_inexact_array(leaf) else leaf, reasoner)
