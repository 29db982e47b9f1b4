"""Batches: pads executions of different sizes to one shape.

Shapes are rounded up to buckets, so that few different programs are compiled. The masks mark the padding. Padding is zero,
except for the senders and receivers of padded pairs. These are the padded number of nodes: no node has this index, so that a
scatter drops the pair.
"""

import queue
import threading
from collections.abc import Callable, Generator, Sequence
from typing import TypeVar

import numpy as np

from recursor.data.batch import Batch, Inputs
from recursor.graphs.graph import Graph, support
from recursor.graphs.inputs import EDGE_INPUTS, node_input
from recursor.recording.algorithm import Algorithm
from recursor.recording.rows import Recording, Rows, decoded_bytes
from recursor.spec import Field, Spec
from recursor.system.memory import SMALL, keep_freed_memory, require_memory

Distribution = Callable[[np.random.Generator, int], Graph]
"""Draws a random graph with a given number of nodes."""

T = TypeVar("T")


def bucket(size: int) -> int:
    """Rounds up to a number with at most four significant bits: 1, 2, …, 16, 18, 20, …, 32, 36, 40, …

    At most an eighth is padding, and there are only eight shapes between a size and its double.
    """
    step = 1 << max(0, (size - 1).bit_length() - 4)
    return -(-size // step) * step


def pad_inputs(graphs: Sequence[Graph], fields: Sequence[Field], *, every_pair: bool = False) -> Inputs:
    """Returns the padded inputs of several graphs. With `every_pair` the arrays of pairs hold all pairs of nodes, so that
    their shape depends on the largest size only and not on the number of edges."""
    nodes = bucket(max(map(len, graphs)))
    pairs = support(graphs)
    counts = np.bincount(pairs.graphs, minlength=len(graphs))
    width = nodes * nodes if every_pair else bucket(int(counts.max()))
    is_pair = np.arange(width) < counts[:, None]

    def pad_pairs(values: np.ndarray, fill: int = 0) -> np.ndarray:
        padded = np.full((len(graphs), width), fill, values.dtype)
        padded[is_pair] = values  # in order, because the pairs are sorted by graph
        return padded

    return Inputs(
        {
            field.name: pad_pairs(EDGE_INPUTS[field](pairs))
            if field.place == "edge"
            else _stack([node_input(graph, field) for graph in graphs], (nodes,), field.dtype)
            for field in fields
        },
        pad_pairs(pairs.senders, nodes),
        pad_pairs(pairs.receivers, nodes),
        _mask([len(graph) for graph in graphs], nodes),
    )


def pad(recordings: Sequence[Recording], spec: Spec, *, every_pair: bool = False) -> Batch:
    """Returns several executions as a batch, with the fields of one view (`spec`)."""
    return pad_views(recordings, [spec], every_pair=every_pair)[0]


def pad_views(recordings: Sequence[Recording], specs: Sequence[Spec], *, every_pair: bool = False) -> list[Batch]:
    """Returns one batch per view of the same executions. The views share the inputs, the outputs and the decoded rows, which
    are computed once."""
    keep_freed_memory()  # the next batch needs it again
    graphs = [recording.graph for recording in recordings]
    inputs = pad_inputs(graphs, specs[0].inputs, every_pair=every_pair)
    nodes = inputs.node_mask.shape[1]
    length = bucket(max(map(len, recordings)))
    need = len(recordings) * max(decoded_bytes(spec, length, nodes) for spec in specs)
    if need > SMALL:
        what = f"a batch of {len(recordings)} executions of {length} rows on {nodes} nodes"
        require_memory(2 * need, what, "choose smaller graphs, or fewer")
    rows = Rows(recordings, length=length, nodes=nodes)
    outputs = {
        field.name: _stack(
            [np.array(recording.outputs[field.name], field.dtype) for recording in recordings],
            (nodes,) if field.place == "node" else (),
            field.dtype,
        )
        for field in specs[0].outputs
    }
    mask = rows.mask.astype(np.int32)
    return [Batch(inputs, {field.name: rows[field.name] for field in spec.hints}, outputs, mask) for spec in specs]


def _stack(arrays: Sequence[np.ndarray], shape: tuple[int, ...], dtype: type) -> np.ndarray:
    """Returns the arrays as one, each padded with zeros to the shape."""
    stacked = np.zeros((len(arrays), *shape), dtype)
    for place, array in enumerate(arrays):
        stacked[(place, *map(slice, array.shape))] = array
    return stacked


def _mask(sizes: Sequence[int], width: int) -> np.ndarray:
    """Returns 1 for nodes and 0 for padding, [batch, width]."""
    return (np.arange(width) < np.asarray(sizes)[:, None]).astype(np.int32)


def sample(
    algorithm: Algorithm, distribution: Distribution, n: int, graphs: int, rng: np.random.Generator
) -> list[Recording]:
    """Records the algorithm on graphs sampled from a distribution.

    Raises:
        ValueError: If the recordings would not fit into memory.
    """
    recordings, total_bytes = [], 0
    for count in range(1, graphs + 1):
        recordings.append(algorithm.record(distribution(rng, n)))
        total_bytes += recordings[-1].nbytes
        # The graphs so far tell how much all will need, so that too many are refused early.
        if total_bytes * graphs > SMALL * count:
            what = f"{graphs} executions of {algorithm.name} on {n} nodes"
            require_memory(total_bytes * graphs / count, what, "choose smaller graphs, or fewer")
    return recordings


def stream(
    algorithm: Algorithm,
    spec: Spec,
    distribution: Distribution,
    *,
    sizes: Sequence[int],
    graphs: int,
    seed: int,
    start: int = 0,
    every_pair: bool = True,
    ahead: int = 2,
) -> Generator[Batch]:
    """Yields batches without end, cycling through the sizes. A background thread prepares up to `ahead` batches in advance.

    Batch k depends on the seed and on k only, so a stream that starts at k yields exactly what one that starts at 0 yields
    from batch k on.
    """

    def batch(index: int) -> Batch:
        rng = np.random.default_rng((seed, index))
        recordings = sample(algorithm, distribution, sizes[index % len(sizes)], graphs, rng)
        return pad(recordings, spec, every_pair=every_pair)

    return prefetch(batch, start, ahead)


def prefetch(make: Callable[[int], T], start: int, ahead: int) -> Generator[T]:
    """Yields make(start), make(start + 1), …, computed by a background thread. Closing the iterator ends the thread."""
    ready: queue.Queue = queue.Queue(maxsize=ahead)
    stopped = threading.Event()

    def put_unless_stopped(item: object) -> None:
        """Waits for room in the queue. It wakes up now and then, because nobody makes room once the iterator is closed."""
        while not stopped.is_set():
            try:
                ready.put(item, timeout=0.1)
                break
            except queue.Full:
                continue

    def work() -> None:
        index = start
        while not stopped.is_set():
            try:
                put_unless_stopped((make(index), None))
            except BaseException as error:  # raised again in the thread that reads the batches
                put_unless_stopped((None, error))
                break
            index += 1

    threading.Thread(target=work, daemon=True).start()
    try:
        while True:
            item, error = ready.get()
            if error is not None:
                raise error
            yield item
    finally:
        stopped.set()
