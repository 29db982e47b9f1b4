"""Where the nodes of a graph are drawn: computed once, the same for the same graph.

Each connected part is laid out by itself (so that parts do not fly apart), turned so that it lies flat, and the parts are
put in lines like words, the largest first. Then nodes that ended up on top of each other are pushed apart. What is only
to be sorted is drawn from left to right in its order, the larger the higher.
"""

import networkx as nx
import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

from recursor.graphs.graph import Graph

STRETCHED = 250  # nodes of a part up to which distances in the graph become distances on the page; more takes long
PIVOTS = 40
WIDE = 1.35  # width over height of the page


def layout(graph: Graph) -> np.ndarray:
    """The places of the nodes, [nodes, 2], in [0, WIDE] × [0, 1]. Without edges, one number a node is a height."""
    if len(graph) > 1 and not len(graph.senders) and len(graph.values) == 1:
        (values,) = graph.values.values()
        ranks = np.argsort(np.argsort(values, kind="stable"))
        return np.stack([WIDE * np.arange(len(graph)), len(graph) - 1 - ranks], 1) / (len(graph) - 1)
    network = nx.Graph()
    network.add_nodes_from(range(len(graph)))
    network.add_edges_from(zip(graph.senders.tolist(), graph.receivers.tolist(), strict=True))
    network.remove_edges_from(list(nx.selfloop_edges(network)))
    parts = sorted((sorted(part) for part in nx.connected_components(network)), key=lambda part: (-len(part), part[0]))
    places = np.zeros((len(graph), 2))
    boxes = [_part(network.subgraph(part).copy(), part) for part in parts]
    for part, box, corner in zip(parts, boxes, _corners([box.max(0) for box in boxes]), strict=True):
        places[part] = box + corner
    places = _fitted(places)
    return _fitted(_apart(places))


def _part(network: nx.Graph, nodes: list[int]) -> np.ndarray:
    """A connected part, lying flat, in a box that begins at 0; neighbours are about 1 apart."""
    n = len(nodes)
    if n == 1:
        return np.zeros((1, 2))
    edges = np.searchsorted(nodes, np.array(sorted(tuple(sorted(edge)) for edge in network.edges)))  # [edges, 2]
    adjacency = sparse.coo_array((np.ones(len(edges)), (edges[:, 0], edges[:, 1])), (n, n)).tocsr()
    box = _stretched(adjacency) if n <= STRETCHED else _scaled(adjacency)
    box -= box.mean(0)
    box = box @ _turn(box, box[edges[:, 1]] - box[edges[:, 0]])
    box *= np.where(box[0] > 0, -1, 1)  # the first node left and above
    lengths = np.linalg.norm(box[edges[:, 1]] - box[edges[:, 0]], axis=1)
    box /= max(float(np.median(lengths)), 1e-9)
    return _folded(box - box.min(0))


def _spiral(n: int) -> np.ndarray:
    """n different places, [n, 2], around the origin."""
    angles, radii = np.arange(n) * 2.4, np.sqrt((np.arange(n) + 0.5) / n)
    return radii[:, None] * np.stack([np.cos(angles), np.sin(angles)], 1)


def _stretched(adjacency: sparse.csr_array) -> np.ndarray:
    """Places whose distances are near those in the graph, the more so the nearer: they minimise

        Σ_{i<j} (|x_i - x_j| - d_ij)² / d_ij²

    by majorisation: each step solves a linear system, whose matrix is always the same."""
    distance = csgraph.shortest_path(adjacency, directed=False, unweighted=True)
    n = len(distance)
    weights = 1 / (distance**2 + np.eye(n)) * (1 - np.eye(n))
    solve = np.linalg.pinv(np.diag(weights.sum(1)) - weights)
    places = _axes(distance)
    for _ in range(min(300, 6_000_000 // n**2)):  # the larger, the nearer it begins and the longer a step takes
        apart = np.sqrt(((places[:, None] - places[None]) ** 2).sum(-1)) + np.eye(n)
        pull = -weights * distance / np.maximum(apart, 1e-6)
        np.fill_diagonal(pull, -pull.sum(1))
        moved = solve @ (pull @ places)
        if np.abs(moved - places).max() < 1e-3:
            return moved
        places = moved
    return places


def _scaled(adjacency: sparse.csr_array) -> np.ndarray:
    """The same for many nodes, roughly: from their distances to a few that are far from each other."""
    chosen: list[int] = [0]
    distances = []
    while len(distances) < PIVOTS:
        found = csgraph.shortest_path(adjacency, directed=False, unweighted=True, indices=chosen[-1])
        distances.append(found)
        chosen.append(int(np.min(distances, 0).argmax()))
    return _axes(np.stack(distances, 1))


def _axes(distance: np.ndarray) -> np.ndarray:
    """Classical scaling: the two axes along which nodes [n] with these distances to some of them [n, some] differ most."""
    squares = distance**2
    centred = -(squares - squares.mean(0) - squares.mean(1)[:, None] + squares.mean()) / 2
    axes, sizes, _ = np.linalg.svd(centred, full_matrices=False)
    places = axes[:, :2] * np.sqrt(sizes[:2] * (len(distance) / distance.shape[1]) ** 0.5)
    return places + 0.1 * _spiral(len(distance))[:, : places.shape[1]]  # nodes with the same neighbours are not in one place


def _folded(box: np.ndarray) -> np.ndarray:
    """A long and flat part, such as a path, laid in bends."""
    width, height = np.ptp(box, 0)
    if width < 12 or height > 0.12 * width:
        return box
    gap = 1.5 + height
    bends = max(2, round((width / (WIDE * gap)) ** 0.5))
    length = width / bends * (1 + 1e-9)
    row, along = np.divmod(box[:, 0], length)
    return np.stack([np.where(row % 2 == 0, along, length - along), box[:, 1] + gap * row], 1)


def _turn(box: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """The rotation after which edges run along the axes, if most can, as in a grid; else the one after which the part lies
    flat."""
    angles = np.arctan2(edges[:, 1], edges[:, 0])
    right_angles = np.exp(4j * angles).mean()  # of length 1 if all edges are parallel or at right angles
    if abs(right_angles) > 0.6:
        angle = np.angle(right_angles) / 4
        turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        wide, tall = np.ptp(box @ turn, 0)
        return turn[:, ::-1] if tall > wide else turn
    _, axes = np.linalg.eigh(box.T @ box)
    return axes[:, ::-1]  # the longest axis first


def _corners(sizes: list[np.ndarray]) -> list[np.ndarray]:
    """Where boxes of these sizes begin if they are put in lines like words."""
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


def _fitted(places: np.ndarray) -> np.ndarray:
    """As large as the page allows, in its middle, with one scale for both axes unless that leaves most of it empty."""
    low, size = places.min(0), np.ptp(places, 0)
    page = np.array([WIDE, 1.0])
    scale = page / np.maximum(size, 1e-9)
    scale = np.minimum(scale, 1.6 * scale.min())  # a little stretching does no harm
    return (places - low - size / 2) * scale + page / 2


def _apart(places: np.ndarray) -> np.ndarray:
    """Nodes pushed apart until none are nearer to each other than a share of the room there is for each."""
    n = len(places)
    if n == 1 or n > 1000:
        return places
    near = 0.55 * (WIDE / n) ** 0.5
    places = places + 1e-6 * _spiral(n)  # no two in the same place
    for _ in range(80):
        between = places[:, None] - places[None]  # [n, n, 2]
        distance = np.sqrt((between**2).sum(-1)) + np.eye(n)
        push = np.clip(near - distance, 0, None) * (1 - np.eye(n))
        if not push.any():
            break
        places = places + 0.35 * (between / distance[..., None] * push[..., None]).sum(1)
    return places
