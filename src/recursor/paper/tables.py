"""Tables of the results. The same results give the same bytes.

table.md, table.tex  node accuracy at the largest training size and three times it, beside the paper's
summary.md           table.md without ticks and crosses
sizes.md             node accuracy at every size
departures.md        figures that differ from the paper's by more than two standard deviations
costs.md, costs.tex  peak memory and time of training, beside the paper's

`report.py` adds sizes.svg, the plot (`plot.py`), and report.html, a page with all of it (`page.py`).
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from recursor.configurations.paper import BUDGETS, Block
from recursor.paper import results
from recursor.paper.experiments import BLOCKS, Experiment, ticks
from recursor.paper.jobs import Job

Results = Mapping[str, Sequence[dict[str, Any]]]
"""For each experiment, by name, the results of the seeds so far."""

TITLES: dict[Block, str] = {
    "rollout": "Trained by rollout, as in the paper",
    "call-frames": "Trained by call frames, on true hints in every row",
    "variations": "Variations, trained by rollout",
}
TICKS = len(ticks(BLOCKS["rollout"][0].config))
MARKS = {True: "✓", False: "✗", None: "n/a"}
NOT_RUN = "not run yet"
TEX = {
    "✓": r"\checkmark",
    "✗": r"$\times$",
    "±": r"$\pm$",
    "φ": r"$\phi$",
    "–": "--",
    "%": r"\%",
    "&": r"\&",
    "_": r"\_",
    "#": r"\#",
}


def read_all(jobs: Sequence[Job]) -> Results:
    """Reads the results so far. Refuses a damaged result."""
    found: dict[str, list[dict[str, Any]]] = {}
    for job in jobs:
        result = results.read(job.results, job.config)
        if result is not None:
            found.setdefault(job.name, []).append(result)
    return found


def sizes(found: Results) -> list[int]:
    """Returns all sizes that were tested."""
    return sorted({score["nodes"] for runs in found.values() for run in runs for score in run["scores"]})


def cell(values: Sequence[float], seeds: int) -> str:
    """Returns mean and standard deviation as text, with the number of seeds if some are missing."""
    if not values:
        return NOT_RUN
    part = "" if len(values) == seeds else f" ({len(values)} of {seeds})"
    deviation = f" ± {np.std(values):.2f}" if len(values) > 1 else ""
    return f"{np.mean(values):.2f}{deviation}{part}"


def _at(nodes: int) -> Callable[[dict[str, Any]], float]:
    return lambda result: 100 * next(score["node_accuracy"] for score in result["scores"] if score["nodes"] == nodes)


Column = tuple[str, Callable[[dict[str, Any]], float] | None, Callable[[Experiment], str]]
"""A heading; the figure measured here, None for a column of the paper's figures; and the paper's figure."""


def _columns(kind: str, budget: str, found: Results) -> list[Column]:
    if kind == "costs":
        return [
            ("GB", lambda result: result["peak_memory_bytes"] / 1e9, lambda experiment: ""),
            ("paper, GB", None, lambda experiment: experiment.memory),
            ("minutes", lambda result: result["seconds"] / 60, lambda experiment: ""),
            ("paper, minutes", None, lambda experiment: experiment.minutes),
        ]
    if kind == "sizes":
        return [(f"{nodes} nodes", _at(nodes), lambda experiment: "") for nodes in sizes(found)]
    columns: list[Column] = []
    pairs = zip(BUDGETS[budget].reported, BUDGETS["paper"].reported, strict=True)
    for place, (here, in_paper) in enumerate(pairs):
        columns.append((f"{here} nodes", _at(here), lambda experiment: ""))
        columns.append((f"paper, {in_paper} nodes", None, lambda experiment, place=place: experiment.accuracy[place]))
    return columns


def experiments_of(budget: str, found: Results) -> dict[Block, list[Experiment]]:
    """Returns the experiments that have a result, by block; at the paper's sizes all of the budget, to show what is
    missing."""
    spent = BUDGETS[budget]
    whole = spent.blocks if spent.reported == BUDGETS["paper"].reported else ()
    blocks: dict[Block, list[Experiment]] = {
        block: [each for each in experiments if block in whole or each.name in found]
        for block, experiments in BLOCKS.items()
    }
    return {block: experiments for block, experiments in blocks.items() if experiments}


def cells(kind: str, budget: str, found: Results, seeds: int) -> tuple[list[str], dict[Block, list[list[str]]]]:
    """Returns the headings, and the lines of each block."""
    columns = _columns(kind, budget, found)
    blocks: dict[Block, list[list[str]]] = {}
    for block, experiments in experiments_of(budget, found).items():
        blocks[block] = []
        for experiment in experiments:
            figures = []
            for _, measure, published in columns:
                values = [] if measure is None else [measure(result) for result in found.get(experiment.name, ())]
                figures.append(published(experiment) if measure is None else cell(values, seeds))
            marks = (MARKS[mark] for mark in ticks(experiment.config).values())
            blocks[block].append([str(experiment.number), experiment.words, *marks, *figures])
    return ["experiment", "", *ticks(BLOCKS["rollout"][0].config), *(heading for heading, _, _ in columns)], blocks


def caption(kind: str, budget: str, found: Results, seeds: Sequence[int]) -> str:
    """Returns the caption of a table."""
    spent = BUDGETS[budget]
    trained = (
        f"{spent.updates} updates of {spent.batch} graphs of {min(spent.sizes)} to {max(spent.sizes)} nodes, mean and "
        f"standard deviation over the seeds {', '.join(map(str, seeds))}"
    )
    if kind == "table":
        return (
            f"Test accuracy: nodes whose predecessor is right, in percent. Here: the {budget} budget, {trained}. The "
            f"networks are told the number of rows, as in the paper."
        )
    machines = {
        f"{', '.join(sorted(set(result['devices'])))}, {result['cores']} core{'s' * (result['cores'] > 1)} a run"
        for result in (result for runs in found.values() for result in runs)
    }
    where = f" on {'; '.join(sorted(machines))}" if machines else ""
    return (
        f"Peak memory and time of training. Here: the {budget} budget, {trained}{where}; without an accelerator, memory is "
        f"that of the whole process. The paper's are of a GPU and its own budget."
    )


def markdown(kind: str, budget: str, found: Results, seeds: Sequence[int]) -> list[str]:
    """Returns the lines of a table in Markdown."""
    headings, blocks = cells(kind, budget, found, len(seeds))
    lines = [caption(kind, budget, found, seeds)]
    for block, body in blocks.items():
        lines += ["", f"{TITLES[block]}:", ""]
        lines.append(f"| {' | '.join(headings)} |")
        lines.append("| ---: | --- |" + " :-: |" * TICKS + " ---: |" * (len(headings) - 2 - TICKS))
        lines += [f"| {' | '.join(line)} |" for line in body]
    return lines


def plain(kind: str, budget: str, found: Results, seeds: Sequence[int]) -> list[str]:
    """Returns the lines of a table without ticks and crosses, all blocks in one, in Markdown."""
    headings, blocks = cells(kind, budget, found, len(seeds))
    figures = slice(2 + TICKS, None)
    width = len(headings[figures])
    lines = [f"| experiment | | {' | '.join(headings[figures])} |", "| ---: | --- |" + " ---: |" * width]
    for block, body in blocks.items():
        if len(blocks) > 1:
            lines.append(f"| | *{TITLES[block]}* |" + " |" * width)
        lines += [f"| {' | '.join([*line[:2], *line[figures]])} |" for line in body]
    return lines


def departures(budget: str, found: Results) -> list[str]:
    """Returns the lines of a table, in Markdown, of the figures that differ from the paper's by more than two standard
    deviations: d = |m - m'| / √(s² + s'²) > 2, for mean m and standard deviation s here, m' and s' in the paper."""
    lines = [
        "| experiment | | nodes, here and paper | here | paper | difference | d |",
        "| ---: | --- | --- |" + " ---: |" * 4,
    ]
    for experiment in BLOCKS["rollout"]:
        runs = found.get(experiment.name, ())
        pairs = zip(BUDGETS[budget].reported, BUDGETS["paper"].reported, experiment.accuracy, strict=True)
        for here, in_paper, published in pairs:
            values = [_at(here)(run) for run in runs]
            mean, _, spread = published.partition(" ± ")
            if len(values) < 2:
                continue
            difference, deviation = np.mean(values) - float(mean), np.hypot(np.std(values), float(spread or 0))
            if abs(difference) > 2 * deviation:
                ratio = f"{abs(difference) / deviation:.1f}" if deviation else "∞"
                cells = (experiment.number, experiment.words, f"{here}, {in_paper}", cell(values, len(values)), published)
                lines.append(f"| {' | '.join(map(str, cells))} | {difference:+.2f} | {ratio} |")
    return lines


def _tex(text: str) -> str:
    return "".join(TEX.get(character, character) for character in text)


def tabular(
    label: str, caption: str, columns: str, headings: Sequence[str], blocks: Mapping[str, Sequence[Sequence[str]]]
) -> list[str]:
    """Returns the lines of a table in LaTeX, each block under its title. It needs the packages booktabs, amssymb and
    graphicx."""
    rotated = [rf"\rotatebox{{60}}{{{_tex(heading)}}}" if heading else "" for heading in headings]
    lines = [
        r"\begin{table*}",
        r"\centering",
        rf"\caption{{{_tex(caption)}}}",
        rf"\label{{tab:{label}}}",
        rf"\begin{{tabular}}{{{columns}}}",
        f"{' & '.join(rotated)} \\\\",
        r"\toprule",
    ]
    for place, (title, body) in enumerate(blocks.items()):
        lines += [r"\midrule"] * (place > 0)
        if title:
            lines += [rf"\multicolumn{{{len(headings)}}}{{l}}{{{_tex(title)}}} \\", r"\midrule"]
        lines += [f"{' & '.join(map(_tex, line))} \\\\" for line in body]
    return [*lines, r"\bottomrule", r"\end{tabular}", r"\end{table*}"]


def latex(kind: str, budget: str, found: Results, seeds: Sequence[int]) -> list[str]:
    """Returns the lines of a table in LaTeX."""
    headings, blocks = cells(kind, budget, found, len(seeds))
    titled = {TITLES[block]: body for block, body in blocks.items()}
    columns = f"rl{'c' * TICKS}{'r' * (len(headings) - 2 - TICKS)}"
    return tabular(f"{kind}-{budget}", caption(kind, budget, found, seeds), columns, headings, titled)


def to_bytes(lines: Sequence[str]) -> bytes:
    """Returns lines as the bytes of a file."""
    return "".join(f"{line}\n" for line in lines).encode()
