"""Networks that share a processor: what is shared is the same in all of them, and all else is each one's own."""

import os
import signal
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import safetensors.numpy

from recursor.configurations.named import configuration
from recursor.training import joint, loop
from recursor.training.loading import new_reasoner
from recursor.training.sharing import adopt_processors
from recursor.training.weights import named_arrays
from tests.network.networks import use_quick_programs

JOINT = configuration("joint/three")
TINY = replace(
    JOINT,
    network=replace(JOINT.network, width=8, message_bits=2, pooled_bits=3),
    algorithm="dfs",
    together=("dfs", "quicksort"),
    sizes=(3, 4),
    batch=2,
    chains=2,
    updates=3,
    validate_every=3,
    validate_nodes=3,
    validate_graphs=2,
    lessons=0,
)


ALONE = replace(TINY, algorithm="topological_sort", together=())


def arrays(directory: Path) -> dict[str, dict[str, bytes]]:
    """The bytes of all weights of each network, by name."""
    files = {name: safetensors.numpy.load_file(directory / name / "weights.safetensors") for name in TINY.together}
    return {name: {key: array.tobytes() for key, array in kept.items()} for name, kept in files.items()}


@pytest.mark.slow
def test_the_processor_is_the_same_in_all_and_an_interrupted_run_ends_like_one_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_quick_programs(monkeypatch)
    joint.train(TINY, tmp_path / "alone", progress=False)
    found = arrays(tmp_path / "alone")
    processors = [{k: v for k, v in kept.items() if ".processors." in k} for kept in found.values()]
    assert processors[0]
    assert processors[0] == processors[1]
    one_update = loop.Loop.one_update

    def interrupted(self: loop.Loop, batch) -> None:
        if self.done == 1:
            os.kill(os.getpid(), signal.SIGINT)
        one_update(self, batch)

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(loop.Loop, "one_update", interrupted)
        joint.train(TINY, tmp_path / "stopped", progress=False)
    joint.resume(tmp_path / "stopped", progress=False)
    assert arrays(tmp_path / "stopped") == found
    with pytest.raises(ValueError, match="is a part of"):
        joint.resume(tmp_path / "stopped" / "dfs", progress=False)


@pytest.mark.slow
@pytest.mark.parametrize("keep", [True, False])
def test_a_run_begins_with_the_processor_of_another_and_may_keep_it(
    keep: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_quick_programs(monkeypatch)
    source = loop.train(replace(ALONE, algorithm="dfs"), tmp_path / "source", progress=False)
    config = replace(ALONE, processor_from=str(source.directory), keep_processor=keep)
    found = loop.train(config, tmp_path / "found", progress=False)
    begun, ended = (named_arrays(run.reasoner.processors) for run in (source, found))
    assert all(np.array_equal(begun[name], ended[name]) for name in begun) == keep
    other = replace(config, network=replace(config.network, width=12))
    with pytest.raises(ValueError, match="the processors have different shapes"):
        loop.train(other, tmp_path / "other", progress=False)


def test_a_processor_that_has_not_learnt_is_not_kept() -> None:
    with pytest.raises(ValueError, match="name a run with processor_from"):
        replace(ALONE, keep_processor=True).check()


def test_a_processor_of_another_shape_is_refused() -> None:
    for changes in ({"encode_frame": False}, {"orders": 0}):
        with pytest.raises(ValueError, match="share a processor of one shape"):
            replace(TINY, network=replace(TINY.network, **changes)).check()


def test_algorithms_are_named_once() -> None:
    with pytest.raises(ValueError, match="name each algorithm once"):
        replace(TINY, together=("dfs", "dfs")).check()


def test_adopting_a_processor_changes_nothing_else() -> None:
    one, other = (named_arrays(new_reasoner(replace(part, seed=seed))) for seed, part in enumerate(TINY.parts().values()))
    reasoners = [new_reasoner(replace(part, seed=seed)) for seed, part in enumerate(TINY.parts().values())]
    for name, array in named_arrays(adopt_processors(*reasoners)).items():
        expected = other if name.startswith("processors.") else one
        assert np.array_equal(array, expected[name]), name
