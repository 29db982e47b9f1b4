import jax
import pytest

from recursor.execution import executor
from recursor.system import compiling
from recursor.training import run as training_run


def test_a_process_that_sees_many_shapes_keeps_the_programs_of_few(monkeypatch: pytest.MonkeyPatch) -> None:
    dropped = []
    monkeypatch.setattr(compiling, "_shapes", set())
    monkeypatch.setattr(jax, "clear_caches", lambda: dropped.append(len(compiling._shapes)))
    for shape in range(compiling.MOST_PROGRAMS):
        compiling.bound_programs(shape)
        compiling.bound_programs(0)
    assert not dropped
    for shape in range(10 * compiling.MOST_PROGRAMS):
        compiling.bound_programs(shape)
        assert len(compiling._shapes) <= compiling.MOST_PROGRAMS
    assert dropped == [compiling.MOST_PROGRAMS] * 9


def test_an_execution_counts_its_shape(monkeypatch: pytest.MonkeyPatch) -> None:
    import recursor

    monkeypatch.setattr(compiling, "_shapes", set())
    for module in (executor, training_run):
        monkeypatch.setattr(module, "lookup_executor", lambda reasoner, verified=None: None)
    run = recursor.load("quicksort")
    for keys in ([2, 1], [1, 2], [3, 1, 2]):
        run.run(keys)
    assert len(compiling._shapes) == 2
