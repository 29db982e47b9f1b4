"""Builds the wheel and the source archive, installs each into an empty environment elsewhere, and solves a graph there.

    python benchmarks/package.py [--python python3.12 ...]

The archives are left in dist/. The exit status is 1 if something fails.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
DIST = ROOT / "dist"
GRAPH = "# undirected\na b\nb c\nc a\nc d\n"


def build() -> list[Path]:
    """Builds the source archive, and the wheel from it, in an environment of their own."""
    shutil.rmtree(DIST, ignore_errors=True)
    with tempfile.TemporaryDirectory() as folder:
        python = _environment(sys.executable, Path(folder))
        _call(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "build")
        _call(python, "-m", "build", "--outdir", DIST, ROOT)
    return sorted(DIST.iterdir())


def try_out(archive: Path, interpreter: str) -> None:
    """Installs an archive into an empty environment, and solves a graph and sorts numbers in an empty folder."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        python = _environment(interpreter, place / "environment")
        _call(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", archive)
        (place / "graph.txt").write_text(GRAPH)
        recursor = python.with_name("recursor")
        solved = _call(recursor, "solve", "graph.txt", "--algorithm", "bridges", "--check", cwd=place)
        sort = _call(recursor, "solve", "3", "1", "2", "--algorithm", "quicksort", cwd=place)
    if "c – d" not in solved or "the same as the classical" not in solved or "1, 2, 3" not in sort:
        sys.exit(f"{archive.name} is installed, but answers wrongly:\n{solved}\n{sort}")
    print(f"{archive.name} works with {interpreter}", flush=True)


def _environment(interpreter: str, place: Path) -> Path:
    _call(interpreter, "-m", "venv", place)
    return place / "bin" / "python"


def _call(*words: object, cwd: Path | None = None) -> str:
    done = subprocess.run(list(map(str, words)), cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, words))} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def main() -> None:
    """Builds and tries out."""
    parser = argparse.ArgumentParser(description="Builds the package and tries it out.")
    parser.add_argument("--python", nargs="+", default=[sys.executable], help="the interpreters to try it with")
    options = parser.parse_args()
    archives = build()
    for archive in archives:
        print(f"{archive.relative_to(ROOT)}: {archive.stat().st_size / 1e6:.1f} MB", flush=True)
    for number, interpreter in enumerate(options.python):
        for archive in archives if number == 0 else archives[:1]:  # the wheel alone with further interpreters
            try_out(archive, interpreter)


if __name__ == "__main__":
    main()
