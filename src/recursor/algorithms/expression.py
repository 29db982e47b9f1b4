"""The value of an expression of *true*, *false*, *and*, *or*, *not* and parentheses, by a recursive-descent parser.

    disjunction  =  conjunction { or conjunction }
    conjunction  =  factor { and factor }
    factor       =  true | false | not factor | ( disjunction )

Each rule of the grammar is a function. The nodes are the words of the expression; `at` is the next one to read. A call
returns the value of the words that it has read.
"""

from recursor.algorithms.pictures import counted
from recursor.graphs.graph import Graph
from recursor.graphs.texts import (
    AND,
    EXPRESSIONS,
    LEFT,
    NOT,
    OR,
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

    def read() -> int:
        word = token[now.at]
        seen[now.at], now.at = 1, -1 if now.at + 1 == n else now.at + 1
        return word

    @record.recursive
    def disjunction(call):
        call.rule, call.value = DISJUNCTION, 0
        record.step()
        while True:
            call.value, call.stage = call.value | conjunction(), KNOWN
            record.step()
            if now.at < 0 or token[now.at] != OR:
                return call.value
            read()
            call.stage = NEXT
            record.step()

    @record.recursive
    def conjunction(call):
        call.rule, call.value = CONJUNCTION, 1
        record.step()
        while True:
            call.value, call.stage = call.value & factor(), KNOWN
            record.step()
            if now.at < 0 or token[now.at] != AND:
                return call.value
            read()
            call.stage = NEXT
            record.step()

    @record.recursive
    def factor(call):
        call.rule = FACTOR
        record.step()
        word = read()
        if word == NOT:
            call.stage = NEGATED
            record.step()
            call.value = 1 - factor()
        elif word == LEFT:
            call.stage = INSIDE
            record.step()
            call.value = disjunction()
            read()
        else:
            call.value = word
        call.stage = KNOWN
        record.step()
        return call.value

    record.step()
    return {"value": disjunction()}


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
    call=(Field("rule", "graph", "category", 4), Field("stage", "graph", "category", 4), Field("value", "graph", "mask")),
    returns=(Field("returned", "graph", "mask"),),
    outputs=(Field("value", "graph", "mask"),),
    collect=(Collect("value", at=None, value="returned"),),
    views={"discrete": ("rule", "stage", "value", "at", "seen", "returned", "stack_op")},
    train=any_expression,
    test=EXPRESSIONS["random"],
    unfit=no_expression,
    from_source=lambda source: as_expression(source) if is_text(source) else None,
    most_rows=lambda n: 100 + 30 * n,
    words=Words(
        meanings={"token": "one word of the expression", "value": "its value, false or true"},
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
        pointers={"at": "next word"},
    ),
    example=lambda: as_expression("not ( true and false ) or false"),
    layout="text",
    size=lambda graph: counted(len(graph), "word"),
    others=EXPRESSIONS,
    small_inputs=all_expressions,
    small_size=9,
    answer=lambda graph, outputs: bool(outputs["value"]),
    picture=lambda graph, outputs: Picture(f"the expression is {'true' if outputs['value'] else 'false'}"),
)
