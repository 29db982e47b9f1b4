"""The formats of graph files, one file each; `contract.py` says what a format is."""

from importlib import import_module

from recursor.graphs.formats.contract import Format

FILES = (
    "numbers",
    "edge_list",
    "npy",
    "matrix_market",
)
"""The files of this folder that hold a `FORMAT`. Where two share a suffix, the first that takes a file reads it."""

FORMATS: tuple[Format, ...] = tuple(import_module(f"{__name__}.{file}").FORMAT for file in FILES)
"""The formats."""
