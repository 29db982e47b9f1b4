"""A trace as text: one line per row, or one row as a full screen. Both show the edges, a legend, and in the end the answer.

`watching.py` shows the screens one after the other.
"""

import textwrap
from collections.abc import Iterator, Sequence

from rich.columns import Columns
from rich.console import Group, RenderableType
from rich.layout import Layout
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from recursor.algorithms import find
from recursor.graphs.conditions import not_undirected
from recursor.spec import OPS
from recursor.trace.data import heights, size_text
from recursor.trace.shapes import short
from recursor.trace.source import source_of
from recursor.trace.trace import Trace

SIGNS = "○◎■▲⬢◆⬟▼"  # the categories 0, 1, 2, …, as the page draws them
VERDICTS = {"right": "✓", "near": "≈", "wrong": "✗"}
VERDICT_STYLES = {"right": "bold green", "near": "bold yellow", "wrong": "bold red"}
STYLES = ("dim", "bold yellow", "blue", "green", "magenta", "cyan", "yellow", "white")
OP_SIGNS = {"pop": "↓", "noop": "·", "push": "↑", "": ""}
LONGEST = 16


def plain(trace: Trace) -> Iterator[str]:
    """Returns every row as one line of text."""
    state = trace.state
    for row in range(len(trace)):
        pointers = [
            f"{field.name}={_short(trace.name(field, trace.rows[field.name][row]))}"
            for field in trace.spec.hints
            if field.name in trace.rows and field.place == "graph" and field.name not in ("stack_op", "done")
        ]
        nodes = "".join(_sign(value) for value in trace.rows[state.name][row].tolist()) if state else ""
        stack = " > ".join(_short_call(trace.call(frame)) for frame in trace.stack[row]) or "empty"
        mark = "" if trace.same[row] else "  ✗ not the classical row"
        yield f"{row:>4}  {_op(trace, row):<4}  {'  '.join(pointers)}  {nodes}  stack: {stack}{mark}"


def heading(trace: Trace, title: str) -> Iterator[str]:
    """Returns what stands before the rows: the title, the edges and the legend."""
    yield f"{title}, {size_text(trace.graph, find(trace.spec.algorithm))}"
    neighbours, sign = _neighbours(trace)
    for node, name in enumerate(trace.names):
        if neighbours[node]:
            yield f"  {_short(name)} {sign} {', '.join(_short(trace.names[other]) for other in neighbours[node])}"
    yield "legend: " + "   ".join(f"{sign} {words}" for sign, words in _legend(trace))


def result(trace: Trace) -> str:
    """Returns the answer and whether it is right."""
    kind, words = trace.verdict()
    return f"{VERDICTS[kind]} answer: {trace.picture.sentence} ({words})"


def screen(trace: Trace, row: int, title: str, width: int, height: int) -> RenderableType:
    """Returns one row as a full screen. The last row also shows the answer."""
    op = _op(trace, row)
    head = Text.assemble(
        (f" {OP_SIGNS[op]} {op} ", "reverse bold") if op else "",
        f" {short(trace.happening(row), width)}",
        ("" if trace.same[row] else "  ✗ not what the classical algorithm does", "bold red"),
    )
    head.truncate(width, overflow="ellipsis")
    layout = Layout()
    layout.split_column(Layout(name="head", size=3), Layout(name="body"), Layout(name="foot", size=3))
    room = max(1, height - 8)
    kind, _ = trace.verdict()
    answer = Text(short(result(trace), width), VERDICT_STYLES[kind]) if row == len(trace) - 1 else Text("")
    layout["head"].update(Group(Text(short(f"{title}: row {row} of {len(trace) - 1}", width), "bold"), head, answer))
    if width < 72:
        layout["body"].split_row(
            Layout(_panel("graph", _nodes(trace, row, room, width // 2)), ratio=3), Layout(name="stack", ratio=2)
        )
    else:
        layout["body"].split_row(
            Layout(_panel("graph", _nodes(trace, row, room, width // 2)), ratio=5),
            Layout(name="stack", ratio=3),
            Layout(name="side", ratio=4),
        )
        layout["side"].split_column(
            Layout(_panel("row", _values(trace, row)), size=3 + len(trace.spec.hints)),
            Layout(_panel("source", _source(trace, row, max(1, room - 5 - len(trace.spec.hints))))),
        )
    layout["stack"].update(_panel(f"call stack: {len(trace.stack[row])}", _frames(trace, row, room)))
    keys = Text("← → step   space play   Home End   + - speed   q quit", "dim", no_wrap=True, overflow="ellipsis")
    layout["foot"].update(Group(_legend_text(trace, width), _depths(trace, row, width), keys))
    return layout


def _op(trace: Trace, row: int) -> str:
    return OPS[int(trace.ops[row])] if len(trace.ops) else ""


def _sign(value: int) -> str:
    return SIGNS[value % len(SIGNS)]


def _short(text: str) -> str:
    return short(text, LONGEST)


def _short_call(call: str) -> str:
    name, bracket, rest = call.partition("(")
    return f"{name}({_short(rest[:-1])})" if bracket else name


def _panel(title: str, content: RenderableType) -> Panel:
    return Panel(content, title=title, title_align="left", border_style="dim")


def _nodes(trace: Trace, row: int, height: int, width: int) -> RenderableType:
    """Lists the nodes in columns, each with its sign, the pointers at it and its edges, or its number as a bar. If not all
    fit, lists those around the current node."""
    state = trace.state
    bars = heights(trace.graph, trace.spec) if find(trace.spec.algorithm).layout == "bars" else []
    pointers: dict[int, list[str]] = {}
    for field in trace.spec.hints:
        if field.place == "graph" and field.kind == "pointer" and field.name in trace.rows:
            pointers.setdefault(int(trace.rows[field.name][row]), []).append(field.name)
    names = [_short(name) for name in trace.names]
    neighbours, sign = _neighbours(trace)
    longest = max(map(len, names)) + 12
    wide = max(1, width * 5 // 6 - 5)
    if len(names) > height:  # in columns
        wide = min(wide, longest + 2 + min(20, 2 * max(map(len, neighbours)) + 2))
    fit = height * max(1, width // wide)
    first = 0 if len(names) <= fit else max(0, min(len(names) - fit, next(iter(pointers), 0) - fit // 2))
    lines = []
    for node in range(first, min(len(names), first + fit)):
        value = int(trace.rows[state.name][row][node]) if state else 0
        wrong = _differs(trace, row, node)
        style = "bold red" if wrong else STYLES[value % len(STYLES)]
        text = Text.assemble((f"{_sign(value)} {names[node]}{' ✗' if wrong else ''} ", style), no_wrap=True)
        if node in pointers:
            text.append("◄ " + " ".join(pointers[node]), "reverse")
            text.append(" ")
        if bars:
            text.append("▇" * max(1, round(12 * bars[node])), style)
        elif neighbours[node]:
            text.append(f"{sign} {' '.join(names[other] for other in neighbours[node])}", "dim")
        text.truncate(max(8, wide), overflow="ellipsis")
        lines.append(text)
    return Columns(lines, column_first=True, padding=(0, 1))


def _neighbours(trace: Trace) -> tuple[list[list[int]], str]:
    """Returns the nodes that each node has an edge to, and the sign of an edge: – if all go both ways, else →."""
    return trace.graph.successors, "→" if not_undirected(trace.graph) else "–"


def _legend(trace: Trace) -> list[tuple[str, str]]:
    """Returns each sign with what it means."""
    algorithm, state = find(trace.spec.algorithm), trace.state
    words = algorithm.words.categories.get(state.name, ()) if state else ()
    signs = [(_sign(value), word) for value, word in enumerate(words)]
    pointers = [
        (f"◄ {field.name}", algorithm.words.pointers.get(field.name, ""))
        for field in trace.spec.hints
        if field.place == "graph" and field.kind == "pointer" and field.name in trace.rows
    ]
    edges = [(_neighbours(trace)[1], "edges")] if len(trace.graph.senders) else []
    return [*signs, *edges, *pointers]


def _legend_text(trace: Trace, width: int) -> Text:
    text = Text(no_wrap=True, overflow="ellipsis")
    for place, (sign, words) in enumerate(_legend(trace)):
        style = STYLES[place % len(STYLES)] if sign in SIGNS else "reverse" if sign.startswith("◄") else "dim"
        text.append(sign, style)
        text.append(f" {words}   ", "dim")
    text.truncate(width, overflow="ellipsis")
    return text


def _differs(trace: Trace, row: int, node: int) -> bool:
    truth = trace.truth
    if truth is None or row >= len(truth):
        return False
    discrete = [f.name for f in trace.spec.hints if f.place == "node" and f.kind != "scalar" and f.name in trace.rows]
    return any(trace.rows[name][row][node] != truth.rows[name][row][node] for name in discrete)


def _frames(trace: Trace, row: int, height: int) -> Text:
    """Lists the frames, the top one first, and above them the call that runs."""
    frames = [f"{_short_call(trace.call(frame))}  row {frame}" for frame in reversed(trace.stack[row])]
    running = trace.running(row)
    if len(frames) > height - 2:
        frames = [*frames[: max(0, height - 3)], f"… {len(frames) - max(0, height - 3)} more"]
    above = [(f"► {_short_call(running)}\n", "bold magenta")] if running else []
    return Text.assemble(
        *above, ("\n".join([*frames, "─ bottom" if frames else "─ nobody waits"]), "yellow" if frames else "dim")
    )


def _values(trace: Trace, row: int) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0))
    truth = trace.truth if trace.truth and row < len(trace.truth) else None
    for name in ("field", "predicted", "classical")[: 3 if trace.truth else 2]:
        table.add_column(name, no_wrap=True)
    for field in trace.spec.hints:
        if field.place == "graph" and field.name in trace.rows:
            cells = [Text(_short(trace.name(field, trace.rows[field.name][row])))]
            if trace.truth:
                cells.append(Text(_short(trace.name(field, truth.rows[field.name][row])) if truth else "–"))
            wrong = len(cells) == 2 and cells[0] != cells[1]
            table.add_row(Text(field.name), *cells, style="bold red" if wrong else "")
    return table


def _source(trace: Trace, row: int, height: int) -> Text:
    source = source_of(find(trace.spec.algorithm))
    current = source.marked(int(trace.lines[row])) - source.first
    first = max(0, min(len(source.lines) - height, current - height // 2))
    text = Text(no_wrap=True, overflow="ellipsis")
    shown = textwrap.dedent("\n".join(source.lines[first : first + height])).split("\n")
    for place, line in enumerate(shown, first):
        here = place == current
        text.append(f"{'►' if here else ' '} {line}\n", "reverse" if here else "dim")
    return text


def _depths(trace: Trace, row: int, width: int) -> Text:
    """Draws the depth of the stack over all rows as blocks, with this row marked."""
    blocks = " ▁▂▃▄▅▆▇█"
    depths = [len(stack) for stack in trace.stack]
    deepest = max(1, *depths)
    text = Text(no_wrap=True)
    columns = min(width, len(depths))
    for column in range(columns):
        rows: Sequence[int] = range(column * len(depths) // columns, max(1, (column + 1) * len(depths) // columns))
        block = blocks[round(8 * max(depths[r] for r in rows) / deepest)]
        here, wrong = row in rows, not all(trace.same[r] for r in rows)
        text.append("│" if here else block, "bold magenta" if here else "red" if wrong else "yellow")
    return text


def title_of(trace: Trace, name: str) -> str:
    """Returns the heading of a trace."""
    return f"{find(trace.spec.algorithm).title}: {name}"
