import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recursor.algorithms import ALGORITHMS
from recursor.commands.table import Table
from recursor.configurations.paper import BUDGETS, Budget
from recursor.paper import cluster, family, processes, results, tables
from recursor.paper.experiments import BLOCKS, SEEDS, Experiment, select, ticks
from recursor.paper.jobs import Job, finish, read_job, seeds_first
from recursor.paper.plot import PLOTTED
from recursor.paper.report import report
from recursor.training import checkpoint
from recursor.training.config import TrainConfig

ROOT = Path(__file__).parents[2]
EXPERIMENTS = {experiment.name: experiment for block in BLOCKS.values() for experiment in block}
NAME, SIZES = (
    "call-frames/03-no-stack",
    ((4, 4), (2, 4)),
)  # the first size is that of the validations, and compiled with them


def tiny(seed: int) -> TrainConfig:
    """Trained in a second or two once it is compiled, with a checkpoint after every update."""
    config = EXPERIMENTS[NAME].config
    small = replace(config, network=replace(config.network, width=16), sizes=(4,), batch=4, updates=12, seed=seed)
    return replace(small, validate_every=1, validate_nodes=4, validate_graphs=4)


def tiny_job(root: Path, seed: int = 1) -> Job:
    place = f"{NAME.replace('/', '-')}-seed{seed}"
    return Job(NAME, "small", tiny(seed), root / "runs" / place, root / "results" / place, SIZES)


def outcome(job: Job) -> dict:
    """A result without what the clock and the memory say."""
    result = results.read(job.results, job.config)
    assert result is not None
    kept = {name: result[name] for name in ("name", "budget", "seed", "version", "updates", "best_validation", "config")}
    lines = [json.loads(line) for line in (job.results / "curve.jsonl").read_text().splitlines()]
    return kept | {"scores": without_seconds(result["scores"]), "curve": without_seconds(lines)}


def without_seconds(lines: list[dict]) -> list[dict]:
    return [{name: value for name, value in line.items() if name != "seconds"} for line in lines]


@pytest.fixture(scope="module", autouse=True)
def compile_once() -> None:
    os.environ["JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS"] = "0"


@pytest.fixture(scope="module")
def left_alone(tmp_path_factory: pytest.TempPathFactory) -> Job:
    job = tiny_job(tmp_path_factory.mktemp("left-alone"))
    assert processes.run([job], 1, lambda line: None) == []
    return job


# ---------------------------------------------------------------- runs


def start(root: Path) -> subprocess.Popen:
    code = f"""
from pathlib import Path
from recursor.paper import processes
from tests.paper.test_tables import tiny_job
assert processes.run([tiny_job(Path({str(root)!r}))], 1, print) == []
"""
    return subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)


def wait_for(happened: Callable[[], bool], seconds: float = 300) -> None:
    end = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.005)


def worker(job: Job) -> int | None:
    """The process that works on a job."""
    lock = job.directory.with_name(f"{job.directory.name}.lock")
    text = lock.read_text() if lock.exists() else ""
    return int(text) if text.endswith("\n") and alive(int(text)) else None


def alive(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def has_updates(job: Job, count: int) -> Callable[[], bool]:
    return lambda: checkpoint.updates(job.directory) >= count


def test_a_table_that_is_killed_and_started_again_ends_like_one_left_alone(left_alone: Job, tmp_path: Path) -> None:
    job = tiny_job(tmp_path)

    parent = start(tmp_path)  # the parent is killed: its jobs stop by themselves
    wait_for(has_updates(job, 2))
    killed = worker(job)
    assert killed is not None
    parent.kill()
    parent.wait()

    parent = start(tmp_path)  # at once: its job waits for the other to be gone
    wait_for(lambda: worker(job) not in (None, killed) and not alive(killed))
    wait_for(has_updates(job, 7))
    working = worker(job)
    parent.send_signal(signal.SIGINT)  # Ctrl-C: its jobs stop with it, after the update they are in
    parent.wait()
    assert working is None or not alive(working)

    parent = start(tmp_path)
    wait_for(lambda: worker(job) not in (None, working) or parent.poll() is not None)
    working = worker(job)
    if working is not None:
        os.kill(working, signal.SIGKILL)  # a job is killed: the parent starts it again
    assert parent.wait() == 0

    assert outcome(job) == outcome(left_alone)
    assert not list(job.results.glob(".*.tmp"))


def test_a_table_that_is_paused_and_killed_ends_like_one_left_alone(left_alone: Job, tmp_path: Path) -> None:
    job = tiny_job(tmp_path)
    work = job.directory.parent
    parent = start(tmp_path)
    wait_for(has_updates(job, 2))
    processes.pause(work)
    wait_for(lambda: worker(job) is None)  # no process is left, and no memory is taken
    assert parent.poll() is None
    processes.resume(work)
    wait_for(lambda: worker(job) is not None)
    processes.pause(work)
    parent.kill()  # while its job stops for the pause
    parent.wait()
    wait_for(lambda: worker(job) is None)

    parent = start(tmp_path)  # the pause has outlived it
    time.sleep(2)
    assert parent.poll() is None
    assert worker(job) is None
    processes.resume(work)
    assert parent.wait() == 0
    assert outcome(job) == outcome(left_alone)


def test_the_command_pauses_and_resumes_the_runs_of_its_directory(tmp_path: Path) -> None:
    command = Table(work=tmp_path / "runs", results=tmp_path / "results")
    for _ in range(2):  # either can be given again
        replace(command, pause=True)()
        assert processes.is_paused(tmp_path / "runs")
    for _ in range(2):
        replace(command, resume=True)()
        assert not processes.is_paused(tmp_path / "runs")
    assert not (tmp_path / "results").exists()


def test_idle_jobs_have_the_lowest_priority(left_alone: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    started = []
    popen = subprocess.Popen
    monkeypatch.setattr(subprocess, "Popen", lambda *args, **options: started.append(popen(*args, **options)) or started[-1])
    nice, sessions = [], []

    def look(_: float) -> None:
        nice.append(niceness(started[-1].pid))
        sessions.append(session_niceness(started[-1].pid))

    monkeypatch.setattr(time, "sleep", look)
    own = session_niceness(os.getpid())
    assert processes.run([left_alone], 1, lambda line: None, idle=True) == []
    assert 19 in nice
    assert own is None or 19 in sessions
    assert session_niceness(os.getpid()) == own


def session_niceness(process: int) -> int | None:
    """Returns the priority of a process's session; None where the kernel has no such thing, or the process is gone."""
    try:
        return int(Path(f"/proc/{process}/autogroup").read_text().split()[-1])
    except (OSError, IndexError):
        return None


def niceness(process: int) -> int | None:
    try:
        return os.getpriority(os.PRIO_PROCESS, process)
    except ProcessLookupError:
        return None


def test_experiments_are_trained_in_the_order_of_the_budget_or_as_asked(tmp_path: Path) -> None:
    budget = BUDGETS["paper-sizes"]
    jobs = seeds_first(select((), budget.blocks, budget.order), "paper-sizes", (1, 2), tmp_path, tmp_path)
    numbers = [(job.config.seed, EXPERIMENTS[job.name].number) for job in jobs]
    assert numbers == [(seed, number) for seed in (1, 2) for number in (10, 1, 2, 4, 5, 3, 11, 9, 6, 8, 7)]
    assert [experiment.number for experiment in select([10, 2], ["rollout"], budget.order)] == [10, 2]
    assert {experiment.name for experiment in select()} == set(EXPERIMENTS)


@given(
    losses=st.lists(st.floats(0, 1e6), min_size=1, max_size=300),
    every=st.integers(1, 50),
    points=st.integers(1, 60),
)
def test_a_thinned_curve_keeps_the_validations_and_the_means_of_the_losses(
    losses: list[float], every: int, points: int
) -> None:
    lines = []
    for update, loss in enumerate(losses, 1):
        lines.append({"update": update, "seconds": update / 2, "loss": loss})
        if update % every == 0:
            lines.append({"update": update, "seconds": update / 2, "validation": 0.5, "validation/time": None})
    metrics = "".join(json.dumps(line) + "\n" for line in lines).encode()
    thinned = [json.loads(line) for line in results.thin(metrics, points).splitlines()]
    kept = [line for line in thinned if "loss" in line]
    assert [line for line in thinned if "loss" not in line] == [line for line in lines if "loss" not in line]
    assert len(kept) == min(points, len(losses))
    assert [line["update"] for line in thinned] == sorted(line["update"] for line in thinned)
    assert kept[-1]["update"] == len(losses)
    ends = [0, *(line["update"] for line in kept)]
    for line, before in zip(kept, ends, strict=False):
        assert line["loss"] == pytest.approx(np.mean(losses[before : line["update"]]), rel=1e-3)
    if points >= len(losses):
        assert len(thinned) == len(lines)


def test_a_result_with_all_its_metrics_is_taken_over_with_a_curve(left_alone: Job, tmp_path: Path) -> None:
    result = results.read(left_alone.results, left_alone.config)
    assert result is not None
    plain = {name: value for name, value in result.items() if name not in ("files", "sha256")}
    beside = {name: (left_alone.directory / name).read_bytes() for name in ("config.json", "metrics.jsonl")}
    network = dict(plain["config"]["network"])
    old = {**network, "frame": network["frame_width"], "decoding": "at once"}  # the words of an older version
    del old["frame_width"]
    plain["config"] = {**plain["config"], "network": old, "trainer": "frames"}
    results.write(tmp_path / "old", results.pack(plain, beside))
    taken = replace(left_alone, results=tmp_path / "new")
    assert results.take(tmp_path / "old", taken.results, taken.config)
    assert outcome(taken) == outcome(left_alone)
    assert {path.name for path in taken.results.iterdir()} == {"config.json", "curve.jsonl", "result.json"}
    assert not results.take(tmp_path / "old", taken.results, taken.config), "what is there stays"
    with pytest.raises(ValueError, match="is of another configuration than"):
        results.take(tmp_path / "old", tmp_path / "newer", tiny(seed=2))
    assert not results.take(tmp_path / "nowhere", tmp_path / "newer", taken.config)


def test_what_is_done_is_skipped(left_alone: Job) -> None:
    before = {path: path.stat().st_mtime_ns for path in left_alone.results.iterdir()}
    assert left_alone.done()
    assert finish(left_alone) is None
    assert {path: path.stat().st_mtime_ns for path in left_alone.results.iterdir()} == before


def test_a_run_of_another_configuration_is_refused(left_alone: Job) -> None:
    other = replace(left_alone, config=tiny(seed=2))
    with pytest.raises(ValueError, match=r"result\.json is of another configuration"):
        other.done()
    with pytest.raises(ValueError, match="is a run of another configuration; choose another --work"):
        finish(replace(other, results=other.results / "elsewhere"))
    with pytest.raises(ValueError, match="has other test sizes; choose another --results"):
        replace(left_alone, sizes=SIZES[:1]).done()


def test_a_job_that_fails_is_told_and_the_others_are_done(left_alone: Job, tmp_path: Path) -> None:
    bad = tiny_job(tmp_path)
    bad.directory.mkdir(parents=True)
    (bad.directory / "config.json").write_text("{")
    said = []
    (failure,) = processes.run([bad, left_alone], 1, said.append)
    assert failure.startswith(f"{NAME}, seed 1: {bad.directory}/config.json is not JSON")
    assert f"{left_alone}: done, 1 of 2" in said


def test_a_job_goes_through_json_and_back(tmp_path: Path) -> None:
    for budget in BUDGETS:
        for job in seeds_first(list(EXPERIMENTS.values()), budget, SEEDS, tmp_path / "runs", tmp_path / "results"):
            assert read_job(job.to_json()) == job


def test_every_experiment_can_be_trained_in_every_budget_and_has_its_own_place(tmp_path: Path) -> None:
    for budget in BUDGETS:
        jobs = seeds_first(list(EXPERIMENTS.values()), budget, SEEDS, tmp_path, tmp_path)
        for job in jobs:
            job.config.check()
            assert set(BUDGETS[budget].reported) < {nodes for nodes, _ in job.sizes}
        assert len({job.results for job in jobs}) == len(jobs) == len(EXPERIMENTS) * len(SEEDS)


def test_as_many_run_at_once_as_the_machine_has_cores_and_memory_for(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    jobs = everything(tmp_path)
    monkeypatch.setattr(processes, "cores", lambda: list(range(32)))
    need = max(job.memory for job in jobs)
    for accelerated, count in ((False, 0), (False, 1), (False, 7), (False, 1000), (True, 1000)):
        monkeypatch.setattr(processes, "accelerated", lambda accelerated=accelerated: accelerated)
        monkeypatch.setattr(processes, "available_memory", lambda count=count: int(count * need / 0.9) + 10)
        assert processes.at_once(jobs) == (1 if accelerated else min(32, max(1, count)))


# ---------------------------------------------------------------- results and report


def invented(jobs: list[Job], seed: int = 0, accuracy: Mapping[int, float] = MappingProxyType({})) -> None:
    """Writes results that nobody measured, of any accuracy or of those at those sizes."""
    values = random.Random(seed)
    for job in jobs:
        scores = [
            {
                "nodes": nodes,
                "graphs": graphs,
                "node_accuracy": accuracy.get(nodes, values.random()),
                "hints": {"u": float("nan")},
            }
            for nodes, graphs in job.sizes
        ]
        result = {"name": job.name, "seed": job.config.seed, "devices": ["cpu"], "cores": 1, "scores": scores}
        costs = {"seconds": 1e4 * values.random(), "peak_memory_bytes": int(1e10 * values.random())}
        config = job.config.to_json()
        beside = {"config.json": config.encode(), "curve.jsonl": b'{"update": 1}\n'}
        results.write(job.results, results.pack(result | costs | {"config": json.loads(config)}, beside))


def everything(root: Path) -> list[Job]:
    return seeds_first(list(EXPERIMENTS.values()), "small", SEEDS, root / "runs", root / "results")


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> Job:
    job = everything(tmp_path_factory.mktemp("one"))[0]
    invented([job])
    return job


@given(data=st.data())
def test_a_result_that_is_cut_or_altered_is_refused_and_named(one: Job, data: st.DataObject) -> None:
    path = one.results / data.draw(st.sampled_from(["result.json", "curve.jsonl", "config.json"]))
    whole = path.read_bytes()
    place = data.draw(st.integers(0, len(whole) - 1))
    changed = data.draw(st.sampled_from([whole[:place], whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :]]))
    path.write_bytes(changed)
    try:
        with pytest.raises(ValueError, match=f"^{re.escape(str(path))} is damaged"):
            one.done()
        with pytest.raises(ValueError, match=re.escape(str(path))):
            report("small", [one])
    finally:
        path.write_bytes(whole)
    assert one.done()


@settings(max_examples=4)
@given(present=st.sets(st.integers(0, len(EXPERIMENTS) * len(SEEDS) - 1), min_size=1), seed=st.integers(0, 100))
def test_the_same_results_give_the_same_bytes_and_the_cells_are_their_means(
    present: set[int], seed: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    jobs = everything(tmp_path_factory.mktemp("report"))
    there = [jobs[index] for index in sorted(present)]
    invented(there, seed)
    files = report("small", jobs)
    assert report("small", jobs) == files
    found = {job: results.read(job.results, job.config) for job in there}
    for experiment in EXPERIMENTS.values():
        own = [result for job, result in found.items() if job.name == experiment.name and result]
        accuracy = {
            n: [100 * score["node_accuracy"] for r in own for score in r["scores"] if score["nodes"] == n] for n in (16, 48)
        }
        if not own:
            assert not lines_of(files["table.md"], experiment)
            assert not lines_of(files["costs.md"], experiment)
            continue
        (line,) = lines_of(files["table.md"], experiment)
        assert line[-4:] == [expected(accuracy[16]), experiment.accuracy[0], expected(accuracy[48]), experiment.accuracy[1]]
        (line,) = lines_of(files["costs.md"], experiment)
        memory, minutes = [r["peak_memory_bytes"] / 1e9 for r in own], [r["seconds"] / 60 for r in own]
        assert line[-4:] == [expected(memory), experiment.memory, expected(minutes), experiment.minutes]


def lines_of(table: bytes, experiment: Experiment) -> list[list[str]]:
    """The cells of an experiment in a Markdown table, if it is there."""
    (title,) = [tables.TITLES[block] for block, experiments in BLOCKS.items() if experiment in experiments]
    below = table.decode().partition(f"\n{title}:\n\n")[2].partition("\n\n")[0]
    found = [line for line in below.splitlines() if line.startswith(f"| {experiment.number} |")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in found]


def expected(values: list[float]) -> str:
    some = "" if len(values) == 3 else f" ({len(values)} of 3)"
    deviation = f" ± {np.std(values):.2f}" if len(values) > 1 else ""
    return f"{np.mean(values):.2f}{deviation}{some}"


PAPER_TICKS = """
1  n/a n/a ✓ ✗ ✓ n/a n/a
2  ✓ ✗ ✗ ✓ ✓ ✓ ✗
3  ✗ ✗ ✗ ✓ ✓ n/a n/a
4  ✓ ✗ ✓ ✓ ✓ ✓ ✗
5  ✗ ✗ ✓ ✓ ✓ n/a n/a
6  ✓ ✗ ✗ ✗ ✓ ✓ ✗
7  ✓ ✗ ✗ ✓ ✗ ✓ ✗
8  ✓ ✗ ✗ ✓ ✓ ✗ ✗
9  ✓ ✗ ✗ ✓ ✓ ✓ ✓
10 ✗ ✓ ✗ ✓ ✓ ✓ n/a
11 ✗ ✓ ✓ ✓ ✓ ✓ n/a
"""


def test_ticks_and_crosses_are_the_papers() -> None:
    lines = {int(line.split()[0]): line.split()[1:] for line in PAPER_TICKS.strip().splitlines()}
    for experiment in EXPERIMENTS.values():
        assert [tables.MARKS[mark] for mark in ticks(experiment.config).values()] == lines[experiment.number]


def test_departures_are_the_means_of_the_paper_that_are_further_than_two_deviations(tmp_path: Path) -> None:
    jobs = [job for job in everything(tmp_path) if job.name in ("paper/01-per-node-hints", "paper/10-node-stack")]
    near = {16: (99.6, 99.8, 100.0), 48: (90.0, 95.0, 100.0)}  # experiment 1: 99.79 ± 0.20, 53.92 ± 14.06
    exact = {16: (100.0,) * 3, 48: (99.0,) * 3}  # experiment 10: 100.00, 100.00
    for job in jobs:
        wanted = near if "hints" in job.name else exact
        invented([job], accuracy={nodes: values[job.config.seed - 1] / 100 for nodes, values in wanted.items()})
    lines = report("small", jobs)["departures.md"].decode().splitlines()[2:]
    assert lines == [
        "| 1 | per node hints | 48, 96 | 95.00 ± 4.08 | 53.92 ± 14.06 | +41.08 | 2.8 |",
        "| 10 | node stack | 48, 96 | 99.00 ± 0.00 | 100.00 | -1.00 | ∞ |",
    ]


def test_latex_has_the_figures_of_markdown(tmp_path: Path) -> None:
    jobs = everything(tmp_path)
    invented(jobs[:20])
    files = report("small", jobs)
    for kind in ("table", "costs"):
        text, words = files[f"{kind}.tex"].decode(), files[f"{kind}.md"].decode()
        assert text.count("{") == text.count("}")
        assert text.isascii()
        body = [line for line in text.splitlines() if re.match(r"\d+ &", line)]
        assert len(body) == len(EXPERIMENTS)
        assert {line.count(" & ") for line in body} == {12}
        figures = re.findall(r"\d+\.\d\d", words)
        assert figures
        assert re.findall(r"\d+\.\d\d", text) == figures


def test_the_plot_labels_each_of_its_lines_once_and_is_well_formed(tmp_path: Path) -> None:
    jobs = everything(tmp_path)
    for part, lines in ((jobs[1:2], 1), (jobs, len(PLOTTED))):
        invented(part)
        drawn = report("small", jobs)["sizes.svg"]
        ElementTree.fromstring(drawn)
        assert (drawn.count(b'class="line'), drawn.count(b'class="label"')) == (lines, lines)
    assert b"prefers-color-scheme: dark" in drawn
    heights = [float(height) for height in re.findall(rb'class="label" x="[\d.]+" y="([\d.]+)"', drawn)]
    assert min(np.diff(sorted(heights))) >= 16, "labels do not overlap"


def test_at_the_papers_sizes_what_is_missing_is_shown_as_missing(tmp_path: Path) -> None:
    jobs = seeds_first(select(), "paper-sizes", SEEDS, tmp_path / "runs", tmp_path / "results")
    invented([job for job in jobs if job.name == "paper/10-node-stack"][:2])
    lines = report("paper-sizes", jobs)["summary.md"].decode().splitlines()
    assert lines[0] == "| experiment | | 32 nodes | paper, 32 nodes | 96 nodes | paper, 96 nodes |"
    assert len(lines) == 2 + len(BLOCKS["rollout"])
    assert [line.count("not run yet") for line in lines[2:]] == [2] * 9 + [0, 2]
    assert lines[11].count("(2 of 3)") == 2


def test_the_page_has_the_figures_of_the_tables_and_a_chart_for_each_experiment(tmp_path: Path) -> None:
    jobs = everything(tmp_path)
    invented(jobs[: len(EXPERIMENTS) + 4])
    files = report("small", jobs)
    page = files["report.html"].decode()
    for kind in ("table", "costs"):
        for line in files[f"{kind}.md"].decode().splitlines():
            if re.match(r"\| \d", line):
                number, words, *cells = line.strip("| ").split(" | ")
                row = "".join(f"<td{' class=words' * (k == 0)}>{cell}</td>" for k, cell in enumerate([words, *cells]))
                assert f'<tr><th scope="row">{number}</th>{row}</tr>' in page
    assert page.count('<figure class="chart') == 11
    for style, block in enumerate(BLOCKS.values()):
        assert page.count(f'class="line s{style}"') == 2 * len(block), "each in its chart and its legend"
    assert f"{len(EXPERIMENTS) + 4} of {3 * len(EXPERIMENTS)} runs are in" in page


def test_the_page_has_each_accuracy_below_its_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(BUDGETS, "small", replace(BUDGETS["small"], tests=((48, 4), (8, 4), (16, 4))))
    jobs = everything(tmp_path)
    invented(jobs[:1])
    result = results.read(jobs[0].results, jobs[0].config)
    assert result
    accuracy = {score["nodes"]: f"{100 * score['node_accuracy']:.2f}" for score in result["scores"]}
    page = report("small", jobs)["report.html"].decode()
    assert "".join(f"<td>{accuracy[nodes]}</td>" for nodes in (8, 16, 48)) in page


@pytest.mark.parametrize("budget", BUDGETS)
def test_tables_plot_and_pages_are_what_the_kept_results_say(budget: str) -> None:
    kept = ROOT / "results" / f"table-{budget}"
    jobs = seeds_first(list(EXPERIMENTS.values()), budget, SEEDS, ROOT / "runs", kept)
    if not any(job.done() for job in jobs):
        pytest.skip(f"{kept} holds no result yet")
    files = report(budget, jobs, [ROOT / "results" / "table-exact" / f"dfs-seed{seed}" for seed in SEEDS])
    for name, data in files.items():
        assert (kept / name).read_bytes() == data, f"{name} is not made of the results: make tables"
    for page in (ROOT / "README.md", *(ROOT / "docs").glob("*.md")):
        for kind in (name.removesuffix(".md") for name in files if name.endswith(".md")):
            _, mark, rest = page.read_text().partition(f"<!-- table-{budget}/{kind} -->\n")
            if mark:
                assert rest.partition("<!-- end -->")[0].strip() == files[f"{kind}.md"].decode().strip(), (
                    f"{page}: make tables"
                )


# ---------------------------------------------------------------- the algorithms


def family_jobs(root: Path) -> list[Job]:
    return family.jobs_of(["all"], SEEDS, root / "runs", root / "results")


def test_every_algorithm_has_a_job_that_can_be_trained(tmp_path: Path) -> None:
    jobs = family_jobs(tmp_path)
    for job in jobs:
        job.config.check()
        assert read_job(job.to_json()) == job
    assert len({job.results for job in jobs}) == len(jobs) == len(ALGORITHMS) * len(SEEDS)
    assert family.jobs_of(["tarjan", "tarjan"], (1,), tmp_path, tmp_path)[0].name == "exact/tarjan"
    with pytest.raises(ValueError, match="no algorithm is called 'bogosort'"):
        family.jobs_of(["bogosort"], (1,), tmp_path, tmp_path)


def test_a_job_brings_the_file_of_its_algorithm() -> None:
    code = """
from pathlib import Path
from recursor.algorithms import register_file
from recursor.paper.family import jobs_of
register_file("examples/flood_fill.py")
print(jobs_of(["flood_fill"], (1,), Path("runs"), Path("results"))[0].to_json())
"""
    made = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    code = """
import sys
from recursor.algorithms import find
from recursor.paper.jobs import read_job
job = read_job(sys.stdin.read())
assert job.config.spec.algorithm == find("flood_fill").name
assert read_job(job.to_json()) == job
"""
    subprocess.run([sys.executable, "-c", code], cwd=ROOT.parent, input=made.stdout, text=True, check=True)


def test_the_table_of_the_algorithms_counts_what_is_right(tmp_path: Path) -> None:
    jobs = family_jobs(tmp_path)
    right: dict[str, list[int]] = {}
    values = random.Random(3)
    for job in jobs[::2]:
        counts = [values.randint(0, graphs) for _, graphs in job.sizes]
        scores = [
            {"nodes": nodes, "graphs": graphs, "graph_accuracy": count / graphs, "node_accuracy": 0.5}
            for count, (nodes, graphs) in zip(counts, job.sizes, strict=True)
        ]
        right[job.name] = [a + b for a, b in zip(right.get(job.name, [0] * len(counts)), counts, strict=True)]
        config = job.config.to_json()
        result = {"name": job.name, "updates": 400, "seconds": 60.0, "config": json.loads(config), "scores": scores}
        results.write(job.results, results.pack(result, {"config.json": config.encode()}))
    files = family.report(jobs)
    assert files == family.report(jobs)
    for name, counts in right.items():
        (line,) = [line for line in files["family.md"].decode().splitlines() if f"| {name.removeprefix('exact/')} |" in line]
        assert [int(count) for count in re.findall(r"(\d+)/", line)] == counts
        assert " 50.00 |" in line
    assert files["family.tex"].count(b"{") == files["family.tex"].count(b"}")


def test_the_table_of_the_algorithms_is_what_the_kept_results_say() -> None:
    kept = ROOT / "results" / "table-exact"
    jobs = family.jobs_of(["all"], SEEDS, ROOT / "runs", kept)
    try:
        done = any(job.done() for job in jobs)
    except ValueError as error:  # until `make family` has trained the networks of today
        pytest.skip(str(error))
    if not done:
        pytest.skip(f"{kept} holds no result yet")
    files = family.report(jobs)
    for name, data in files.items():
        assert (kept / name).read_bytes() == data, f"{name} is not made of the results: make tables"
    _, _, rest = (ROOT / "docs" / "family.md").read_text().partition("<!-- table-exact/family -->\n")
    assert rest.partition("<!-- end -->")[0].strip() == files["family.md"].decode().strip(), "docs/family.md: make tables"


# ---------------------------------------------------------------- the command


def test_the_command_does_what_is_missing_and_reports(
    left_alone: Job, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("recursor.configurations.named.configuration", lambda name, budget, seed: tiny(seed))
    monkeypatch.setattr(Budget, "reported", (4, 2))
    monkeypatch.setitem(BUDGETS, "small", replace(BUDGETS["small"], tests=SIZES))
    kept = tmp_path / "results"
    command = Table(seeds=(1,), experiments=(3,), blocks=("call-frames",), results=kept, work=left_alone.directory.parent)
    with pytest.raises(ValueError, match="holds no result yet"):
        replace(command, only_report=True)()
    command()
    assert "0 of 1 runs are done" in capsys.readouterr().err
    assert outcome(replace(left_alone, results=kept / left_alone.results.name)) == outcome(left_alone)
    made = {path: path.read_bytes() for path in kept.rglob("*") if path.is_file()}
    pages = {f"{kind}.md" for kind in ("table", "costs", "summary", "sizes", "departures")}
    pages |= {"table.tex", "costs.tex", "sizes.svg", "report.html"}
    assert {path.name for path in made} == {*pages, "result.json", "curve.jsonl", "config.json"}
    command()
    assert "1 of 1 runs are done" in capsys.readouterr().err
    for path in made:
        if path.parent == kept:
            path.unlink()
    replace(command, only_report=True)()
    assert {path: path.read_bytes() for path in made} == made


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"experiments": (1,), "algorithms": ("dfs",)}, "they cannot be combined with --algorithms"),
        ({"experiments": (12,)}, "the table has the experiments 1 to 11, and no experiment 12"),
        ({"pause": True, "resume": True}, "--pause and --resume are opposites"),
        ({"on": "ray", "idle": True}, "work on this machine only"),
        ({"seeds": ()}, "seeds must be one or more different numbers"),
        ({"seeds": (1, 1)}, "seeds must be one or more different numbers"),
        ({"jobs": 0}, "jobs must be at least 1, not 0"),
    ],
)
def test_a_wrong_option_is_refused_before_any_work(options: dict, message: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=message):
        Table(results=tmp_path / "results", work=tmp_path / "runs", **options)()
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_a_cluster_of_which_a_worker_is_killed_gives_the_same_results(tmp_path: Path) -> None:
    ray = pytest.importorskip("ray")
    jobs, alone = ([tiny_job(tmp_path / place, seed) for seed in (1, 2)] for place in ("cluster", "alone"))
    assert processes.run(alone, 1, lambda line: None) == []
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        killer = subprocess.Popen([sys.executable, "-c", KILL, str(tmp_path / "cluster")], cwd=ROOT)
        assert cluster.run(jobs, None, lambda line: None) == []
        assert killer.wait() == 0, "a worker was killed"
    finally:
        ray.shutdown()
    assert [outcome(job) for job in jobs] == [outcome(job) for job in alone]


KILL = """
import os, signal, sys
from pathlib import Path
from tests.paper.test_tables import has_updates, tiny_job, wait_for, worker
job = tiny_job(Path(sys.argv[1]))
wait_for(has_updates(job, 3))
os.kill(worker(job), signal.SIGKILL)
"""
