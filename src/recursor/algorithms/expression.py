"""The value of an expression of *true*, *false*, *and*, *or*, *not* and parentheses, by a recursive-descent parser.

    disjunction  =  conjunction { or conjunction }
    conjunction  =  factor { and factor }
    factor       =  true | false | not factor | ( disjunction )

Each rule of the grammar is a function. The nodes are the words of the expression; `at` is the next one to read. A call
returns the value of the part of the expression that it has read, and the first word of that part.
"""

from collections.abc import Mapping

import numpy as np

from recursor.algorithms.pictures import counted
from recursor.graphs.graph import Graph
from recursor.graphs.texts import (
    AND,
    EXPRESSIONS,
    LEFT,
    NOT,
    OR,
    RIGHT,
    TOKENS,
    all_expressions,
    any_expression,
    as_expression,
    is_text,
    no_expression,
)
from recursor.recording.algorithm import Algorithm
from recursor.recording.picture import Picture
from recursor.recording.recorder import Recorder
from recursor.recording.words import SEEN, Words
from recursor.spec import Collect, Field

OUTSIDE, DISJUNCTION, CONJUNCTION, FACTOR = range(4)  # the rule of a call
NEXT, KNOWN, NEGATED, INSIDE = range(4)  # its stage: it needs its next part, knows its value, has read "not" or "("


def expression(graph: Graph, record: Recorder) -> dict:
    n, token = len(graph), graph.values["token"].astype(int).tolist()
    (seen,) = record.nodes(seen=[0] * n)
    now = record.graph(at=0)
    values = [0] * n  # of the longest part that begins at each word

    def read() -> int:
        word = token[now.at]
        seen[now.at], now.at = 1, -1 if now.at + 1 == n else now.at + 1
        return word

    def finish(call) -> tuple[int, int]:
        values[call.first] = call.value
        return call.value, call.first

    @record.recursive
    def disjunction(call):
        call.rule, call.first, call.value = DISJUNCTION, now.at, 0
        record.step()
        while True:
            value, _ = conjunction()
            call.value, call.stage = call.value | value, KNOWN
            record.step()
            if now.at < 0 or token[now.at] != OR:
                break
            read()
            call.stage = NEXT
            record.step()
        return finish(call)

    @record.recursive
    def conjunction(call):
        call.rule, call.first, call.value = CONJUNCTION, now.at, 1
        record.step()
        while True:
            value, _ = factor()
            call.value, call.stage = call.value & value, KNOWN
            record.step()
            if now.at < 0 or token[now.at] != AND:
                break
            read()
            call.stage = NEXT
            record.step()
        return finish(call)

    @record.recursive
    def factor(call):
        call.rule, call.first = FACTOR, now.at
        record.step()
        word = read()
        if word == NOT:
            call.stage = NEGATED
            record.step()
            value, _ = factor()
            call.value = 1 - value
        elif word == LEFT:
            call.stage = INSIDE
            record.step()
            call.value, _ = disjunction()
            read()
        else:
            call.value = word
        call.stage = KNOWN
        record.step()
        return finish(call)

    record.step()
    disjunction()
    return {"value": values}


def picture(graph: Graph, outputs: Mapping[str, np.ndarray]) -> Picture:
    """Returns the picture of the values of all parts, each at its first word."""
    values, words = outputs["value"].tolist(), ("false", "true")
    firsts = np.flatnonzero(~np.isin(graph.values["token"], (AND, OR, RIGHT))).tolist()
    return Picture(
        f"the expression is {words[values[0]]}",
        groups=[[node for node in firsts if values[node] == which] for which in range(2)],
        group_words=("a part that begins here is false", "a part that begins here is true"),
        labels={node: words[values[node]] for node in firsts},
    )


EXPRESSION = Algorithm(
    name="expression",
    title="Parsing an expression",
    summary="The value of an expression of true, false, and, or, not and parentheses.",
    function=expression,
    inputs=("pos", Field("token", "node", "category", len(TOKENS))),
    shared=(
        Field("seen", "node", "mask"),
        Field("at", "graph", "pointer", null=True),
    ),
    call=(
        Field("rule", "graph", "category", 4),
        Field("stage", "graph", "category", 4),
        Field("first", "graph", "pointer", null=True),
        Field("value", "graph", "mask"),
    ),
    returns=(Field("returned", "graph", "mask"), Field("part", "graph", "pointer", null=True)),
    outputs=(Field("value", "node", "mask"),),
    collect=(Collect("value", at="part", value="returned"),),
    views={"discrete": ("rule", "stage", "first", "value", "at", "seen", "returned", "part", "stack_op")},
    train=any_expression,
    test=EXPRESSIONS["random"],
    unfit=no_expression,
    from_source=lambda source: as_expression(source) if is_text(source) else None,
    most_rows=lambda n: 100 + 30 * n,
    words=Words(
        meanings={
            "token": "one word of the expression",
            "value": "the value of the longest part that begins at this word; false if none does",
        },
        source="a text, such as 'not ( true and false )'",
        answer="the value, True or False",
        categories=SEEN
        | {
            "token": TOKENS,
            "rule": ("before the expression", "disjunction", "conjunction", "factor"),
            "stage": ("next part", "value is known", "negated", "in parentheses"),
            "value": ("false", "true"),
            "returned": ("false", "true"),
        },
        pointers={"at": "next word", "first": "first word of the current part", "part": "first word of the finished part"},
    ),
    example=lambda: as_expression("not ( true and false ) or false"),
    layout="text",
    size=lambda graph: counted(len(graph), "word"),
    others=EXPRESSIONS,
    small_inputs=all_expressions,
    small_size=9,
    answer=lambda graph, outputs: bool(outputs["value"][0]),
    picture=picture,
)
