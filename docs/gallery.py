"""Makes the gallery of the documentation: python docs/gallery.py [--out docs/gallery]

Every shipped network runs on the example of its algorithm. Beside ours, one of the paper's networks fails: what it did is
kept in results/gallery/, and `--paper RUN` runs one of a run directory instead and keeps that.
"""

import argparse
import json
from pathlib import Path

import numpy as np

import recursor
from recursor.algorithms import find, known
from recursor.execution.execution import Execution
from recursor.graphs.graph import Graph, from_edges
from recursor.system.files import write_atomically
from recursor.trace.gallery import Exhibit, exhibit_of, write_gallery
from recursor.trace.trace import trace
from recursor.training.run import Run, load, shipped_names

HERE = Path(__file__).parent
KEPT = HERE.parent / "results" / "gallery" / "paper-10-node-stack.json"
ABOUT = (
    "The paper's network with a node-wise stack, briefly trained, and ours, on the same graph: where the first goes wrong."
)


def keep_failure(run: Run, nodes: int = 16, tries: int = 64) -> None:
    """Keeps the first execution of a run that goes wrong, with all that makes it again."""
    from recursor.report.attempts import execute_for_rows

    algorithm = find(run.config.algorithm)
    for seed in range(tries):
        graph = algorithm.test(np.random.default_rng(seed), nodes)
        execution = execute_for_rows(run.reasoner, algorithm.record(graph))
        shown = trace(execution, run.reasoner.spec)
        if not shown.right and len(graph.senders) < 4 * nodes:
            data = {
                "configuration": json.loads((run.directory / "config.json").read_text("utf-8")),
                "updates": run.updates,
                "graph": {"seed": seed, "nodes": nodes, "edges": np.stack([graph.senders, graph.receivers], 1).tolist()},
                "view": run.reasoner.spec.view,
                "outputs": {name: values.tolist() for name, values in execution.outputs.items()},
                "rows": {name: np.asarray(values).round(3).tolist() for name, values in execution.rows.items()},
            }
            KEPT.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(KEPT, (json.dumps(data, separators=(",", ":")) + "\n").encode())
            return
    raise SystemExit(f"{run.directory} was right on {tries} graphs of {nodes} nodes")


def failure_beside_ours() -> Exhibit:
    """Returns the kept execution and that of the shipped network on the same graph."""
    data = json.loads(KEPT.read_text("utf-8"))
    algorithm = find(data["configuration"]["algorithm"])
    spec = algorithm.spec(data["view"])
    fields = {field.name: field for field in (*spec.hints, *spec.outputs)}

    def arrays(name: str) -> dict[str, np.ndarray]:
        return {field: np.array(values, fields[field].dtype) for field, values in data[name].items()}

    ends = np.array(data["graph"]["edges"])
    graph: Graph = from_edges(ends[:, 0], ends[:, 1], data["graph"]["nodes"])
    rows = arrays("rows")
    length = len(next(iter(rows.values())))
    failed = Execution(graph, arrays("outputs"), rows, rows.get("stack_op", np.zeros(0, np.int32)), True, length, 0)
    label = f"the paper's, {data['updates']} updates"
    ours = recursor.load("dfs")
    traces = [trace(ours.run(graph), ours.reasoner.spec, "ours, dfs"), trace(failed, spec, label)]
    return Exhibit("paper-and-ours", "The paper's network beside ours", ABOUT, traces)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", type=Path, default=HERE / "gallery", help="where the gallery is written to")
    parser.add_argument("--paper", type=Path, help="a run directory of one of the paper's networks, whose failure is kept")
    arguments = parser.parse_args()
    if arguments.paper:
        keep_failure(load(arguments.paper))
    exhibits = []
    for name in known():
        if name in shipped_names():
            run = recursor.load(name)
            print(f"{name} …", flush=True)
            exhibits.append(exhibit_of(trace(run.run(find(name).example_graph()), run.reasoner.spec, name)))
    if KEPT.exists():
        exhibits.append(failure_beside_ours())
    files = write_gallery(arguments.out, exhibits)
    print(f"wrote {len(files)} files to {arguments.out}")


if __name__ == "__main__":
    main()
