"""How an algorithm is drawn: the layout of its inputs, and the picture of its answer.

Both belong to the declaration of an algorithm, so that pages, pictures and terminals show an algorithm of your own as they
show those that come with Recursor.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any, Literal

import numpy as np

from recursor.graphs.graph import Graph
from recursor.recording.words import Words
from recursor.spec import Field

Layout = Literal["graph", "tree", "bars", "text", "times"]
"""Where nodes are drawn: by their edges; as a tree, parents above their children; as bars in a line, as high as the first
number that each node has; in lines from left to right, as a text is written; or the further right the larger this number is,
with connected nodes on one line, as intervals of time are drawn."""

MOST_LISTED, MOST_LETTERS = 24, 240
"""How many items of an answer a sentence lists, and with how many letters."""


@dataclass(frozen=True)
class Picture:
    """The picture of an answer: a sentence, and marks on nodes and edges. Nodes are indices.

    Example:
        >>> Picture("1 bridge: a–b", edges=((0, 1),), edge_word="bridge").edge_word
        'bridge'
    """

    sentence: str
    """The answer in words, with the names of the nodes."""
    groups: Sequence[Sequence[int]] = ()
    """Sets of nodes; each has a colour of its own."""
    group_words: Sequence[str] = ()
    """What each group is called; by default they are numbered."""
    nodes: Sequence[int] = ()
    """Highlighted nodes."""
    node_word: str = ""
    """What a highlighted node is."""
    edges: Sequence[tuple[int, int]] = ()
    """Highlighted edges."""
    edge_word: str = ""
    """What a highlighted edge is."""
    arrows: bool = False
    """Whether highlighted edges have a direction."""
    order: Sequence[int] = ()
    """The nodes in the order of the answer, which numbers them; bars are put into it."""
    order_word: str = "place in the order"
    """What the number of a node is."""
    labels: Mapping[int, str] = field(default_factory=dict)
    """A word for each of some nodes."""


def listed(items: Iterable[object], nothing: str = "none") -> str:
    """Returns items as a list in words.

    Args:
        items: Anything.
        nothing: What is returned if there are none.

    Returns:
        The items with commas between them; the first few if there are many, or if they are long.

    Example:
        >>> listed(["a", "b"])
        'a, b'
    """
    words = [str(item) for item in items]
    ends = accumulate(len(word) + 2 for word in words)
    count = sum(place < MOST_LISTED and (not place or end <= MOST_LETTERS) for place, end in enumerate(ends))
    more = len(words) - count
    return ", ".join(words[:count]) + (f" and {more} more" if more else "") or nothing


def number_text(value: float) -> str:
    """Returns a number as a person writes it: whole numbers without a point, others with all their digits if these are at
    most nine, else with six.

    Example:
        >>> number_text(3.0), number_text(12345.678), number_text(1 / 3)
        ('3', '12345.678', '0.333333')
    """
    if float(value).is_integer() and abs(value) < 1e15:
        return str(int(value))
    whole = f"{value:.9g}"
    return whole if float(whole) == value else f"{value:.6g}"


def picture_of_outputs(fields: Sequence[Field], words: Words, graph: Graph, outputs: Mapping[str, np.ndarray]) -> Picture:
    """Returns the picture that follows from the kinds of the outputs alone.

    Args:
        fields: The outputs of the algorithm.
        words: Its words.
        graph: The graph.
        outputs: The values of the outputs.

    Returns:
        Masks highlight nodes, pointers are edges, categories are groups; the outputs of the graph are the sentence.
    """
    sentences: list[str] = []
    marks: dict[str, Any] = {}
    names = graph.names
    for one in fields:
        values = np.atleast_1d(outputs[one.name]).tolist()
        kinds = words.categories.get(one.name, ())
        if one.place == "graph":
            value = values[0]
            word = names[value] if one.kind == "pointer" and value >= 0 else kinds[value] if value < len(kinds) else value
            sentences.append(f"{one.name}: {word}")
            if one.kind == "pointer" and value >= 0:
                marks |= {"nodes": [*marks.get("nodes", ()), value], "node_word": one.name}
        elif one.kind == "mask":
            hit = [node for node, value in enumerate(values) if value]
            marks |= {"nodes": hit, "node_word": one.name}
            sentences.append(f"{one.name}: {listed(names[node] for node in hit)}")
        elif one.kind == "pointer":
            ends = [(other, node) for node, other in enumerate(values) if other not in (node, -1)]
            onward = one.name in words.onward
            marks |= {"edges": [(b, a) if onward else (a, b) for a, b in ends], "edge_word": one.name, "arrows": True}
        elif one.kind == "category":
            present = sorted(set(values))
            marks["groups"] = [[node for node, value in enumerate(values) if value == kind] for kind in present]
            marks["group_words"] = [kinds[kind] if kind < len(kinds) else f"{one.name} {kind}" for kind in present]
    return Picture("; ".join(sentences) or f"the {' and '.join(one.name for one in fields)} of every node", **marks)
