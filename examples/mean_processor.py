"""A processor of your own: every node hears the mean of all nodes.

recursor --import examples/mean_processor.py train exact/dfs-node --network.processor mean
"""

from typing import ClassVar

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, PRNGKeyArray

from recursor.data.batch import Inputs
from recursor.network.config import NetworkConfig
from recursor.network.encode import Values
from recursor.network.linear import Features, Linear
from recursor.network.processors import PROCESSORS
from recursor.network.processors.processor import Processor
from recursor.spec import Spec


class MeanProcessor(Processor):
    """p = relu(z W + mean(z) U), with z the features of the nodes."""

    own: Linear
    mean: Linear

    encodes_pairs: ClassVar[bool] = False
    has_bits: ClassVar[bool] = False

    def __init__(self, spec: Spec, config: NetworkConfig, node_width: int, graph_width: int, *, key: PRNGKeyArray) -> None:
        one, two = jax.random.split(key)
        self.own, self.mean = Linear(node_width, config.width, key=one), Linear(node_width, config.width, key=two)

    @classmethod
    def check(cls, config: NetworkConfig, spec: Spec) -> None:
        if config.width % 2:
            raise ValueError(f"the mean processor has an even width, not {config.width}")

    @classmethod
    def encoded(cls, spec: Spec) -> Spec:
        return spec

    @classmethod
    def is_dense(cls, nodes: int, pairs: int) -> bool:
        return True

    @classmethod
    def training_bytes(cls, config: NetworkConfig, nodes: int) -> int:
        return 0

    @classmethod
    def execution_numbers(cls, config: NetworkConfig, nodes: int, edges: int) -> int:
        return nodes * config.width

    @classmethod
    def prepare(cls, spec: Spec, inputs: Inputs) -> Bool[Array, " n"]:
        return jnp.asarray(inputs.node_mask == 1)

    @classmethod
    def for_row(cls, spec: Spec, relations: Bool[Array, " n"], row: Values) -> Bool[Array, " n"]:
        return relations

    def __call__(
        self, node: Features, edge: Features | None, graph: Features, relations: Bool[Array, " n"]
    ) -> tuple[Float[Array, "n width"], Float[Array, "n 0"]]:
        mean = self.mean(node).mean(0, where=relations[:, None])
        processed = jax.nn.relu(self.own(node) + mean)
        return processed, processed[:, :0]


PROCESSORS["mean"] = MeanProcessor
