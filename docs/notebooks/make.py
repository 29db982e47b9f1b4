"""Executes the notebooks and keeps what they print.

    python docs/notebooks/make.py

A test runs their cells, and compares.
"""

from pathlib import Path

import nbformat
from nbclient import NotebookClient

HERE = Path(__file__).parent


def execute(path: Path) -> nbformat.NotebookNode:
    """Returns a notebook with the outputs of its cells. An error in a cell is raised."""
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, timeout=600, kernel_name="python3").execute()
    for cell in notebook.cells:
        cell.metadata = {}
        if cell.cell_type == "code":
            cell.outputs = [output for output in cell.outputs if output.get("name") != "stderr"]
    return notebook


def main() -> None:
    """Executes all notebooks beside this file."""
    for path in sorted(HERE.glob("*.ipynb")):
        nbformat.write(execute(path), path)


if __name__ == "__main__":
    main()
