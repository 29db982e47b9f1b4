"""Naive string matching: where does a text of four letters contain another one for the first time? Loops, as tail recursion.

The nodes are the letters of the text and after them those of the needle, which `string` marks. The needle is tried at `s`:
`i` goes through the text from there, and `j` through the needle, as long as their letters are the `same`. `read` is the
letter at i, so that j compares its own letter with it and needs no message. Every place where the needle was tried is
marked, and every letter that i or j has passed. If the needle is nowhere, the answer is its first letter, as in CLRS-30. No
call needs a frame: the stack stays flat.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from recursor.algorithms.pictures import counted
from recursor.graphs.graph import Graph
from recursor.graphs.letters import TEXTS, all_texts, any_text, as_text, not_text, random_text
from recursor.recording.algorithm import Algorithm
from recursor.recording.picture import Picture
from recursor.recording.recorder import Recorder
from recursor.recording.words import Words
from recursor.spec import Collect, Field

OPEN, DIFFERENT, SAME = range(3)


def naive_string_matcher(graph: Graph, record: Recorder) -> dict:
    n, letter = len(graph), graph.values["key"].tolist()
    needle = graph.values["string"].tolist().index(1)

    @record.recursive
    def attempt(call, s, i, j):
        if i == needle:
            return needle
        show(call, s, i, j)
        record.step()
        return record.tail(compare, s, i, j)

    @record.recursive
    def compare(call, s, i, j):
        show(call, s, i, j)
        call.same = SAME if letter[i] == letter[j] else DIFFERENT
        record.step()
        if call.same == DIFFERENT:
            return record.tail(attempt, s + 1, s + 1, needle)
        return s if j == n - 1 else record.tail(attempt, s, i + 1, j + 1)

    def show(call, s, i, j):
        call.s, call.i, call.j, call.read, call.tried = s, i, j, 1 + letter[i], record.mask(range(s + 1))
        call.passed = record.mask([*range(i + 1), *range(needle, j + 1)])

    record.step()
    return {"match": attempt(0, 0, needle)}


def is_two_texts(source: Any) -> bool:
    """Returns whether a source is a text and a needle."""
    return isinstance(source, tuple | list) and len(source) == 2 and all(isinstance(part, str) for part in source)


def picture(graph: Graph, outputs: Mapping[str, np.ndarray]) -> Picture:
    """Returns the picture of the place at which the needle is found."""
    start, needle = int(outputs["match"]), int(np.count_nonzero(graph.values["string"]))
    if graph.values["string"][start]:
        return Picture("the text does not contain it")
    return Picture(f"it begins at place {start}", nodes=range(start, start + needle), node_word="found here")


NAIVE_STRING_MATCHER = Algorithm(
    name="naive_string_matcher",
    title="Naive string matching",
    summary="Where a text contains another one for the first time, by trying every place.",
    function=naive_string_matcher,
    inputs=("pos", Field("string", "node", "mask"), Field("key", "node", "category", 4)),
    shared=(),
    call=(
        *(Field(name, "graph", "pointer", null=True) for name in ("s", "i", "j")),
        *(Field(name, "node", "mask") for name in ("tried", "passed")),
        Field("read", "graph", "category", 5),
        Field("same", "graph", "category", 3),
    ),
    returns=(Field("returned", "graph", "pointer", null=True),),
    outputs=(Field("match", "graph", "pointer"),),
    collect=(Collect("match", at=None, value="returned"),),
    views={"discrete": ("s", "i", "j", "tried", "passed", "read", "same", "returned", "stack_op")},
    train=any_text,
    test=random_text,
    unfit=not_text,
    from_source=lambda source: as_text(*source) if is_two_texts(source) else None,
    most_rows=lambda n: 100 + 10 * n + n * n,
    largest=129,
    words=Words(
        meanings={
            "string": "whether the letter is of the text that is looked for",
            "key": "the letter",
            "match": "where the text begins that is looked for",
        },
        source="two texts: one that is searched, and one that is searched for",
        answer="the place at which it begins, counted from 0; None if it is nowhere",
        categories={
            "string": ("text", "needle"),
            "read": ("nothing", "letter 0", "letter 1", "letter 2", "letter 3"),
            "same": ("not compared yet", "different", "the same"),
            "tried": ("not tried yet", "tried"),
            "passed": ("to be read", "read"),
        },
        pointers={"s": "tried here", "i": "letter of the text", "j": "letter of the needle", "returned": "found"},
    ),
    example=lambda: as_text("ACGACGT", "ACGT"),
    layout="text",
    size=lambda graph: (
        f"{counted(int(np.count_nonzero(graph.values['string'] == 0)), 'letter')}, and "
        f"{counted(int(np.count_nonzero(graph.values['string'])), 'letter')} to be found in them"
    ),
    others=TEXTS,
    small_inputs=all_texts,
    small_size=6,
    answer=lambda graph, outputs: None if graph.values["string"][outputs["match"]] else int(outputs["match"]),
    picture=picture,
)
