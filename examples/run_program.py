"""Runs a network that `recursor compile NAME` wrote, with nothing but Python: every step is a table entry.

recursor compile dfs
python examples/run_program.py dfs.json 0-1 1-2 0-3      the edges
python examples/run_program.py quicksort.json 5 2 9 1    the keys
"""

import json
import sys
from functools import reduce
from operator import or_


def hear(words, bits, into, out, orders):
    """What each node hears: from in-neighbours, out-neighbours, everyone, all before it, and in further orders."""
    every, part = range(len(words)), lambda node, kind: words[node] >> kind * bits & (1 << bits) - 1
    everyone = reduce(or_, (part(j, 2) for j in every)) << 2 * bits
    heard = [everyone | reduce(or_, (part(j, 0) for j in into[i]), 0) for i in every]
    heard = [word | reduce(or_, (part(j, 1) for j in out[i]), 0) << bits for i, word in enumerate(heard)]
    passes = [(3, every)]
    for kind, order in enumerate(orders, 2):
        passes += [(2 * kind, order), (2 * kind + 1, order[::-1])]
    for kind, order in passes:
        before = 0
        for node in order:
            heard[node] |= before << kind * bits
            before |= part(node, kind)
    return heard


def run(program, n, edges=(), inputs=None):
    """Returns the outputs on a graph of n nodes; `inputs` are lists of one number a node, such as keys."""
    every, inputs, into, out = range(n), inputs or {}, [[] for _ in range(n)], [[] for _ in range(n)]
    for a, b in {*edges, *((i, i) for i in every if program["hears_itself"])}:
        into[b].append(a)
        out[a].append(b)
    levels = [{(a, b): rest for a, b, *rest in level} for level in program["levels"]]
    stages = [[{tuple(e[:3]): e[3:] for e in stage[part]} for part in ("nodes", "graph")] for stage in program["stages"]]
    of_nodes = {name for stage in program["stages"] for name in stage["node_values"]}
    row = {name: [value] * n if name in of_nodes else value for name, value in program["first_row"].items()}
    row |= {rule["field"]: [0] * n for rule in program["stamps"]}
    stack, outputs, steps = [], {rule["output"]: [0] * n for rule in program["outputs"]}, 0

    def number(digits, node=None):
        """A type: the number whose digits are the values of fields, the first lowest."""
        total = 0
        for digit in reversed(digits):
            holder = {"input": inputs, "row": row, "frame": stack[-1] if stack else None}[digit["source"]]
            value = 0 if holder is None else holder[digit["name"]]
            if holder is not None and digit["kind"] == "pointer":
                value = int(value == node)
            elif holder is not None:
                value = (value if node is None else value[node]) + digit["shift"]
            total = total * digit["radix"] + (value > 0 if digit["kind"] == "stamp" else value)
        return total

    while True:
        steps += 1
        for rule in program["stamps"]:
            if (at := row[rule["at"]]) >= 0:
                row[rule["field"]][at] = row[rule["field"]][at] or steps  # stamps stay
        for rule in program["outputs"]:
            if rule["at"] is None:
                outputs[rule["output"]] = row[rule["value"]]
            elif (at := row[rule["at"]]) >= 0:
                outputs[rule["output"]][at] = at if rule["null"] and row[rule["value"]] < 0 else row[rule["value"]]
        if row["done"]:
            return outputs
        orders = [sorted(every, key=inputs[name].__getitem__) for name in program["orders"]]
        stamps = [row[rule["field"]] for rule in program["stamps"]]
        orders += [sorted((i for i in every if stamp[i]), key=stamp.__getitem__) for stamp in stamps]
        g = number(program["graph"])
        found = [levels[0][g, number(program["node"], i)] for i in every]
        for level in levels[1:]:
            heard = hear([word for _, word in found], program["bits"], into, out, orders)
            found = [level[found[i][0], heard[i]] for i in every]
        after = {rule["field"]: row[rule["field"]] for rule in program["stamps"]}
        for stage, (nodes, graph) in zip(program["stages"], stages, strict=True):
            given = sum(after[name] * weight for name, weight in stage["given_values"])
            flags = [sum((after[p] == i) << b for b, p in enumerate(stage["given_pointers"])) for i in every]
            own = [nodes[found[i][0], given, flags[i]] for i in every]
            decided = graph[g, given, reduce(or_, (entry[0] for entry in own))] if graph else []
            after |= dict(zip(stage["values"], decided, strict=False))
            nulls = iter(decided[len(stage["values"]) :])
            for k, (name, null) in enumerate(stage["pointers"], 1):
                logits = [entry[k] for entry in own]
                after[name] = -1 if null and next(nulls) > max(logits) else logits.index(max(logits))
            for k, name in enumerate(stage["node_values"], 1 + len(stage["pointers"])):
                after[name] = [entry[k] for entry in own]
        if (row := after)["stack_op"] == 2:  # push
            stack.append({name: row[name] for name in program["frame"]})
        elif row["stack_op"] == 0 and stack:  # pop
            stack.pop()


if __name__ == "__main__":
    program, words = json.load(open(sys.argv[1])), sys.argv[2:]  # noqa: PTH123, SIM115
    pairs = [] if program["orders"] else [tuple(map(int, word.split("-"))) for word in words]
    keys = {name: [float(word) for word in words] for name in program["orders"]}
    print(run(program, 1 + max(map(max, pairs)) if pairs else len(words), pairs, keys))
