"""Looking situations up gives the rows of the network, bit for bit, on networks trained and untrained."""

import os
import subprocess
import sys
from dataclasses import replace

import jax
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recursor.algorithms import find, known
from recursor.configurations.named import configuration
from recursor.data.batches import sample
from recursor.evaluation import score
from recursor.execution import executor as module
from recursor.execution.execution import Execution
from recursor.execution.executor import execute, lookup_executor
from recursor.execution.lookup.compiled import can_compile, compiled
from recursor.execution.lookup.executor import LookupExecutor
from recursor.execution.lookup.heap import PlainHeap
from recursor.execution.lookup.memory import SituationMemory
from recursor.execution.lookup.sets import following, insert, preceding, remove, shape
from recursor.execution.lookup.state import AT_SHAPE, HEADER, TREE_LEVELS
from recursor.graphs.distributions import complete, path
from recursor.graphs.graph import Graph, from_edges
from recursor.network.reasoner import Reasoner
from recursor.situations.tables import Tables
from recursor.training.directory import config_of
from recursor.training.loading import directory_of, load, shipped_names
from recursor.verification.examine import BySituation
from recursor.verification.verify import examiner_of
from tests.network.networks import use_quick_programs


@pytest.fixture(autouse=True)
def quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    use_quick_programs(monkeypatch)


def by_network(reasoner: Reasoner, graphs: list[Graph], limit: int) -> list[Execution]:
    limits = np.full(len(graphs), limit, np.int32)
    return module._execute_by_network(reasoner, graphs, limits, keep_rows=True, progress=lambda rows: None)


def check_same(one: Execution, other: Execution) -> None:
    facts, others = ((e.halted, e.steps, e.empty_pops, e.ops.tolist()) for e in (one, other))
    assert facts == others
    for mine, theirs in ((one.rows, other.rows), (one.outputs, other.outputs)):
        assert mine.keys() == theirs.keys()
        for name, values in mine.items():
            assert values.dtype == theirs[name].dtype
            np.testing.assert_array_equal(values, theirs[name], err_msg=name)


ALWAYS = 10**9
"""Rows in plain Python: all of them."""


def lookup_of(reasoner: Reasoner, short_rows: int = ALWAYS) -> LookupExecutor:
    """An executor that runs so many rows in plain Python, and the others with compiled functions; -1: all of them."""
    found = lookup_executor(reasoner)
    assert found is not None
    found.short_rows = short_rows
    return found


def untrained(name: str, seed: int, **changes: int) -> Reasoner:
    config = configuration(f"exact/{name}")
    network = replace(config.network, width=8, message_bits=2, pooled_bits=3, **changes)
    return Reasoner(config.spec, network, key=jax.random.key(seed))


SETS = insert, remove, following, preceding
WITH_BITS = [name for name in shipped_names() if config_of(directory_of(name)).network.message_bits]


@pytest.mark.parametrize("name", WITH_BITS)
def test_the_rows_of_trained_networks_are_the_networks(name: str) -> None:
    rng, algorithm, reasoner = np.random.default_rng(3), find(name), load(name).reasoner
    graphs = [draw(rng, n) for draw in (algorithm.train, algorithm.test) for n in (1, 2, 3, 7, 10)]
    graphs += [draw(rng, 9) for draw in algorithm.others.values()]
    limit, some_rows = 60, 40
    expected = by_network(reasoner, graphs, limit)
    for short_rows in (ALWAYS, some_rows):
        lookup = lookup_of(reasoner, short_rows)
        for one, other in zip(execute(reasoner, graphs, limit=limit, lookup=lookup), expected, strict=True):
            check_same(one, other)
        assert lookup.memory.is_compiled == (short_rows == some_rows and can_compile())


@pytest.mark.parametrize("name", known())
def test_the_rows_of_untrained_networks_are_the_networks(name: str) -> None:
    """They do everything that an execution can do: pops of the empty stack, pointers anywhere, fields that flicker."""
    rng, algorithm = np.random.default_rng(5), find(name)
    graphs = [algorithm.train(rng, n) for n in (1, 2, 3, 6, 6, 6, 6, 6)]
    for seed in range(2):
        reasoner = untrained(name, seed)
        expected = by_network(reasoner, graphs, 25)
        for short_rows in (ALWAYS, 50, -1):
            lookup = lookup_of(reasoner, short_rows)
            for one, other in zip(execute(reasoner, graphs, limit=25, lookup=lookup), expected, strict=True):
                check_same(one, other)


@pytest.mark.parametrize(("rounds", "bits"), [(1, 5), (3, 1)])
def test_any_number_of_rounds_and_bits(rounds: int, bits: int) -> None:
    rng, algorithm = np.random.default_rng(6), find("tarjan")
    reasoner = untrained("tarjan", 1, rounds=rounds)
    reasoner = Reasoner(reasoner.spec, replace(reasoner.config, message_bits=bits), key=jax.random.key(4))
    graphs = [algorithm.train(rng, n) for n in (1, 2, 3, 6, 6, 6, 6, 6)]
    for one, other in zip(
        execute(reasoner, graphs, limit=25, lookup=lookup_of(reasoner)), by_network(reasoner, graphs, 25), strict=True
    ):
        check_same(one, other)


def test_large_executions_are_right_and_take_no_rows() -> None:
    algorithm, run = find("dfs"), load("dfs")
    rng = np.random.default_rng(0)
    sparse = from_edges(rng.integers(0, 700, 3000), rng.integers(0, 700, 3000), 700)
    for graph in (sparse, path(300), complete(60)):
        execution = run.run(graph, keep_rows=False)
        assert execution.halted
        assert not execution.rows
        np.testing.assert_array_equal(execution.outputs["pi"], algorithm.run(graph)["pi"])
        assert len(execution.ops) == execution.steps


def test_a_situation_is_computed_once() -> None:
    run = load("quicksort")
    lookup = lookup_of(run.reasoner)
    graphs = [find("quicksort").test(np.random.default_rng(1), n) for n in (3, 9)]
    first = execute(run.reasoner, graphs, lookup=lookup)
    count = lookup.memory.tables.count
    again = execute(run.reasoner, graphs, lookup=lookup)
    assert lookup.memory.tables.count == count
    for one, other in zip(first, again, strict=True):
        check_same(one, other)


@pytest.mark.parametrize("limit", [1, 2, 7])
def test_a_step_limit_stops_it(limit: int) -> None:
    run = load("dfs")
    execution = run.run(path(9), limit=limit)
    assert (execution.halted, execution.steps, len(execution.rows["u"])) == (False, limit, limit)


def test_short_executions_do_without_compiled_functions_and_know_what_is_verified_after_them() -> None:
    run, algorithm = load("bridges"), find("bridges")
    lookup = lookup_executor(run.reasoner, run.verified)
    assert lookup is not None
    lookup.short_rows = 40
    compiled = []
    for n in (3, 5, 7, 9, 4):
        execution = execute(run.reasoner, [algorithm.test(np.random.default_rng(n), n)], lookup=lookup)[0]
        assert execution.halted
        assert execution.certified
        compiled.append(lookup.memory.is_compiled)
    assert not compiled[0]
    assert compiled[-1] == can_compile()
    assert compiled == sorted(compiled)


def test_what_is_computed_in_plain_python_does_not_become_verified() -> None:
    run = load("quicksort")
    assert run.verified is not None
    few = replace(untrained("quicksort", 1).config)
    reasoner = Reasoner(run.reasoner.spec, few, key=jax.random.key(0))
    lookup = LookupExecutor(SituationMemory(Tables(reasoner), verified=True))  # it knows no situation
    lookup.short_rows = 1
    graph = find("quicksort").test(np.random.default_rng(0), 9)
    for _ in range(3):
        assert execute(reasoner, [graph], limit=20, lookup=lookup)[0].uncertified_row == 1
    assert lookup.memory.is_compiled == can_compile()


@pytest.mark.parametrize("compile_it", [False, True] if can_compile() else [False])
@given(st.integers(1, 2000), st.lists(st.tuples(st.booleans(), st.integers(0, 1999)), max_size=60))
def test_a_set_knows_the_next_and_the_previous_element(compile_it: bool, n: int, changes: list[tuple[bool, int]]) -> None:
    insert, remove, following, preceding = map(compiled, SETS) if compile_it else SETS
    form = shape(n)
    words = form[-2] + form[-1]
    numbers = [0] * (HEADER + len(form) + words)
    numbers[AT_SHAPE], numbers[TREE_LEVELS] = HEADER, len(form) // 2
    numbers[HEADER : HEADER + len(form)] = form
    heap, base = np.array(numbers, np.int64), HEADER + len(form)
    heap = heap if compile_it else PlainHeap(heap.tolist(), {})
    there: set[int] = set()
    for put, x in changes:
        x %= n
        if put:
            insert(heap, base, x)
            there.add(x)
        elif x in there:
            remove(heap, base, x)
            there.discard(x)
        for at in (0, x, n - 1):
            assert following(heap, base, at) == min((y for y in there if y >= at), default=-1)
            assert preceding(heap, base, at) == max((y for y in there if y <= at), default=-1)


def test_it_takes_over_wherever_a_network_is_run(monkeypatch: pytest.MonkeyPatch) -> None:
    def by_network(*arguments: object, **named: object) -> None:
        raise AssertionError("the network computed a row")

    monkeypatch.setattr(module, "_execute_by_network", by_network)
    run, algorithm, rng = load("dfs"), find("dfs"), np.random.default_rng(0)
    assert run.run(path(4)).certified
    assert isinstance(examiner_of(run.reasoner), BySituation)
    if can_compile():  # in plain Python, many graphs together are run faster by XLA
        assert run.evaluate([9], 12)[0].graph_accuracy == 1
        assert score(run.reasoner, sample(algorithm, algorithm.test, 9, 12, rng)).graph_accuracy == 1  # as validation does


def test_a_run_with_another_network_looks_up_that_networks_situations() -> None:
    run = load("dfs")
    assert run.lookup is not None
    other = replace(run, reasoner=jax.tree.map(lambda leaf: leaf, run.reasoner)).lookup
    assert other is not None
    assert other.memory.tables is not run.lookup.memory.tables
    assert not other.memory.verified


INTERRUPTED = """
import os, signal, sys, threading, time
import numpy as np
from recursor.execution.lookup.compiled import can_compile
from recursor.graphs.graph import from_edges
from recursor.training.loading import load

assert can_compile() == bool(int(sys.argv[2]))
signal.signal(signal.SIGINT, signal.default_int_handler)  # where the tests run in the background, it is ignored
n = 60_000 if can_compile() else 3_000
if sys.argv[1] == "dfs":  # a path, whose rows are quick, leads to a star, in which a row visits all leaves
    leaves = np.arange(n // 2, n)
    ends = [*range(n // 2 - 1), *[n // 2 - 1] * len(leaves)], [*range(1, n // 2), *leaves]
    graph = from_edges(np.array(ends[0]), np.array(ends[1]), n)
else:
    graph = np.random.default_rng(0).permutation(n).tolist()
sent = []

def interrupt():
    sent.append(time.process_time())
    os.kill(os.getpid(), signal.SIGINT)

def show(rows):
    if rows > (n if sys.argv[1] == "dfs" else 1) and not sent and threading.active_count() == 1:
        threading.Timer(0.02, interrupt).start()

try:
    load(sys.argv[1]).run(graph, keep_rows=False, progress=show)
except KeyboardInterrupt:
    print(time.process_time() - sent[0])
"""


@pytest.mark.parametrize("plainly", [False, True] if can_compile() else [True])
@pytest.mark.parametrize("name", ["dfs", "quicksort"])
def test_an_interrupt_is_heard_within_two_seconds(name: str, plainly: bool) -> None:
    """Seconds of this process, so that a busy machine does not matter."""
    environment = os.environ | ({"NUMBA_DISABLE_JIT": "1"} if plainly else {})
    command = [sys.executable, "-c", INTERRUPTED, name, str(int(not plainly))]
    shown = subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout
    assert shown, "the execution was over before it was interrupted"
    assert float(shown) < 2


PLAINLY = """
import sys
import numpy as np
from recursor.algorithms import find
from recursor.training.loading import load
for name in ("dfs", "quicksort"):
    graph = find(name).test(np.random.default_rng(2), 20)
    execution = load(name).run(graph)
    assert execution.halted and execution.certified
    for output, values in find(name).run(graph).items():
        assert np.array_equal(execution.outputs[output], values)
    load(name).run(find(name).test(np.random.default_rng(2), 400))
assert "numba" not in sys.modules
"""


def test_it_runs_without_numba() -> None:
    subprocess.run([sys.executable, "-c", PLAINLY], check=True, env=os.environ | {"NUMBA_DISABLE_JIT": "1"})


def test_loading_and_solving_compile_nothing_where_situations_are_kept(caplog: pytest.LogCaptureFixture) -> None:
    with jax.log_compiles():
        execution = load("dfs").run(path(5))
    assert execution.certified
    assert not [record.message for record in caplog.records if "Compiling" in record.message]
