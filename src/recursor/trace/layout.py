"""Graph layout: the positions at which nodes are drawn. The same graph always gets the same layout.

Each connected component is laid out separately and rotated so that its longest axis is horizontal. The components are then
placed in lines, like words of a text, the largest first. Nodes that overlap are pushed apart. A tree is drawn with parents
above their children, bars stand in a line, a text is written in lines, and times are places on a line of time.
"""

import math
from collections.abc import Callable

import networkx as nx
import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

from recursor.graphs.conditions import not_tree
from recursor.graphs.graph import Graph
from recursor.recording.picture import Layout

STRESS_NODES = 250  # largest component that is laid out by stress majorisation, which is slow on larger ones
PIVOTS = 40  # nodes from which distances are computed in larger components
WIDE = 1.35  # width over height of the page


def layout(graph: Graph, kind: Layout = "graph") -> np.ndarray:
    """Returns the positions of the nodes, [nodes, 2], in [0, WIDE] × [0, 1]."""
    return LAYOUTS[kind](graph)


def _bars(graph: Graph) -> np.ndarray:
    """Puts all nodes on a line, from left to right."""
    return np.stack([WIDE * (np.arange(len(graph)) + 0.5) / len(graph), np.ones(len(graph))], 1)


def _text(graph: Graph) -> np.ndarray:
    """Puts nodes in lines from left to right. The letters of another string, which `string` marks, begin a new line."""
    n = len(graph)
    string = np.asarray(graph.values.get("string", np.zeros(n, int)))
    letters = max(len(word_at_place(str(name))[1]) for name in graph.names)
    most = max(10 if letters <= 3 else 8 if letters <= 5 else 6, math.ceil((2 * n) ** 0.5))
    longest = most if string.any() else math.ceil(n / math.ceil(n / most))  # lines of about the same length
    line, along = np.zeros(n, int), np.zeros(n, int)
    for node in range(1, n):
        full = along[node - 1] + 1 == longest or string[node] != string[node - 1]
        line[node], along[node] = (line[node - 1] + 1, 0) if full else (line[node - 1], along[node - 1] + 1)
    lines, across = int(line[-1]) + 1, int(along.max()) + 1
    down = 0.5 + (line - (lines - 1) / 2) * min(0.3, 1 / lines)
    return np.stack([WIDE * (along + 0.5) / across, down], 1)


def word_at_place(name: str) -> tuple[str, str]:
    """Returns the place and the word of a name such as 2:and; an empty place and the name itself of any other."""
    place, colon, word = name.partition(":")
    return (place, word) if colon and place.isdecimal() and word else ("", name)


def _tree(graph: Graph) -> np.ndarray:
    """Puts parents above the middle of their children, and leaves side by side. What is no tree is drawn by its edges."""
    if not_tree(graph):
        return _by_edges(graph)
    root = int(np.setdiff1d(np.arange(len(graph)), graph.receivers)[0])
    places = np.zeros((len(graph), 2))
    order, leaves = [root], 0
    for node in order:  # parents come before their children
        for child in graph.successors[node]:
            places[child, 1] = places[node, 1] + 1
            order.append(child)
    stack = [root]
    while stack:  # leaves from left to right
        node = stack.pop()
        stack += reversed(graph.successors[node])
        if not graph.successors[node]:
            places[node, 0] = leaves
            leaves += 1
    for node in reversed(order):
        if children := graph.successors[node]:
            places[node, 0] = (places[children[0], 0] + places[children[-1], 0]) / 2
    depth = max(1.0, float(places[:, 1].max()))
    wide = WIDE * (places[:, 0] + 0.5) / max(1, leaves)
    return np.stack([wide, places[:, 1] / depth], 1)


def _times(graph: Graph) -> np.ndarray:
    """Puts nodes the further right the larger their `key` is, or else their first number, and connected ones on one line.

    The line that ends first is the highest. Where two numbers are too near to each other, their ranks are taken instead.
    """
    times = np.asarray(graph.values.get("key", next(iter(graph.values.values()))), float)
    different, ranks = np.unique(times, return_inverse=True)
    if len(different) > 1 and np.diff(different).min() < np.ptp(different) / (2 * len(different)):
        times = ranks.astype(float)
    along = (times - times.min()) / np.ptp(times) if np.ptp(times) else np.full(len(times), 0.5)
    edges = sparse.coo_array((np.ones(len(graph.senders)), (graph.senders, graph.receivers)), (len(graph), len(graph)))
    count, part = csgraph.connected_components(edges, directed=False)
    last = np.full(count, -np.inf)
    np.maximum.at(last, part, times)
    line = np.argsort(np.argsort(last, kind="stable"))[part]
    return np.stack([WIDE * along, 0.5 + (line - (count - 1) / 2) * min(0.25, 1 / max(1, count - 1))], 1)


def _by_edges(graph: Graph) -> np.ndarray:
    network = nx.Graph()
    network.add_nodes_from(range(len(graph)))
    network.add_edges_from(zip(graph.senders.tolist(), graph.receivers.tolist(), strict=True))
    network.remove_edges_from(list(nx.selfloop_edges(network)))
    parts = sorted((sorted(part) for part in nx.connected_components(network)), key=lambda part: (-len(part), part[0]))
    places = np.zeros((len(graph), 2))
    boxes = [_part(network.subgraph(part).copy(), part) for part in parts]
    for part, box, corner in zip(parts, boxes, _corners([box.max(0) for box in boxes]), strict=True):
        places[part] = box + corner
    places = _fit_page(places)
    return _fit_page(_push_apart(places))


def _part(network: nx.Graph, nodes: list[int]) -> np.ndarray:
    """Lays out one connected component in a box that starts at (0, 0). Neighbours are about 1 apart."""
    n = len(nodes)
    if n == 1:
        return np.zeros((1, 2))
    edges = np.searchsorted(nodes, np.array(sorted(tuple(sorted(edge)) for edge in network.edges)))  # [edges, 2]
    adjacency = sparse.coo_array((np.ones(len(edges)), (edges[:, 0], edges[:, 1])), (n, n)).tocsr()
    box = _stress_layout(adjacency) if n <= STRESS_NODES else _pivot_layout(adjacency)
    box -= box.mean(0)
    box = box @ _turn(box, box[edges[:, 1]] - box[edges[:, 0]])
    box *= np.where(box[0] > 0, -1, 1)  # the first node is left and above the centre
    lengths = np.linalg.norm(box[edges[:, 1]] - box[edges[:, 0]], axis=1)
    box /= max(float(np.median(lengths)), 1e-9)
    return _fold(box - box.min(0))


def _spiral(n: int) -> np.ndarray:
    """Returns n different positions, [n, 2], around the origin."""
    angles, radii = np.arange(n) * 2.4, np.sqrt((np.arange(n) + 0.5) / n)
    return radii[:, None] * np.stack([np.cos(angles), np.sin(angles)], 1)


def _stress_layout(adjacency: sparse.csr_array) -> np.ndarray:
    """Returns positions whose distances approximate the distances in the graph (stress majorisation). They minimise

        Σ_{i<j} (|x_i - x_j| - d_ij)² / d_ij²

    so near pairs count most. Each step solves a linear system; the matrix is the same in every step."""
    distance = csgraph.shortest_path(adjacency, directed=False, unweighted=True)
    n = len(distance)
    weights = 1 / (distance**2 + np.eye(n)) * (1 - np.eye(n))
    solve = np.linalg.pinv(np.diag(weights.sum(1)) - weights)
    places = _axes(distance)
    for _ in range(min(300, 6_000_000 // n**2)):  # fewer steps on larger graphs, where a step takes longer
        apart = np.sqrt(((places[:, None] - places[None]) ** 2).sum(-1)) + np.eye(n)
        pull = -weights * distance / np.maximum(apart, 1e-6)
        np.fill_diagonal(pull, -pull.sum(1))
        moved = solve @ (pull @ places)
        if np.abs(moved - places).max() < 1e-3:
            return moved
        places = moved
    return places


def _pivot_layout(adjacency: sparse.csr_array) -> np.ndarray:
    """Returns an approximate layout of a large component, from the distances to a few pivots far from each other."""
    pivots: list[int] = [0]
    distances = []
    while len(distances) < PIVOTS:
        distances.append(csgraph.shortest_path(adjacency, directed=False, unweighted=True, indices=pivots[-1]))
        pivots.append(int(np.min(distances, 0).argmax()))
    return _axes(np.stack(distances, 1))


def _axes(distance: np.ndarray) -> np.ndarray:
    """Classical multidimensional scaling: positions [n, 2] from the distances to some of the nodes [n, some]."""
    squares = distance**2
    centred = -(squares - squares.mean(0) - squares.mean(1)[:, None] + squares.mean()) / 2
    axes, sizes, _ = np.linalg.svd(centred, full_matrices=False)
    places = axes[:, :2] * np.sqrt(sizes[:2] * (len(distance) / distance.shape[1]) ** 0.5)
    return places + 0.1 * _spiral(len(distance))[:, : places.shape[1]]  # separates nodes that have the same neighbours


def _fold(box: np.ndarray) -> np.ndarray:
    """Folds a long and flat component, such as a path, into several lines."""
    width, height = np.ptp(box, 0)
    if width < 12 or height > 0.12 * width:
        return box
    gap = 1.5 + height
    bends = max(2, round((width / (WIDE * gap)) ** 0.5))
    length = width / bends * (1 + 1e-9)
    line, along = np.divmod(box[:, 0], length)
    return np.stack([np.where(line % 2 == 0, along, length - along), box[:, 1] + gap * line], 1)


def _turn(box: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """Returns a rotation, [2, 2]. If most edges can be parallel to the axes, as in a grid, it makes them so; otherwise it
    makes the longest axis of the component horizontal."""
    angles = np.arctan2(edges[:, 1], edges[:, 0])
    right_angles = np.exp(4j * angles).mean()  # has length 1 if all edges are parallel or at right angles
    if abs(right_angles) > 0.6:
        angle = np.angle(right_angles) / 4
        turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        wide, tall = np.ptp(box @ turn, 0)
        return turn[:, ::-1] if tall > wide else turn
    _, axes = np.linalg.eigh(box.T @ box)
    return axes[:, ::-1]  # the longest axis first


def _corners(sizes: list[np.ndarray]) -> list[np.ndarray]:
    """Returns the corner of each box when boxes of these sizes are placed in lines, like words of a text."""
    room = 1.0
    area = sum(float((size + room).prod()) for size in sizes)
    width = max(float(sizes[0][0]), (WIDE * area) ** 0.5)
    corners, x, y, tallest = [], 0.0, 0.0, 0.0
    for size in sizes:
        if x and x + size[0] > width:
            x, y, tallest = 0.0, y + tallest + room, 0.0
        corners.append(np.array([x, y]))
        x, tallest = x + float(size[0]) + room, max(tallest, float(size[1]))
    return corners


def _fit_page(places: np.ndarray) -> np.ndarray:
    """Scales positions to fill the page and centres them. The scales of the two axes differ by a factor of at most 1.6, or
    2.6 if there are few nodes."""
    low, size = places.min(0), np.ptp(places, 0)
    page = np.array([WIDE, 1.0])
    scale = page / np.maximum(size, 1e-9)
    scale = np.minimum(scale, (2.6 if len(places) <= 24 else 1.6) * scale.min())
    return (places - low - size / 2) * scale + page / 2


def _push_apart(places: np.ndarray) -> np.ndarray:
    """Pushes nodes apart until every two have a minimum distance, which depends on the number of nodes."""
    n = len(places)
    if n == 1 or n > 1000:
        return places
    near = 0.55 * (WIDE / n) ** 0.5
    places = places + 1e-6 * _spiral(n)  # no two nodes at the same position
    for _ in range(80):
        between = places[:, None] - places[None]  # [n, n, 2]
        distance = np.sqrt((between**2).sum(-1)) + np.eye(n)
        push = np.clip(near - distance, 0, None) * (1 - np.eye(n))
        if not push.any():
            break
        places = places + 0.35 * (between / distance[..., None] * push[..., None]).sum(1)
    return places


LAYOUTS: dict[Layout, Callable[[Graph], np.ndarray]] = {
    "graph": _by_edges,
    "tree": _tree,
    "bars": _bars,
    "text": _text,
    "times": _times,
}
"""How positions are found, by layout."""
