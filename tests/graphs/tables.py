"""A stand-in for pandas tables, which need not be installed."""

import numpy as np


class Table:
    """Rows of cells. As in pandas, an array of whole and other numbers has only floats, unless objects are asked for."""

    def __init__(self, rows: list, width: int = 2) -> None:
        self.columns, self.rows = range(width), rows

    def to_numpy(self, dtype: type | None = None) -> np.ndarray:
        return np.array(self.rows, dtype).reshape(-1, len(self.columns))
