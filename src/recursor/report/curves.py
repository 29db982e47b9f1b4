"""Charts and tables of a run's metrics: losses, validations, speed, and the accuracy of hints by validation and by row."""

from collections.abc import Mapping, Sequence

import numpy as np

from recursor.report.attempts import Attempts
from recursor.report.charts import SHARE, Axis, Line, binned, chart, number
from recursor.report.document import charts, folded, paragraph, table
from recursor.report.figures import percent
from recursor.report.history import History, Metrics
from recursor.spec import Spec

UPDATES = Axis("updates", format_value=lambda value: f"{value:,.0f}".replace(",", " "))
LISTED = 20  # lines of the table of losses


def training(history: History) -> list[str]:
    """Returns the section on loss, validation and speed."""
    spec, losses, validations = history.config.spec, history.losses, history.validations
    if not losses:
        return [paragraph("There are no metrics yet.")]
    at, validated_at = column(losses, "update"), column(validations, "update")
    loss = binned("loss", at, column(losses, "loss"))
    right = [
        Line("nodes right", validated_at, column(validations, "validation")),
        Line("whole graphs right", validated_at, column(validations, "validation/graphs"), style=1),
    ]
    speed = _speed(losses)
    seconds = np.array(column(losses, "seconds"))
    durations = np.diff(seconds, prepend=0.0)
    loss_lines = [
        [
            f"{losses[piece[0]]['update']:.0f} to {losses[piece[-1]]['update']:.0f}",
            number(float(durations[piece].mean())),
            *(number(float(np.mean(column([losses[k] for k in piece], name)))) for name in _names(spec, losses)),
        ]
        for piece in np.array_split(np.arange(len(losses)), min(LISTED, len(losses)))
    ]
    validation_lines = [
        [f"{line['update']:.0f}", *(_value(name, line.get(name, np.nan)) for name in _names(spec, validations))]
        for line in validations
    ]
    whole = Axis("updates", span=(0, max(at)), format_value=UPDATES.format_value)
    drawn = [
        chart("Loss, the sum over all fields", [loss], whole, Axis(log=True)),
        *([chart("Validation", right, whole, SHARE)] if len(validations) > 1 else []),
        chart("Seconds an update", [speed], whole, Axis(log=True)),
    ]
    return [
        charts(drawn),
        *(paragraph(_validation(line)) for line in validations if len(validations) == 1),
        paragraph(
            "Each point is the mean of several updates; the bands reach from the lowest value to the highest. Sizes take "
            "turns, so the losses go up and down with them. The times include validation and compilation."
        ),
        folded(
            "The losses and times in numbers",
            table("Means over updates", ["updates", "seconds", *_names(spec, losses)], loss_lines),
        ),
        folded(
            "The validations in numbers",
            table(
                "Validations; hints have the share that is right, scalars the mean absolute error",
                ["update", *(name.removeprefix("validation/") for name in _names(spec, validations))],
                validation_lines,
            ),
        )
        if validations
        else paragraph("There was no validation yet."),
    ]


def _validation(line: Metrics) -> str:
    """Returns a validation in words."""
    nodes, graphs = (percent(line[name]) for name in ("validation", "validation/graphs"))
    where = f"There was one validation, at update {line['update']:.0f}"
    return f"{where}: {nodes} of the nodes and {graphs} of the graphs were right."


def _speed(losses: Sequence[Metrics]) -> Line:
    """Returns the mean duration of an update, over pieces of the run."""
    seconds, updates = np.array(column(losses, "seconds")), np.array(column(losses, "update"))
    ends = np.unique(np.linspace(0, len(losses) - 1, min(40, len(losses))).round().astype(int))
    durations = np.diff(seconds[ends]) / np.maximum(np.diff(updates[ends]), 1)
    return Line("seconds", updates[ends][1:].tolist(), durations.tolist())


def fields(history: History) -> list[str]:
    """Returns the section on the loss of each field."""
    names = [name for name in _names(history.config.spec, history.losses) if name != "loss"]
    if not names:
        return [paragraph("There are no metrics yet.")]
    at = column(history.losses, "update")
    updates = Axis(span=(0, max(at)), format_value=UPDATES.format_value)
    figures = [
        chart(name, [binned("", at, column(history.losses, name))], updates, Axis(log=True), shape="small") for name in names
    ]
    return [paragraph("Loss against updates. Each chart has its own logarithmic scale."), charts(figures, "small")]


def hints(spec: Spec, history: History, attempts: Attempts | None) -> list[str]:
    """Returns the section on the accuracy of each hint."""
    parts = []
    scalars = {field.name for field in spec.hints if field.kind == "scalar"}
    names = [
        name for name in _names(spec, history.validations) if name.startswith("validation/") and name != "validation/graphs"
    ]
    if names:
        at = column(history.validations, "update")
        updates = Axis(span=(0, max(at)), format_value=UPDATES.format_value)
        found = {name.removeprefix("validation/"): column(history.validations, name) for name in names}
        parts += [
            paragraph(f"In the validations, against updates: {_meaning(scalars)}."),
            *_panels(found, at, updates, scalars, "in every validation"),
        ]
    if attempts:
        last = attempts.scores[-1]
        rows = Axis(span=(0, max(map(len, last.hints.values()))), format_value=number)
        found = {name: line for name, line in last.hints.items() if line}
        along = range(1, 1 + max(map(len, found.values()), default=0))
        parts += [
            paragraph(
                f"Row by row, on the test graphs of {last.nodes} nodes: {_meaning(scalars)}. `recursor evaluate --by-row` "
                "prints the numbers."
            ),
            *_panels(found, along, rows, scalars, "in every row", most=60),
            folded(
                "The hints in numbers",
                table(
                    "The mean over rows, for each size",
                    ["nodes", *last.hints],
                    [
                        [str(score.nodes), *(number(mean) for mean in score.hint_means().values())]
                        for score in attempts.scores
                    ],
                ),
            ),
        ]
    return parts or [paragraph("There was no validation yet.")]


def _panels(
    found: Mapping[str, Sequence[float]],
    x: Sequence[float],
    along: Axis,
    scalars: set[str],
    always: str,
    most: int = 100,
) -> list[str]:
    """Returns a chart of each hint that is wrong somewhere, and one sentence about the others, whose lines are flat."""
    flat = [name for name, values in found.items() if name not in scalars and min(values, default=1.0) == 1.0]
    figures = [_hint(name, x[: len(y)], y, along, scalars, most) for name, y in found.items() if name not in flat]
    sentence = [paragraph(f"Right {always}: {', '.join(flat)}.")] if flat else []
    return [*([charts(figures, "small")] if figures else []), *sentence]


def _hint(name: str, x: Sequence[float], y: Sequence[float], along: Axis, scalars: set[str], most: int = 100) -> str:
    scalar = name in scalars
    line = binned("", x, y, style=int(scalar), most=most)
    up = Axis(span=(0, max([*line.high, 1e-9]) * 1.05)) if scalar else SHARE
    return chart(f"{name}, error" if scalar else name, [line], along, up, shape="small")


def _meaning(scalars: set[str]) -> str:
    return "the share that is right" + ("; of a scalar, dashed, the mean absolute error" if scalars else "")


def _names(spec: Spec, lines: Sequence[Metrics]) -> list[str]:
    """Returns the names of the metrics: totals first, then the fields as the spec lists them."""
    names = [name for name in lines[0] if name not in ("update", "seconds")] if lines else []
    first = ["loss", "validation", "validation/graphs"]
    ranked = first + [f"{kind}{field.name}" for field in spec.hints for kind in ("", "validation/")]
    return sorted(names, key=lambda name: ranked.index(name) if name in ranked else len(ranked))


def column(lines: Sequence[Metrics], name: str) -> list[float]:
    """Returns the values of one metric; NaN where a line lacks it."""
    return [float(line.get(name, np.nan)) for line in lines]


def _value(name: str, value: float) -> str:
    return percent(value) if name in ("validation", "validation/graphs") else number(value)
