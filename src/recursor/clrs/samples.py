"""Samples of a CLRS-30 task as arrays: from dm-clrs, from a file or from our recordings; to our graphs, to dm-clrs, to a
file."""

import io
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from recursor.algorithms import find
from recursor.clrs.fields import Arrays
from recursor.clrs.hints import clrs_hints
from recursor.clrs.tasks import TASKS, Task, convert_outputs, find_task
from recursor.graphs.graph import Graph
from recursor.system.files import write_atomically


@dataclass(frozen=True)
class Samples:
    """A batch of samples of one size, with what CLRS-30 records on them. `recursor.clrs.fields` has the shapes."""

    task: Task
    inputs: Arrays
    """For each input [batch, ...]."""
    outputs: Arrays = field(default_factory=dict)
    """For each output [batch, ...]; empty if they are not known."""
    hints: Arrays = field(default_factory=dict)
    """For each hint [rows, batch, ...], zero after the last row of a graph; empty if they are not known."""
    lengths: np.ndarray | None = None
    """The number of rows of each graph, [batch]; None if there are no hints."""

    def __len__(self) -> int:
        return len(next(iter(self.inputs.values())))

    @property
    def nodes(self) -> int:
        """The number of nodes of each graph."""
        return next(iter(self.inputs.values())).shape[1]

    def graphs(self) -> list[Graph]:
        """Returns the graphs, which our networks and algorithms take.

        Raises:
            GraphError: If a matrix holds anything but 0 and 1, or weights are not symmetric, keys are not finite, positions
                do not increase, or there is not one source.

        Example:
            >>> from_arrays("dfs", A=[[[0, 1], [0, 0]]]).graphs()[0].successors
            [[1], []]
        """
        samples = ({name: values[place] for name, values in self.inputs.items()} for place in range(len(self)))
        return [self.task.form.to_graph(sample, f"sample {place}") for place, sample in enumerate(samples)]

    def feedback(self) -> Any:
        """Returns the samples as dm-clrs's `Feedback`, which must be installed."""
        import clrs  # pyright: ignore[reportMissingImports]

        def points(kinds: Mapping, values: Arrays) -> tuple:
            return tuple(
                clrs.DataPoint(name=name, location=kind.location, type_=kind.type, data=np.asarray(values[name], np.float64))
                for name, kind in kinds.items()
                if name in values
            )

        lengths = np.zeros(len(self)) if self.lengths is None else np.asarray(self.lengths, np.float64)
        features = clrs.Features(points(self.task.inputs, self.inputs), points(self.task.hints, self.hints), lengths)
        return clrs.Feedback(features, points(self.task.outputs, self.outputs))

    def save(self, path: Path | str) -> None:
        """Writes a compressed .npz file, which `read` reads: the name of the task as `task`, and the arrays as
        `input/A`, `hint/u`, `output/pi`, `lengths`."""
        groups = {"input": self.inputs, "hint": self.hints, "output": self.outputs}
        arrays = {f"{stage}/{name}": values for stage, group in groups.items() for name, values in group.items()}
        if self.lengths is not None:
            arrays["lengths"] = self.lengths
        data = io.BytesIO()
        np.savez_compressed(data, task=np.array(self.task.name), **arrays)  # pyright: ignore[reportArgumentType]
        write_atomically(Path(path), data.getvalue())


def record(task: str, graphs: Sequence[Any], *, hints: bool = True) -> Samples:
    """Records graphs of one size as CLRS-30 does.

    Args:
        task: The name of a task of CLRS-30, or of our algorithm for it.
        graphs: The graphs, each as anything that `Algorithm.graph` takes: for sorting also a list of numbers. A search or a
            tree begins at the first node.
        hints: Whether to record hints, if the task has any here: the algorithms that CLRS-30 writes in another way have
            none.

    Returns:
        The samples: inputs, hints and outputs equal to those of dm-clrs.

    Raises:
        ValueError: If there is no such task, the graphs differ in size, or one is not fit.

    Example:
        >>> samples = record("dfs", [[[0, 1], [0, 0]]])
        >>> samples.hints["u"].shape, samples.outputs["pi"].tolist()
        ((6, 1, 2), [[0, 0]])
    """
    found = find_task(task)
    algorithm = find(found.algorithms[0])
    wanted = [algorithm.graph(graph) for graph in graphs]
    converted = [found.form.to_inputs(graph) for graph in wanted]
    sizes = sorted({len(inputs["pos"]) for inputs in converted})
    if len(sizes) != 1:
        raise ValueError(f"all graphs must have the same size, not {sizes} nodes")
    inputs = {name: np.stack([own[name] for own in converted]) for name in found.inputs}
    outputs = convert_outputs(found, wanted, [algorithm.run(graph) for graph in wanted])
    rows = [clrs_hints(found, algorithm, graph) for graph in wanted] if hints else []
    if not any(rows):
        return Samples(found, inputs, outputs)
    lengths = np.array([len(next(iter(own.values()))) for own in rows], np.int32)
    return Samples(found, inputs, outputs, {name: _pad([own[name] for own in rows]) for name in found.hints}, lengths)


def _pad(hints: Sequence[np.ndarray]) -> np.ndarray:
    """Returns the rows of several graphs with zeros after the last, [rows, batch, ...]."""
    padded = np.zeros((max(map(len, hints)), len(hints), *hints[0].shape[1:]), hints[0].dtype)
    for place, rows in enumerate(hints):
        padded[: len(rows), place] = rows
    return padded


def from_feedback(task: str, feedback: Any) -> Samples:
    """Takes a `Feedback` of dm-clrs: what a sampler's `next` returns, or an element of its dataset.

    Args:
        task: The name of the task.
        feedback: The feedback. Data points that the task does not have are left out. A `pred` that dm-clrs's
            `process_permutations` replaced by a permutation becomes a linked list again.

    Returns:
        The samples.

    Raises:
        ValueError: If there is no such task, or an input is missing.
    """
    features = feedback.features
    points = {point.name: np.asarray(point.data) for group in (*features[:2], feedback.outputs) for point in group}
    for point in feedback.outputs:
        if point.type_ == "permutation_pointer":
            points[point.name] = _linked_list(points[point.name], points[f"{point.name}_mask"])
    return _gather(find_task(task), points, np.asarray(features.lengths, np.int32))


def _linked_list(pointers: np.ndarray, first: np.ndarray) -> np.ndarray:
    """Returns a permutation [..., n, n] as a linked list [..., n], in which the first element names itself."""
    return np.where(first > 0, np.arange(first.shape[-1]), pointers.argmax(-1))


def from_arrays(task: str, **arrays: Any) -> Samples:
    """Takes arrays by the names of CLRS-30, such as `A=` [batch, n, n] or `key=` [batch, n]. `pos` can be left out, and so
    can outputs.

    Raises:
        ValueError: If there is no such task, an array has another shape, or an input is missing.

    Example:
        >>> len(from_arrays("bridges", A=np.zeros((32, 64, 64))))
        32
    """
    return _gather(find_task(task), {name: np.asarray(values) for name, values in arrays.items()})


def _gather(task: Task, arrays: Mapping[str, np.ndarray], lengths: np.ndarray | None = None) -> Samples:
    """Sorts arrays by stage, and checks their shapes."""
    missing = [name for name in task.form.needed if name not in arrays]
    if missing:
        there = ", ".join(sorted(arrays)) or "no arrays"
        raise ValueError(f"{task.name} needs the input {missing[0]!r}; there are only {there}")
    needed = task.form.needed[0]
    shape, kind = arrays[needed].shape, task.inputs[needed]
    if 0 in shape or len(shape) < 2 or not kind.fits(shape, *shape[:2]):
        example = [{"samples": 32, "nodes": 64, "categories": 4}[axis] for axis in kind.axes]
        raise ValueError(f"{needed!r} must be of the shape [{', '.join(kind.axes)}], such as {example}, not {list(shape)}")
    batch, nodes = shape[:2]
    groups: list[Arrays] = []
    for kinds in (task.inputs, task.outputs, task.hints):
        groups.append({name: arrays[name] for name in kinds if name in arrays})
    for kinds, group in ((task.inputs, groups[0]), (task.outputs, groups[1])):
        for name, values in group.items():
            if not kinds[name].fits(values.shape, batch, nodes):
                expected = list(kinds[name].shape(batch, nodes))
                raise ValueError(f"{name!r} must be of the shape {expected}, like {needed!r}, not {list(values.shape)}")
            if values.dtype.kind not in "biuf":
                raise ValueError(f"{name!r} must hold numbers, not values of the type {values.dtype}")
    inputs, outputs, hints = groups
    return Samples(task, inputs, outputs, hints, lengths if hints else None)


def read(path: Path | str, task: str = "") -> Samples:
    """Reads samples from an .npz file.

    Its arrays have the names of CLRS-30. Before a name there may be its stage, as `save` writes it (`input/A`, `output/pi`)
    or as dm-clrs's own dataset does (`input_A`, `output_pi`). A single adjacency matrix is a batch of one.

    Args:
        path: The file. Arrays of Python objects are refused, since reading them could run code.
        task: The name of the task. It may be left out if the file has it, as files of `save` do.

    Returns:
        The samples.

    Raises:
        ValueError: If the file is no such file, or its arrays do not fit the task.
    """
    path = Path(path)
    if not path.is_file():
        raise ValueError(f"there is no file {path}")
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {_without_stage(name): file[name] for name in file.files}
    except (zipfile.BadZipFile, EOFError, TypeError, ValueError) as error:
        raise ValueError(f"{path} is not an .npz file of plain arrays; numpy.savez writes one") from error
    if "task" in arrays:
        own = find_task(str(arrays.pop("task")))
        if task and find_task(task) is not own:
            raise ValueError(f"{path} holds samples of {own.name}, not of {find_task(task).name}")
        task = own.name
    elif not task:
        raise ValueError(f"{path} does not name its task, which must be one of {', '.join(TASKS)}")
    lengths = arrays.pop("lengths", None)
    form = find_task(task).form
    needed = arrays.get(form.needed[0])
    if needed is not None and needed.ndim == len(form.inputs[form.needed[0]].axes) - 1:
        arrays = {name: values[None] for name, values in arrays.items()}
    try:
        return _gather(find_task(task), arrays, lengths)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


def _without_stage(name: str) -> str:
    for stage in ("input", "output", "hint"):
        for separator in ("/", "_"):
            if name.startswith(stage + separator):
                return name.removeprefix(stage + separator)
    return name
