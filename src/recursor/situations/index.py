"""Numbers for keys: each key that is met for the first time gets the next number."""

import numpy as np


class Index:
    """A growing map from 64-bit keys to the numbers 0, 1, 2, …"""

    def __init__(self) -> None:
        self.keys = np.zeros(0, np.int64)
        """The keys, by number."""
        self._sorted = np.zeros(0, np.int64)
        self._numbers = np.zeros(0, np.int64)

    def __len__(self) -> int:
        return len(self.keys)

    def find(self, keys: np.ndarray) -> np.ndarray:
        """Returns the numbers of keys, -1 for a key that has none, in the shape of `keys`."""
        if not len(self._sorted):
            return np.full(keys.shape, -1, np.int64)
        places = np.minimum(np.searchsorted(self._sorted, keys), len(self._sorted) - 1)
        return np.where(self._sorted[places] == keys, self._numbers[places], -1)

    def add(self, keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Returns the numbers of keys, and the keys that are new, in the order of their numbers."""
        numbers = self.find(keys)
        new = np.unique(keys[numbers < 0])
        if not len(new):
            return numbers, new
        self.keys = np.concatenate([self.keys, new])
        self.sort()
        return self.find(keys), new

    def sort(self) -> None:
        """Makes the keys ready to be found."""
        self._numbers = np.argsort(self.keys, kind="stable")
        self._sorted = self.keys[self._numbers]
