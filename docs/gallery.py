"""Makes the gallery of the documentation: python docs/gallery.py [--out docs/gallery]

Every shipped network runs on the example of its algorithm. The last page shows one of the paper's networks beside ours on a
random graph: experiment 2, a graph-level stack, in the small budget and from seed 1, whose run is in results/gallery.
"""

import argparse
from pathlib import Path

import numpy as np

import recursor
from recursor.algorithms import find, known
from recursor.execution.execution import Execution
from recursor.graphs.graph import Graph
from recursor.report.attempts import execute_for_rows
from recursor.trace.gallery import Exhibit, exhibit_of, write_gallery
from recursor.trace.trace import trace
from recursor.training.loading import shipped_names
from recursor.training.run import Run

PAPER = Path(__file__).parents[1] / "results" / "gallery" / "paper-02-graph-stack-seed1"


def told(run: Run, graph: Graph) -> Execution:
    """Returns the execution of a network that does not halt by itself: it is told how many rows to make, as in the paper."""
    return execute_for_rows(run.reasoner, find(run.config.algorithm).record(graph))


def beside_the_paper() -> Exhibit:
    """Returns the page on which one of the paper's networks is beside ours."""
    graph = find("dfs").test(np.random.default_rng(0), 12)
    paper, ours = recursor.load(PAPER), recursor.load("dfs")
    theirs = told(paper, graph)
    right = int((theirs.outputs["pi"] == find("dfs").run(graph)["pi"]).sum())
    maze = find("dfs").example_graph()
    same = bool((told(paper, maze).outputs["pi"] == find("dfs").run(maze)["pi"]).all())
    about = (
        f"On a random graph the paper's experiment 2, trained in the small budget and best after {paper.updates} updates, "
        f"has {right} of {len(graph)} nodes right; ours, trained for {ours.updates}, has all. On the maze of the search's "
        f"own page the paper's network is {'right' if same else 'wrong'}."
    )
    traces = [
        trace(theirs, paper.reasoner.spec, "paper/02-graph-stack"),
        trace(ours.run(graph), ours.reasoner.spec, "dfs"),
    ]
    return Exhibit("beside_the_paper", "The paper's graph-level stack beside ours", about, traces)


def main() -> None:
    parser = argparse.ArgumentParser(description="Makes the gallery of the documentation.")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "gallery", help="where it is written to")
    out = parser.parse_args().out
    exhibits = []
    for name in known():
        if name in shipped_names():
            print(f"{name} …", flush=True)
            run = recursor.load(name)
            exhibits.append(exhibit_of(trace(run.run(find(name).example_graph()), run.reasoner.spec, name)))
    print("beside the paper …", flush=True)
    exhibits.append(beside_the_paper())
    files = write_gallery(out, exhibits)
    print(f"wrote {len(files)} files to {out}")


if __name__ == "__main__":
    main()
