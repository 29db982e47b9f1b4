"""Makes the pictures of README and docs from the code itself: python docs/pictures/make.py"""

from pathlib import Path

import matplotlib
import matplotlib.pyplot as plt
import networkx as nx
import numpy as np

import recursor
from recursor.graphs.reading import read_graph
from recursor.spec import OPS, POP, PUSH
from recursor.trace.moving import write_svg
from recursor.trace.scene import SMALL
from recursor.trace.trace import trace

matplotlib.use("svg")
matplotlib.rcParams |= {"svg.hashsalt": "recursor", "svg.fonttype": "none", "font.family": "sans-serif", "font.size": 11}
HERE = Path(__file__).parent
COLOURS = {"pop": "#0072b2", "noop": "#999999", "push": "#d55e00"}  # told apart by everyone


def stack() -> None:
    """Depth-first search of the maze: its tree, and its call stack row by row."""
    graph = read_graph(HERE.parents[1] / "examples" / "maze.txt")
    trajectory = recursor.record("dfs", graph, view="local")
    names = [str(name) for name in graph.names]
    network = nx.Graph((names[s], names[r]) for s, r in zip(graph.senders, graph.receivers, strict=True))
    tree = [(names[p], names[v]) for v, p in enumerate(trajectory.outputs["pi"]) if p != v]
    figure, (left, right) = plt.subplots(1, 2, figsize=(12, 4.4), width_ratios=(1, 1.5), layout="constrained")
    places = nx.kamada_kawai_layout(network)
    nx.draw_networkx_edges(network, places, ax=left, edge_color="#bbbbbb", style="dashed", width=1.5)
    nx.draw_networkx_edges(nx.DiGraph(tree), places, ax=left, width=2.2, node_size=1900, edge_color="#333333")
    nx.draw_networkx_nodes(network, places, ax=left, node_size=1900, node_color="white", edgecolors="#333333")
    nx.draw_networkx_labels(network, places, ax=left, font_size=9)
    left.set_title("a graph and its depth-first tree")
    left.margins(0.15)
    left.axis("off")

    frames: list[str] = []
    depths = []
    for row, (op, u) in enumerate(zip(trajectory.ops, trajectory.hints["u"], strict=True)):
        if op == PUSH:
            frames.append(names[u])
        elif op == POP and frames:
            frames.pop()
        depths.append(len(frames))
        for level, name in enumerate(frames):
            right.add_patch(plt.Rectangle((row, level), 1, 1, facecolor="#f0e442", edgecolor="white", linewidth=0.8))
            if op == PUSH and level == len(frames) - 1:
                right.text(row + 0.12, level + 0.5, name, va="center", fontsize=9, zorder=3)
    for name in OPS:
        rows = [row for row, op in enumerate(trajectory.ops) if OPS[op] == name]
        marker = {"pop": "v", "noop": "o", "push": "^"}[name]
        right.scatter(np.array(rows) + 0.5, [-0.45] * len(rows), color=COLOURS[name], marker=marker, s=36, label=name)
    right.set_xlim(0, len(trajectory))
    right.set_ylim(-0.9, max(depths) + 0.4)
    right.set_xlabel("row")
    right.set_ylabel("frames on the stack")
    right.set_yticks(range(max(depths) + 1))
    right.set_title("its recursion, recorded: the call stack in every row")
    right.legend(loc="upper left", ncols=3, frameon=False)
    right.spines[["top", "right"]].set_visible(False)
    figure.savefig(HERE / "stack.svg", metadata={"Date": None})


def recursion() -> None:
    """The shipped network walks through the maze."""
    run = recursor.load("dfs")
    graph = read_graph(HERE.parents[1] / "examples" / "maze.txt")
    shown = trace(run.run(graph), run.reasoner.spec)
    title = "A graph neural network executes depth-first search"
    write_svg(HERE / "recursion.svg", shown, title)
    write_svg(HERE / "recursion-small.svg", shown, title, SMALL)


if __name__ == "__main__":
    stack()
    recursion()
