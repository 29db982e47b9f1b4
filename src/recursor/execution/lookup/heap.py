"""The heap: all numbers of an execution in one array, whose parts have names and can become longer."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from recursor.execution.lookup.compiled import COMPILED
from recursor.execution.lookup.state import ARRAYS, FIRST_ARRAY, HEADER, LENGTH

Room = tuple[int, int]
"""How many elements, and what they are at first."""


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
    """

    def __init__(self, numbers: Mapping[int, int], arrays: Mapping[str, Any | Room]) -> None:
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
        self.numbers: Any = whole if COMPILED else PlainHeap(whole.tolist(), self._found)

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
