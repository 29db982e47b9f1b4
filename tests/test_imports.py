"""The import graph of the package: who may know whom."""

import ast
import os
import subprocess
import sys
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import recursor

ROOT = Path(recursor.__file__).parent
MODULES = {
    ".".join(("recursor", *path.relative_to(ROOT).with_suffix("").parts)).removesuffix(".__init__"): path
    for path in sorted(ROOT.rglob("*.py"))
}


def imported(module: str) -> set[str]:
    """The modules of the package that a module imports anywhere: at its top, inside functions, for types only, and as files
    that a folder names in `FILES`."""
    found = set()
    for node in ast.walk(ast.parse(MODULES[module].read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{module} has a relative import"
            names = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= {name if name in MODULES else node.module or "" for name in names}
        elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "FILES":
            found |= {f"{module}.{file}" for file in ast.literal_eval(node.value)}
    return (found & set(MODULES)) - {module}


GRAPH = {module: imported(module) for module in MODULES}


def test_no_module_imports_itself_through_others() -> None:
    try:
        TopologicalSorter(GRAPH).prepare()
    except CycleError as error:
        pytest.fail(f"an import cycle: {' -> '.join(error.args[1])}")


def room(module: str) -> str:
    """The first two parts of a module's name."""
    return ".".join(module.split(".")[:2])


def test_no_room_imports_itself_through_others() -> None:
    rooms: dict[str, set[str]] = {}
    for module, others in GRAPH.items():
        if module != "recursor":
            rooms.setdefault(room(module), set()).update({room(other) for other in others} - {room(module)})
    try:
        TopologicalSorter(rooms).prepare()
    except CycleError as error:
        pytest.fail(f"a cycle of rooms: {' -> '.join(error.args[1])}")


def test_nothing_imports_the_front_door() -> None:
    assert not [module for module, others in GRAPH.items() if "recursor" in others]


@pytest.mark.parametrize("room_name", ["algorithms", "graphs", "recording", "spec", "data"])
def test_recording_needs_no_network(room_name: str) -> None:
    start = {module for module in MODULES if module.startswith(f"recursor.{room_name}")}
    reached: set[str] = set()
    while start:
        reached |= start
        start = {other for module in start for other in GRAPH[module]} - reached
    assert not [module for module in reached if room(module) in ("recursor.network", "recursor.training")]


def test_the_front_door_takes_no_jax_and_works_without_posix_modules() -> None:
    code = (
        "import sys\n"
        "for name in ('fcntl', 'resource'): sys.modules[name] = None\n"  # as on Windows: importing them fails
        "import recursor\n"
        "assert 'jax' not in sys.modules and 'equinox' not in sys.modules\n"
        "for name in recursor.__all__: getattr(recursor, name)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, "JAX_PLATFORMS": "cpu"})
