"""The heap: all numbers of an execution in one array, whose parts have names and can become longer."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from recursor.execution.lookup.classes import hash_classes
from recursor.execution.lookup.compiled import compiled
from recursor.execution.lookup.state import ARRAYS, FIRST_ARRAY, HEADER, LENGTH, MOST_WORK

Room = tuple[int, int]
"""How many elements, and what they are at first."""
WORK_BETWEEN_VISITS = {False: 2**17, True: 2**22}
"""How many nodes and edges plain Python and compiled functions visit in 0.1 to 0.5 s."""


class PlainHeap(list):
    """A heap for plain Python, which finds classes and entries in dictionaries."""

    def __init__(self, values: list[int], found: dict) -> None:
        super().__init__(values)
        self.found = found


class Heap:
    """The state of an execution (`state.py`), by name.

    Args:
        numbers: The single numbers that are not 0.
        arrays: The arrays, or how much room they have. Those that are left out have none.
        is_compiled: Whether it is for compiled functions.
    """

    def __init__(self, numbers: Mapping[int, int], arrays: Mapping[str, Any | Room], *, is_compiled: bool) -> None:
        self.is_compiled = is_compiled
        self._found: dict = {}
        self._places: dict[str, tuple[int, int]] = {}
        parts = {name: arrays.get(name, (0, 0)) for name in ARRAYS}
        lengths = {name: part[0] if isinstance(part, tuple) else np.size(part) for name, part in parts.items()}
        whole = self._allocate(lengths)
        for which, number in numbers.items():
            whole[which] = number
        for name, part in parts.items():
            start, length = self._places[name]
            if not isinstance(part, tuple):
                whole[start : start + length] = np.reshape(part, -1)
            elif part[1]:
                whole[start : start + length] = part[1]
        self._take(whole)

    def _allocate(self, lengths: Mapping[str, int]) -> np.ndarray:
        """Returns zeros with room for all arrays. The system gives the memory when it is written to."""
        header, start = np.zeros(HEADER, np.int64), HEADER
        for place, (name, length) in enumerate(lengths.items()):
            at = FIRST_ARRAY + 2 * place
            header[at], header[at + LENGTH] = start, length
            self._places[name] = start, length
            start += length
        whole = np.zeros(start, np.int64)
        whole[:HEADER] = header
        return whole

    def _take(self, whole: np.ndarray) -> None:
        whole[MOST_WORK] = WORK_BETWEEN_VISITS[self.is_compiled]
        self.numbers: Any = whole if self.is_compiled else PlainHeap(whole.tolist(), self._found)

    def compile(self) -> None:
        """Makes a heap for compiled functions of one for plain Python."""
        self.is_compiled = True
        self._take(np.array(self.numbers, np.int64))
        self.hash_classes()

    def hash_classes(self) -> None:
        """Fills the hash table of classes anew. Plain Python has a dictionary instead."""
        if self.is_compiled:
            start, length = self._places["class_hash"]
            self.numbers[start : start + length] = -1
            compiled(hash_classes)(self.numbers)

    def __getitem__(self, name: str) -> np.ndarray:
        """Returns a copy of an array."""
        return self.head(name, self.length(name))

    def head(self, name: str, count: int) -> np.ndarray:
        """Returns a copy of the first elements of an array."""
        start, _ = self._places[name]
        return np.array(self.numbers[start : start + count], np.int64)

    def length(self, name: str) -> int:
        """Returns the length of an array."""
        return self._places[name][1]

    def enlarge(self, longer: Mapping[str, Room]) -> None:
        """Makes arrays longer: of each by how much, and what the new elements are."""
        if not any(count for count, _ in longer.values()):
            return
        before, old = self.numbers, dict(self._places)
        whole = self._allocate({name: length + longer.get(name, (0, 0))[0] for name, (_, length) in old.items()})
        whole[:FIRST_ARRAY] = before[:FIRST_ARRAY]
        for name, (start, length) in old.items():
            new, count = self._places[name]
            whole[new : new + length] = before[start : start + length]
            if count > length and longer[name][1]:
                whole[new + length : new + count] = longer[name][1]
        self._take(whole)
