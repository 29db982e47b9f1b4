"""One processor for several networks: each has encoders and decoders of its own.

The networks take turns. Before its turn a network adopts the processor of the one before it, with the state of the
processor's optimiser. So the processor is trained by all of them, and everything else by its own algorithm alone.
"""

from typing import Any, NamedTuple, TypeVar

import equinox as eqx
import jax
import jax.numpy as jnp
import optax

from recursor.network.reasoner import Reasoner

Tree = TypeVar("Tree")


class SeparateState(NamedTuple):
    """The states of two optimisers: that of the processor, and that of all else."""

    processors: optax.OptState
    rest: optax.OptState


def separate(processors: optax.GradientTransformation, rest: optax.GradientTransformation) -> optax.GradientTransformation:
    """Returns the optimiser that changes the processor of a reasoner by one optimiser, and all else by another."""

    def init(params: Any) -> SeparateState:
        first, second = _split(params)
        return SeparateState(processors.init(first), rest.init(second))

    def update(updates: Any, state: Any, params: Any = None) -> tuple[Any, SeparateState]:
        gradients, parameters = _split(updates), (None, None) if params is None else _split(params)
        first, first_state = processors.update(gradients[0], state.processors, parameters[0])
        second, second_state = rest.update(gradients[1], state.rest, parameters[1])
        return _with_processors(second, first), SeparateState(first_state, second_state)

    return optax.GradientTransformation(init, update)


def keep_processors() -> optax.GradientTransformation:
    """Returns the transformation that sets the gradient of the processor to zero."""

    def without(gradient: Any, parameters: Any) -> Any:
        return _with_processors(gradient, jax.tree.map(jnp.zeros_like, gradient.processors))

    return optax.stateless(without)


def adopt_processors(reasoner: Reasoner, other: Reasoner) -> Reasoner:
    """Returns a reasoner with the processor of another one, whose arrays have the same shapes.

    Raises:
        ValueError: If the shapes differ.
    """
    return _with_processors(reasoner, _grafted(reasoner.processors, other.processors))


def adopt_optimiser(state: Any, other: Any) -> Any:
    """Returns the state of an optimiser with what another one keeps of the processor. Both end with `separate`."""
    *rest, mine = state
    return (*rest, mine._replace(processors=_grafted(mine.processors, other[-1].processors)))


def _split(reasoner: Any) -> tuple[Any, Any]:
    return reasoner.processors, _with_processors(reasoner, ())


def _with_processors(reasoner: Any, processors: Any) -> Any:
    return eqx.tree_at(lambda reasoner: reasoner.processors, reasoner, processors)


def _grafted(tree: Tree, other: Any) -> Tree:
    """Returns the tree with the arrays of the other; only what is no array may differ."""
    mine, theirs = ([leaf for leaf in jax.tree.leaves(each) if eqx.is_array(leaf)] for each in (tree, other))
    if [array.shape for array in mine] != [array.shape for array in theirs]:
        raise ValueError("the processors have different shapes; networks that share one need encode_frame, and equal orders")
    arrays, rest = eqx.partition(tree, eqx.is_array)
    return eqx.combine(jax.tree.unflatten(jax.tree.structure(arrays), theirs), rest)
