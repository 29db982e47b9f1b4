"""The configuration of a training run: plain values, saved with the run and checked before it starts."""

import dataclasses
import json
import math
from dataclasses import dataclass, field
from pathlib import Path
from types import UnionType
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from recursor.algorithms import find
from recursor.network.check import check_names, check_network
from recursor.network.config import NetworkConfig
from recursor.network.processors import PROCESSORS
from recursor.network.stacks import STACKS
from recursor.recording.rows import decoded_bytes
from recursor.spec import Spec
from recursor.system.files import parse_json, read_whole
from recursor.system.memory import require_memory

T = TypeVar("T")
Trainer = Literal["rollout", "call-frames", "latent"]
FROM_SINGLE_ROWS: tuple[Trainer, ...] = ("call-frames", "latent")
"""Trainers that learn from single rows, without unrolling."""
Schedule = Literal["constant", "cosine"]
RETIRED = ("temperature", "foresight", "relative_ops", "push_price")
"""Names that configurations of earlier versions have. They changed nothing but the trainer latent, and are ignored."""


@dataclass(frozen=True)
class TrainConfig:
    """The configuration of a training run. The defaults are the paper's node-wise stack in the paper's budget."""

    algorithm: str = "dfs"
    """The algorithm to learn; `recursor algorithms` lists them."""
    view: str = "local"
    """The view of the algorithm, which selects the hints."""
    network: NetworkConfig = field(default_factory=NetworkConfig)
    sizes: tuple[int, ...] = (4, 8, 16, 24, 32)
    """Sizes of the training graphs; updates cycle through them."""
    batch: int = 32
    """Graphs per update."""
    trainer: Trainer = "rollout"
    """rollout: learns from all rows, partly on its own predictions; call-frames: from single rows and their open calls;
    latent: like call-frames, but the stack operations are not told: it finds them."""
    links: int = 3
    """For the trainer call-frames: rows in a chain of calls, including the current one."""
    chains: int = 4
    """For the trainer call-frames: chains per graph."""
    silence: float = 0.0
    """For the trainer call-frames: weight of a penalty on message bits that are 1; bits that do not help become 0."""
    explore: int = 200
    """For the trainer latent: updates at the beginning with random stack operations."""
    search: int = 40
    """For the trainer latent: updates after them in which the weight of the stack operations rises to the final one."""
    row_weight: float = 20.0
    """For the trainer latent: the weight of the rows when stack operations are drawn."""
    op_weight: float = 4.0
    """For the trainer latent: the weight, from the end of the search on, of how well the stack operations are foreseen. It
    begins with 1."""
    restarts: int = 0
    """For the trainer latent: how often training starts again with other random weights, at most, if no use of the stack has
    settled some time after the search."""
    halting: bool = False
    """Whether the network learns to predict the last row, at which it halts."""
    updates: int = 20_000
    forcing: float = 0.5
    """Probability of teacher forcing: a row gets the true hints instead of the predicted ones."""
    learning_rate: float = 1e-3
    schedule: Schedule = "constant"
    """constant: the learning rate is constant; cosine: it falls to a twentieth."""
    clip: float = 1.0
    """Gradients are clipped to this global norm."""
    validate_every: int = 50
    """Updates between two validations; the checkpoint with the best score is kept for evaluation."""
    validate_nodes: int = 32
    validate_graphs: int = 64
    patience: int = 0
    """Training stops after this many validations without a better score; 0: never."""
    together: tuple[str, ...] = ()
    """Algorithms whose networks share one processor: they are trained in turn, for so many updates each, and then learn
    their lessons one by one, while the processor stays as it is. Each has its exact view."""
    processor_from: str = ""
    """A run with whose processor training starts: the name of a shipped one, or its directory. The arrays must have the same
    shapes."""
    keep_processor: bool = False
    """Whether the processor stays as it is, and only encoders and decoders learn."""
    lessons: int = 0
    """For the trainer call-frames: at most this many times, training continues on rows that verification found wrong."""
    lesson_updates: int = 200
    """Updates after each of these verifications."""
    seed: int = 1
    """The only source of randomness: the same seed gives the same weights."""

    @property
    def spec(self) -> Spec:
        """The spec that the network is built for."""
        spec = find(self.algorithm).spec(self.view)
        spec = spec.halting() if self.halting else spec
        return spec.finding_ops() if self.trainer == "latent" else spec

    def check(self) -> None:
        """Refuses a configuration that cannot work.

        Raises:
            ValueError: If a value, or a combination of values, is not possible; the message says what would be.
        """
        check_network(self.network, self.spec)
        positive = ("batch", "updates", "links", "chains", "learning_rate", "clip")
        for name in (*positive, "validate_every", "validate_nodes", "validate_graphs", "lesson_updates"):
            value = getattr(self, name)
            if not (value > 0 and math.isfinite(value)):
                raise ValueError(f"{name} must be greater than 0, not {value}")
        if not self.sizes or min(self.sizes) < 1:
            raise ValueError(f"sizes must be one or more numbers of nodes, each at least 1, not {self.sizes}")
        if not 0 <= self.forcing <= 1:
            raise ValueError(f"forcing is a probability between 0 and 1, not {self.forcing}")
        single_rows = self.trainer in FROM_SINGLE_ROWS
        if single_rows and (self.network.hidden_state or self.forcing < 1 or not self.network.collect):
            raise ValueError(
                f"the trainer {self.trainer} learns from single rows: it needs hidden_state off, forcing 1 and collect on, "
                f"not {self.network.hidden_state}, {self.forcing} and {self.network.collect}"
            )
        if not (self.silence >= 0 and math.isfinite(self.silence)):
            raise ValueError(f"silence must be 0 or more, not {self.silence}")
        if self.silence and (not single_rows or not (self.network.message_bits or self.network.pooled_bits)):
            raise ValueError(
                "silence is a penalty on bits: it needs the trainer call-frames, and message_bits or pooled_bits"
            )
        if self.halting and not self.network.collect:
            raise ValueError("a network with halting must collect its outputs: turn collect on, or halting off")
        special = [field.name for field in self.spec.hints if field.null or field.kind == "stamp"]
        if special and (not single_rows or not self.halting):
            raise ValueError(
                f"null pointers and stamps ({', '.join(special)} of {self.algorithm}) need the trainer "
                f"call-frames, and halting"
            )
        if self.trainer == "rollout" and not STACKS.find(self.network.stack).learns_by_rollout:
            raise ValueError(
                f"a {self.network.stack} stack needs the trainer call-frames: it gets no gradient from a rollout"
            )
        if self.trainer == "latent":
            self._check_latent()
        if self.restarts < 0 or (self.restarts and self.trainer != "latent"):
            raise ValueError(f"restarts must be 0 or more, and need the trainer latent, not {self.restarts}, {self.trainer}")
        if self.together:
            self._check_together()
        if self.keep_processor and not self.processor_from:
            raise ValueError("keep_processor needs a trained processor: name a run with processor_from")
        if self.lessons < 0 or (self.lessons and (not single_rows or not self.halting)):
            raise ValueError("lessons must be 0 or more, and need the trainer call-frames and halting")
        if self.patience < 0 or self.seed < 0:
            raise ValueError("patience and seed must be 0 or more")
        what = f"an update of {self.batch} graphs of {max(self.sizes)} nodes at width {self.network.width}"
        require_memory(self.memory(), what, "choose smaller sizes, a smaller batch or a smaller width")
        what = f"validation on {self.validate_graphs} graphs of {self.validate_nodes} nodes"
        require_memory(self.validation_memory(), what, "choose a smaller validate_nodes or validate_graphs")

    def parts(self) -> dict[str, "TrainConfig"]:
        """Returns for each of the algorithms that share a processor the configuration of its own network."""
        return {name: dataclasses.replace(self, algorithm=name, view=find(name).exact_view) for name in self.together}

    def _check_together(self) -> None:
        if len(set(self.together)) < len(self.together) or self.algorithm not in self.together:
            raise ValueError(
                f"together must name each algorithm once, {self.algorithm} among them, not {', '.join(self.together)}"
            )
        if self.trainer != "call-frames":
            raise ValueError(f"networks that share a processor need the trainer call-frames, not {self.trainer}")
        needed = {name: len(part.spec.compared) + len(part.spec.stamps) for name, part in self.parts().items()}
        most = max(needed, key=needed.__getitem__)
        if not self.network.encode_frame or self.network.orders < needed[most]:
            raise ValueError(
                f"networks share a processor of one shape: it needs encode_frame, and orders {needed[most]} for {most}, not "
                f"{self.network.encode_frame} and {self.network.orders}"
            )

    def _check_latent(self) -> None:
        if not self.spec.finds_ops:
            raise ValueError(
                f"the trainer latent must find the ops itself, but the view {self.view!r} shows them: "
                f"choose {self.view}-no-op"
            )
        if not STACKS.find(self.network.stack).copies or self.links != 1:
            raise ValueError(
                "the trainer latent needs frames that are copies of rows, by the stack fields or choice, and links 1"
            )
        if self.explore < 0 or self.search < 1:
            raise ValueError(f"explore must be 0 or more, and search at least 1, not {self.explore} and {self.search}")
        for name in ("row_weight", "op_weight"):
            value = getattr(self, name)
            if not (value > 0 and math.isfinite(value)):
                raise ValueError(f"{name} must be greater than 0, not {value}")

    def memory(self) -> float:
        """Returns an estimate of the memory of an update at the largest size, in bytes: what the backward pass keeps."""
        n, width, rounds = max(self.sizes), self.network.width, self.network.rounds
        rows = 3 * n if self.trainer == "rollout" else self.chains * self.links
        messages = PROCESSORS.find(self.network.processor).training_bytes(self.network, n)
        kept = rounds * messages + 4 * n * n * 8 + 4 * n * width * 12 * rounds  # channels, node features
        stack = STACKS.find(self.network.stack).training_bytes(self.network, n)
        weights = 4 * 4 * 20 * width * width  # with their gradients and the two moments of the optimiser
        return weights + self.batch * (rows * (kept + stack) + 16 * n * n * width)

    def validation_memory(self) -> float:
        """Returns an estimate of the memory of a validation, in bytes: all recordings, and one execution at a time."""
        n, network = self.validate_nodes, self.network
        edges = n * n if any(field.place == "edge" for field in self.spec.inputs) else 0
        recordings = self.validate_graphs * (3 * n * n + 50 * edges)  # a byte a node and row, and the neighbours
        messages = PROCESSORS.find(network.processor).execution_numbers(network, n, edges)
        return recordings + 4 * (messages + n * 12 * network.width) + decoded_bytes(self.spec, 3 * n, n)

    def to_json(self) -> str:
        """Returns all values as JSON, which `from_json` reads."""
        return json.dumps(dataclasses.asdict(self), indent=2) + "\n"


def from_json(text: str, where: str) -> TrainConfig:
    """Reads a configuration from JSON. Refuses fields that are unknown or of the wrong type; `where` names the source."""
    try:
        data = parse_json(text)
    except ValueError as error:
        raise ValueError(f"{where} is not JSON: {error}") from None
    if isinstance(data, dict):
        data = {name: value for name, value in data.items() if name not in RETIRED}
    config = _build(TrainConfig, data, where)
    try:
        check_names(config.network)
    except ValueError as error:
        raise ValueError(f"{where}: network: {error}") from None
    return config


def read_config(path: Path) -> TrainConfig:
    """Reads a configuration file."""
    try:
        text = read_whole(path).decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is not JSON: {error}") from None
    return from_json(text, str(path))


def _build(kind: type[T], data: Any, where: str) -> T:
    if not isinstance(data, dict):
        raise ValueError(f"{where}: expected an object of named values, not {data!r}")
    types = get_type_hints(kind)
    unknown = sorted(set(data) - set(types))
    if unknown:
        raise ValueError(f"{where}: unknown field {', '.join(unknown)}; there are {', '.join(types)}")
    return kind(**{name: _value(types[name], value, f"{where}: {name}") for name, value in data.items()})


def _value(kind: Any, value: Any, where: str) -> Any:
    if dataclasses.is_dataclass(kind):
        return _build(kind, value, where)  # pyright: ignore[reportArgumentType]
    if get_origin(kind) is tuple:
        if not isinstance(value, list | tuple):
            raise ValueError(f"{where} must be a list, not {value!r}")
        return tuple(_value(get_args(kind)[0], item, where) for item in value)
    if get_origin(kind) is Literal:
        if value not in get_args(kind):
            raise ValueError(f"{where} must be one of {', '.join(map(str, get_args(kind)))}, not {value!r}")
        return value
    allowed: type | UnionType = int | float if kind is float else kind
    if not isinstance(value, allowed) or (isinstance(value, bool) and kind is not bool):
        raise ValueError(f"{where} must be {'a number' if kind is float else kind.__name__}, not {value!r}")
    return float(value) if kind is float else value
