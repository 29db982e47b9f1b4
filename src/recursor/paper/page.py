"""The report page of the whole table: every experiment beside the paper's figures, its accuracy against the size of the
graph, and the memory and time of the runs."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from recursor.configurations.paper import BUDGETS, Block
from recursor.paper.experiments import BLOCKS, Experiment
from recursor.paper.tables import TITLES, Results, caption, cells, experiments_of, sizes
from recursor.report.charts import SHARE, Axis, Line, chart
from recursor.report.document import charts, document, paragraph, section, table, tiles
from recursor.report.figures import gigabytes

STYLES: Mapping[Block, int] = {"rollout": 0, "call-frames": 1, "variations": 2}
PAPER = 3


def table_page(budget: str, found: Results, seeds: Sequence[int]) -> bytes:
    """Returns the page, from the results so far."""
    spent = BUDGETS[budget]
    done, total = sum(map(len, found.values())), len(seeds) * sum(len(BLOCKS[block]) for block in spent.blocks)
    subtitle = (
        f"Eleven networks that learn depth-first search, in the {budget} budget: {spent.updates} updates of {spent.batch} "
        f"graphs of {min(spent.sizes)} to {max(spent.sizes)} nodes, from {len(seeds)} seed{'s' * (len(seeds) > 1)}. "
        f"{done} of {total} runs are in."
    )
    sections = [
        tiles(_headline(found, done, total)),
        section(
            "Accuracy against size",
            paragraph(
                "Nodes whose predecessor is right, against the size of the graph as a multiple of the largest in training: "
                f"{max(spent.sizes)} nodes here, {max(BUDGETS['paper'].sizes)} in the paper. Lines are means over seeds, "
                "bands reach from the worst seed to the best, and the empty diamonds are what the paper published."
            ),
            charts(_experiments(budget, found)),
        ),
        section("The experiments beside the paper's", *_tables("table", budget, found, seeds)),
        section("Memory and time", *_tables("costs", budget, found, seeds)),
        section("Every size", paragraph("The means over seeds, in percent."), *_sizes(budget, found)),
    ]
    return document(f"The paper's table, reproduced ({budget} budget)", subtitle, sections)


def _headline(found: Results, done: int, total: int) -> dict[str, str]:
    runs = [run for results in found.values() for run in results]
    figures = {"runs": f"{done} of {total}"}
    if runs:
        figures["hours of training"] = f"{sum(run['seconds'] for run in runs) / 3600:.1f}"
        figures["most memory of a run"] = gigabytes(max(run["peak_memory_bytes"] for run in runs))
    return figures


def _experiments(budget: str, found: Results) -> list[str]:
    """Returns a chart for each of the paper's experiments. All have the same axes, so that they can be compared."""
    by_number: dict[int, dict[Block, Experiment]] = {}
    for block, experiments in experiments_of(budget, found).items():
        for experiment in experiments:
            if experiment.name in found:
                by_number.setdefault(experiment.number, {})[block] = experiment
    times = Axis("times the largest training size", log=True, span=(0.5, 8), ticks=(0.5, 1, 2, 4, 8))
    figures = []
    for number, blocks in by_number.items():
        lines = [_line(_words(block, each), found[each.name], STYLES[block]) for block, each in blocks.items()]
        first = next(iter(blocks.values()))
        published = [float(figure.split()[0]) / 100 for figure in first.accuracy]
        lines.append(Line("the paper", [1, 3], published, style=PAPER))
        figures.append(chart(f"{number}  {first.words}", lines, times, SHARE, mark=1))
    return figures


def _words(block: Block, experiment: Experiment) -> str:
    by = {"rollout": "trained by rollout", "call-frames": "trained by call frames", "variations": experiment.words}
    return by[block]


def _line(name: str, runs: Sequence[dict[str, Any]], style: int) -> Line:
    largest = max(runs[0]["config"]["sizes"])
    scores = [sorted(run["scores"], key=lambda score: score["nodes"]) for run in runs]
    accuracy = np.array([[score["node_accuracy"] for score in seed] for seed in scores])  # [seeds, sizes]
    return Line(
        name,
        [score["nodes"] / largest for score in scores[0]],
        accuracy.mean(0).tolist(),
        accuracy.min(0).tolist(),
        accuracy.max(0).tolist(),
        style,
    )


def _tables(kind: str, budget: str, found: Results, seeds: Sequence[int]) -> list[str]:
    (first, _, *headings), blocks = cells(kind, budget, found, len(seeds))
    tables = [table(TITLES[block], [first, "network", *headings], body, words=1) for block, body in blocks.items()]
    return [paragraph(caption(kind, budget, found, seeds)), *tables]


def _sizes(budget: str, found: Results) -> list[str]:
    """Returns tables with the numbers of the charts."""
    tables = []
    for block, experiments in experiments_of(budget, found).items():
        lines = []
        for experiment in experiments:
            if experiment.name in found:
                line = _line("", found[experiment.name], 0)
                lines.append([str(experiment.number), experiment.words, *(f"{100 * accuracy:.2f}" for accuracy in line.y)])
        marked = BUDGETS[budget].reported
        headings = ["experiment", "network", *(f"{n} nodes{' *' * (n in marked)}" for n in sizes(found))]
        tables.append(table(f"{TITLES[block]}; * are the sizes of the table above", headings, lines, words=1))
    return tables
