"""Algorithms: a recursive function, and the declaration of the fields that are recorded."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, final

import numpy as np

from recursor.graphs.distributions import TEST, TRAIN
from recursor.graphs.enumeration import default_inputs
from recursor.graphs.graph import Graph
from recursor.graphs.inputs import lacks
from recursor.graphs.reading import GraphError, as_graph
from recursor.recording.declaration import Declaration
from recursor.recording.depth import call_deep
from recursor.recording.picture import Layout, Picture, picture_of_outputs
from recursor.recording.recorder import EnoughRows, Recorder
from recursor.recording.rows import Recording
from recursor.recording.words import Words
from recursor.spec import Field
from recursor.system.memory import SMALL, require_memory

Distribution = Callable[[np.random.Generator, int], Graph]
Outputs = Mapping[str, np.ndarray]


@final
@dataclass(frozen=True, kw_only=True)
class Algorithm(Declaration):
    """A recursive function, the declaration of its fields, and everything else that is specific to the algorithm.

    Only `function` and the fields of `Declaration` are required; everything else has a default.

    Example:
        >>> from recursor.algorithms import find
        >>> dfs = find("dfs")
        >>> outputs = dfs.run(dfs.graph([[0, 1], [0, 0]]))
        >>> list(dfs.answer(dfs.graph([[0, 1], [0, 0]]), outputs).edges)
        [(0, 1)]
    """

    function: Callable[[Graph, Recorder], Mapping[str, Any]]
    """The recursion, written like the textbook's."""
    title: str = ""
    """The title for people; by default the name, with spaces."""
    summary: str = ""
    """What it computes, in one sentence; by default the first sentence of the function's docstring."""
    words: Words = field(default_factory=Words)
    """Words for its fields and their values."""
    train: Distribution = TRAIN
    """The distribution of training graphs."""
    test: Distribution = TEST
    """The distribution of test graphs."""
    others: Mapping[str, Distribution] = field(default_factory=dict)
    """Further distributions by name, for verification; `graphs/shapes.py` has some for each kind of input."""
    small_inputs: Callable[[int], Iterator[Graph]] = None  # pyright: ignore[reportAssignmentType] (set below)
    """Enumerates all inputs of a size; by default, this follows from the inputs and `unfit`."""
    small_size: int = 0
    """The largest size at which verification tries all inputs; by default the largest with at most 100 000 inputs."""
    full_size: int = 0
    """The same for `recursor verify`, if it is more than training, which verifies often, has the time for."""
    full_limits: str = ""
    """What the inputs of the full size leave out, in words; nothing if they are all that there are."""
    largest: int = 1000
    """The largest size of the random inputs that verification tries; less where the rows grow with the square of it."""
    example: Graph | Callable[[], Graph] | None = None
    """An example graph; by default a small graph sampled from `train`."""
    most_rows: Callable[[int], int] = lambda nodes: 100 + 10 * nodes
    """A generous upper bound of the number of rows, given the number of nodes. A network that has not halted by then is
    stopped."""
    from_source: Callable[[Any], Graph | None] = lambda source: None
    """Makes a graph of an input of the algorithm's own kind, such as a text. Returns None for any other source, which is
    then read as a graph."""
    unfit: Callable[[Graph], str] = lambda graph: ""
    """Returns the requirement that a graph does not meet, in words; an empty string if it meets all."""
    valid: Callable[[Graph, Outputs], bool] | None = None
    """Whether outputs are a right answer; None if the algorithm's own answer is the only right one."""
    answer: Callable[[Graph, Outputs], Any] = None  # pyright: ignore[reportAssignmentType] (set below)
    """Converts outputs to an answer that uses the names of the graph's nodes; by default, each output by node."""
    layout: Layout = None  # pyright: ignore[reportAssignmentType] (set below)
    """Where its nodes are drawn; by default as bars if all that they have is a number each, else by their edges."""
    size: Callable[[Graph], str] | None = None
    """How large an input is, in words, such as `5 activities`; by default, how many nodes and edges there are."""
    picture: Callable[[Graph, Outputs], Picture] = None  # pyright: ignore[reportAssignmentType] (set below)
    """Returns the picture of an answer; raises ValueError if the outputs are none. By default it follows from the kinds of
    the outputs."""

    def __post_init__(self) -> None:
        super().__post_init__()
        sentence = " ".join((self.function.__doc__ or "").split()).partition(". ")[0].rstrip(".")
        defaults: dict[str, Any] = {
            "title": self.name.replace("_", " ").capitalize(),
            "summary": f"{sentence}." if sentence else "",
            "answer": self._answer_by_name,
            "layout": self._usual_layout(),
            "picture": lambda graph, outputs: picture_of_outputs(self.outputs, self.words, graph, outputs),
        }
        if self.small_inputs is None or not self.small_size:
            defaults["small_inputs"], defaults["small_size"] = default_inputs(self.inputs, self.unfit)
        defaults["full_size"] = self.small_size or defaults.get("small_size")
        for name, value in defaults.items():
            if not getattr(self, name):
                object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        inputs = ", ".join(field if isinstance(field, str) else field.name for field in self.inputs)
        outputs = ", ".join(field.name for field in self.outputs)
        return f"<Algorithm {self.name}: {self.title}; from {inputs} to {outputs}; views {', '.join(self.views)}>"

    def example_graph(self) -> Graph:
        """Returns an example graph.

        Returns:
            The algorithm's example; if it has none, a small graph sampled from `train`.
        """
        if self.example is None:
            return self.train(np.random.default_rng(0), 6)
        return self.example if isinstance(self.example, Graph) else self.example()

    def graph(
        self, source: Any, *, pattern: bool = False, progress: Callable[[int, int], None] = lambda done, total: None
    ) -> Graph:
        """Converts an object or a file to a graph, and checks that the algorithm accepts it.

        Args:
            source: An input of the algorithm's own kind (`from_source`), or anything that `as_graph` accepts. If the
                algorithm needs no edges and one number per node, such as a key, also a list of numbers, a NumPy vector, or
                a text file of numbers.
            pattern: Whether to ignore the weights of a graph or matrix: each entry that is not 0 is an edge.
            progress: Is told from time to time how many lines of a file are read, and of how many.

        Returns:
            The graph.

        Raises:
            ValueError: If the source is no graph, or the algorithm does not accept it.

        Example:
            >>> from recursor.algorithms import find
            >>> find("quicksort").graph([3, 1, 2]).values["key"].tolist()
            [3, 1, 2]
        """
        graph = self.from_source(source)
        if graph is None:
            graph = as_graph(source, pattern=pattern, values=self.node_values, numbers=self.numbers, progress=progress)
        elif pattern:
            raise GraphError(f"{self.name} takes no graph with weights to ignore, so leave out `pattern`, or --pattern")
        self.check(graph)
        return graph

    @property
    def node_values(self) -> dict[str, tuple[str, ...]]:
        """The values that the nodes of an input have, each with the words for its categories, if it has any."""
        fields = [field for field in self.inputs if isinstance(field, Field) and field.place == "node"]
        return {field.name: tuple(self.words.categories.get(field.name, ())) for field in fields}

    @property
    def numbers(self) -> str:
        """What a plain list of numbers gives to the nodes, such as `key`; nothing if such a list is no input."""
        return next(iter(self.node_values)) if self.takes_numbers else ""

    @property
    def takes_numbers(self) -> bool:
        """Whether a plain list of numbers is an input: the algorithm needs no edges and one number per node."""
        fields = [field for field in self.inputs if isinstance(field, Field)]
        return len(fields) == 1 and (fields[0].place, fields[0].kind) == ("node", "scalar") and not self.takes_edges

    @property
    def takes_edges(self) -> bool:
        """Whether the edges of a graph are an input."""
        return bool({"A", "adj"} & set(self.inputs))

    def lacks(self, graph: Graph) -> str:
        """Returns the requirement that a graph does not meet, in words; an empty string if it meets all.

        An algorithm of the nodes' values that takes no edges refuses them: the network would hear them, although the
        algorithm does not look at them.
        """
        fields = [field for field in self.inputs if isinstance(field, Field)]
        missing = next((f"{missing}{self._codes(field)}" for field in fields if (missing := lacks(graph, field))), "")
        edges = "a graph without edges" if fields and len(graph.senders) and not self.takes_edges else ""
        return missing or edges or self.unfit(graph)

    def check(self, graph: Graph) -> None:
        """Refuses a graph that does not meet the algorithm's requirements.

        Args:
            graph: Any graph.

        Raises:
            ValueError: If the graph does not meet a requirement; the message names it.
        """
        if missing := self.lacks(graph):
            raise ValueError(f"{self.name} needs {missing}{self._others()}; this graph is not fit for it")

    def _codes(self, field: Field) -> str:
        """Returns what the values of a category mean."""
        words = self.words.categories.get(field.name, ()) if field.kind == "category" else ()
        return f", in which {', '.join(f'{code} is {word}' for code, word in enumerate(words))}" if words else ""

    def _others(self) -> str:
        """Returns what else is an input, in words."""
        return ", or a plain list of numbers" * self.takes_numbers + f", or {self.words.source}" * bool(self.words.source)

    def record(self, graph: Graph, *, fit: bool = False) -> Recording:
        """Runs the algorithm on a graph and records its rows.

        Args:
            graph: A graph that meets the algorithm's requirements.
            fit: Whether that is known already, as of `small_inputs`; it is then not checked again.

        Raises:
            ValueError: If the graph does not meet the algorithm's requirements, or the rows would not fit into memory.
        """
        if not fit:
            self.check(graph)
        self._require_memory(graph)
        recorder = Recorder(self, len(graph))
        outputs = call_deep(lambda: self.function(graph, recorder), len(graph))
        rows = recorder.rows
        if not rows:
            raise ValueError(f"algorithm {self.name!r} recorded no row")
        missing = [field.name for field in self.outputs if field.name not in (outputs or ())]
        if missing:
            raise ValueError(f"algorithm {self.name!r} declares the output {missing[0]!r}, but its function returns none")
        return Recording(self, graph, rows, outputs)

    def first_row(self, graph: Graph) -> Recording:
        """Records row 0 only, which follows from the inputs."""
        self.check(graph)
        recorder = Recorder(self, len(graph), most=1)
        with suppress(EnoughRows):
            self.function(graph, recorder)
        return Recording(self, graph, recorder.rows, {})

    def run(self, graph: Graph) -> dict[str, np.ndarray]:
        """Runs the algorithm without recording rows, so that graphs can be large.

        Args:
            graph: A graph that meets the algorithm's requirements.

        Returns:
            The classical outputs.

        Raises:
            ValueError: If the graph does not meet them.
        """
        outputs, _ = self._run(graph)
        return {field.name: np.array(outputs[field.name], field.dtype) for field in self.outputs}

    def count_rows(self, graph: Graph) -> int:
        """Returns how many rows the algorithm has on a graph, without recording them.

        Args:
            graph: A graph that meets the algorithm's requirements.

        Raises:
            ValueError: If the graph does not meet them.

        Example:
            >>> from recursor.algorithms import find
            >>> dfs = find("dfs")
            >>> dfs.count_rows(dfs.graph([[0, 1], [0, 0]])) == len(dfs.record(dfs.graph([[0, 1], [0, 0]])))
            True
        """
        return self._run(graph)[1].count

    def _run(self, graph: Graph) -> tuple[Mapping[str, Any], Recorder]:
        self.check(graph)
        recorder = Recorder(self, len(graph), most=0)
        return call_deep(lambda: self.function(graph, recorder), len(graph)), recorder

    def _require_memory(self, graph: Graph) -> None:
        """Refuses a graph whose rows would not fit into memory. If it is large, the rows are counted first."""
        row = self.form(len(graph))[1].itemsize
        if 100 * len(graph) * row > SMALL:
            rows = self.count_rows(graph)
            what = f"recording {rows} rows of {self.name} on {len(graph)} nodes"
            require_memory(2 * rows * row, what, "choose a smaller graph")

    def _usual_layout(self) -> Layout:
        fields = [field for field in self.inputs if isinstance(field, Field)]
        numbers = [field for field in fields if (field.place, field.kind) == ("node", "scalar")]
        return "bars" if len(fields) == len(numbers) == 1 and not {"A", "adj"} & set(self.inputs) else "graph"

    def _answer_by_name(self, graph: Graph, outputs: Outputs) -> dict[str, Any]:
        """Returns each output by node, with pointers as names."""

        def in_names(field: Field, value: Any) -> Any:
            if field.kind == "pointer":
                return graph.names[int(value)] if value >= 0 else None
            return bool(value) if field.kind == "mask" else int(value)

        return {
            field.name: in_names(field, outputs[field.name])
            if field.place == "graph"
            else {name: in_names(field, value) for name, value in zip(graph.names, outputs[field.name], strict=True)}
            for field in self.outputs
        }
