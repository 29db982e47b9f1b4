"""A page that compares several training runs: scores, validations, losses, and what differs in the configurations."""

from collections.abc import Mapping
from dataclasses import asdict

from recursor.report.attempts import Attempts
from recursor.report.charts import SHARE, Axis, Line, binned, chart, number
from recursor.report.curves import UPDATES, column
from recursor.report.document import charts, document, paragraph, section, table
from recursor.report.figures import duration, flat, percent
from recursor.report.history import History

STYLES = 3
"""Lines that a chart can show so that they can be told apart."""


def comparison_page(histories: Mapping[str, History], attempts: Mapping[str, Attempts]) -> bytes:
    """Returns a page about several runs.

    Args:
        histories: The history of each run, by name.
        attempts: The scores of those runs that have weights.

    Returns:
        The page, which loads no external resources.

    Raises:
        ValueError: If there are more runs than a chart can show.
    """
    if len(histories) > STYLES:
        raise ValueError(
            f"a page compares at most {STYLES} runs, since more lines cannot be told apart, not {len(histories)}"
        )
    names = list(histories)
    return document(
        f"Comparison of {len(names)} runs",
        f"{', '.join(names)}.",
        [
            section("Scores", _summary(histories, attempts)),
            section("Accuracy against size", *_accuracy(histories, attempts)),
            section("Training", *_training(histories)),
            section("Configuration", *_differences(histories)),
        ],
    )


def _summary(histories: Mapping[str, History], attempts: Mapping[str, Attempts]) -> str:
    headings = ["run", "updates", "time of training", "best validation", "graphs right at the largest size"]
    lines = []
    for name, history in histories.items():
        best = percent(history.best["validation"]) if history.best else "none yet"
        scores = attempts[name].scores[-1] if name in attempts else None
        right = f"{percent(scores.graph_accuracy)} at {scores.nodes} nodes" if scores else "no weights yet"
        lines.append([name, UPDATES.format_value(history.updates), duration(history.seconds), best, right])
    return table("The runs", headings, lines)


def _accuracy(histories: Mapping[str, History], attempts: Mapping[str, Attempts]) -> list[str]:
    if not attempts:
        return [paragraph("Nothing was evaluated: no run has a checkpoint yet.")]
    sizes = sorted({score.nodes for found in attempts.values() for score in found.scores})
    nodes = Axis("nodes of the graph", log=True, ticks=sizes)
    pictures = []
    for title, field in (("Whole graphs right", "graph_accuracy"), ("Nodes right", "node_accuracy")):
        lines = [
            Line(name, [s.nodes for s in attempts[name].scores], [getattr(s, field) for s in attempts[name].scores], style=k)
            for k, name in enumerate(histories)
            if name in attempts
        ]
        if any(share < 1.0 for line in lines for share in line.y):  # else it would be a flat line
            pictures.append(chart(title, lines, nodes, SHARE))
    alone = paragraph(f"{' and '.join(attempts)} solve{'s' * (len(attempts) == 1)} every graph of every size.")
    body = [[str(size), *(_right_at(attempts.get(name), size) for name in histories)] for size in sizes]
    shown = charts(pictures) if pictures else alone
    return [shown, table("Whole graphs right, by size", ["nodes", *histories], body)]


def _right_at(attempts: Attempts | None, size: int) -> str:
    scores = attempts.scores if attempts else []
    return next((percent(score.graph_accuracy) for score in scores if score.nodes == size), "–")


def _training(histories: Mapping[str, History]) -> list[str]:
    trained = {name: history for name, history in histories.items() if history.losses}
    if not trained:
        return [paragraph("There are no metrics yet.")]
    whole = Axis("updates", span=(0, max(history.updates for history in trained.values())), format_value=number)
    styles = {name: place for place, name in enumerate(histories)}
    losses = [
        binned(name, column(history.losses, "update"), column(history.losses, "loss"), style=styles[name])
        for name, history in trained.items()
    ]
    validations = [
        Line(name, column(h.validations, "update"), column(h.validations, "validation"), style=styles[name])
        for name, h in trained.items()
        if h.validations
    ]
    several = any(len(line.x) > 1 for line in validations)  # else it would be a point, which the table above has too
    return [
        charts(
            [
                *([chart("Validation: nodes right", validations, whole, SHARE)] if several else []),
                chart("Loss, the sum over all fields", losses, whole, Axis(log=True)),
            ]
        )
    ]


def _differences(histories: Mapping[str, History]) -> list[str]:
    configs = {name: flat(asdict(history.config)) for name, history in histories.items()}
    keys = dict.fromkeys(key for config in configs.values() for key in config)
    lines = [
        [key, *(config.get(key, "–") for config in configs.values())]
        for key in keys
        if len({config.get(key, "–") for config in configs.values()}) > 1
    ]
    if not lines:
        return [paragraph("The configurations are equal.")]
    return [paragraph("Only what differs is shown."), table("What differs", ["value", *configs], lines, words=len(configs))]
