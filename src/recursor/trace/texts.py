"""Texts of the playground: what algorithms that read texts are given, as a person writes it."""

import numpy as np

from recursor.graphs.graph import Graph
from recursor.recording.algorithm import Algorithm
from recursor.trace.data import notes
from recursor.trace.layout import word_at_place


def example_text(algorithm: Algorithm) -> str | None:
    """Returns the example of an algorithm that reads texts as one writes it; None for all other algorithms.

    Example:
        >>> from recursor.algorithms import find
        >>> example_text(find("naive_string_matcher"))
        'ACGACGT ACGT'
    """
    if algorithm.layout != "text":
        return None
    graph = algorithm.example_graph()
    words = words_of(graph, algorithm)
    apart = " " if max(map(len, words)) > 1 else ""
    string = np.asarray(graph.values.get("string", np.zeros(len(graph), int)))
    text = " ".join(apart.join(np.array(words)[string == one].tolist()) for one in sorted({*string.tolist()}))
    return text if from_text(text, algorithm) == graph else None


def words_of(graph: Graph, algorithm: Algorithm) -> list[str]:
    """Returns the words of a text by node: what is written behind its place in a name such as 2:and, else its values."""
    named = [word_at_place(str(name)) for name in graph.names]
    if all(place for place, _ in named):
        return [word for _, word in named]
    return notes(graph, algorithm.spec(next(iter(algorithm.views))))


def from_text(text: str, algorithm: Algorithm) -> Graph | None:
    """Returns the graph of a text, or of several with spaces between them; None if the algorithm reads neither."""
    sources = (tuple(text.split()), " ".join(text.split()))
    return next((own for one in sources if (own := algorithm.from_source(one)) is not None), None)
