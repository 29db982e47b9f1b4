"""Configurations by name.

Those of the paper are named after their line in its table of results. They take a *budget*, which says how long and on
which sizes they are trained. Those of exact networks, and of those that find their own stack operations, are named after the
algorithm, those of networks that share a processor after how many there are.
"""

from dataclasses import replace

from recursor.algorithms import known
from recursor.configurations.exact import EXACT, exact
from recursor.configurations.joint import JOINT
from recursor.configurations.latent import latent
from recursor.configurations.paper import BUDGETS, CALL_FRAMES, PAPER, VARIATIONS
from recursor.system.nearest import nearest
from recursor.training.config import TrainConfig


def configuration(name: str, *, budget: str | None = None, seed: int = 1) -> TrainConfig:
    """Returns the configuration of a name, as `recursor train NAME` takes it.

    Args:
        name: The name, such as `exact/dfs`, `latent/dfs`, `paper/10-node-stack` or `call-frames/10-node-stack`.
        budget: How long and on which sizes one of the paper's networks is trained: `small`, which is the default,
            `small-long`, `paper-sizes` or `paper`.
        seed: The seed of the training.

    Returns:
        The configuration. `dataclasses.replace` changes its values.

    Raises:
        ValueError: If there is no such configuration, or it takes no budget.

    Example:
        >>> import recursor
        >>> recursor.configuration("exact/dfs", seed=2).network.processor
        'order'
    """
    group, _, experiment = name.partition("/")
    exacts = EXACT | {algorithm: exact(algorithm) for algorithm in known() if algorithm not in EXACT}
    latents = {algorithm: latent(algorithm) for algorithm in known()}
    groups = {
        "paper": PAPER,
        "call-frames": CALL_FRAMES,
        "variations": VARIATIONS,
        "exact": exacts,
        "latent": latents,
        "joint": JOINT,
    }
    if group not in groups or experiment not in groups[group]:
        names = [f"{group}/{each}" for group, experiments in groups.items() for each in experiments]
        own = nearest(experiment, groups[group]) if group in groups else nearest(name, exacts)
        near = f"{group if group in groups else 'exact'}/{own}" if own else nearest(name, names)
        raise ValueError(
            f"no configuration is called {name!r}; " + (f"did you mean {near}?" if near else f"there are {', '.join(names)}")
        )
    if group in ("exact", "latent", "joint"):
        if budget is not None:
            raise ValueError(f"{name} has its own sizes and updates; a budget is for the paper's configurations")
        return replace(groups[group][experiment], seed=seed)
    budget = budget or "small"
    if budget not in BUDGETS:
        raise ValueError(f"no budget is called {budget!r}; there are {', '.join(BUDGETS)}")
    return replace(BUDGETS[budget].apply(groups[group][experiment]), seed=seed)
