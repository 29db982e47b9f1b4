"""Networks of several algorithms that share one processor."""

from dataclasses import replace

from recursor.configurations.exact import exact
from recursor.training.config import TrainConfig


def _joint(*algorithms: str) -> TrainConfig:
    own = exact(algorithms[0])
    network = replace(own.network, encode_frame=True, orders=1)
    return replace(own, network=network, together=algorithms, updates=700, validate_every=700, lessons=2)


JOINT: dict[str, TrainConfig] = {
    "three": _joint("dfs", "topological_sort", "circuit"),
    "nine": _joint(
        "dfs",
        "topological_sort",
        "strongly_connected_components",
        "quicksort",
        "circuit",
        "bridges",
        "tarjan",
        "articulation_points",
        "merge_sort",
    ),
}
"""The exact networks of these algorithms with one processor for all, which is trained with all of them."""
