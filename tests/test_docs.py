"""The pages of the documentation: their examples print what stands below them, and quoted source is the source."""

import contextlib
import io
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = {page.name: page.read_text("utf-8") for page in sorted((ROOT / "docs").glob("*.md"))}
NO_FENCE = r"(?:(?!```).*\n)*"
PYTHON = re.compile(rf"^```python\n({NO_FENCE})```\n\n```text\n({NO_FENCE})```$", re.MULTILINE)
CONSOLE = re.compile(rf"^```console\n({NO_FENCE})```$", re.MULTILINE)
QUICK = re.compile(r"^\$ (?!printf |recursor record |recursor train .* --forcing 2)", re.MULTILINE)  # what is not quick


def place(name: str, match: re.Match[str]) -> str:
    return f"{name}:{PAGES[name][: match.start()].count(chr(10)) + 1}"


@pytest.fixture(autouse=True)
def examples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "examples").symlink_to(ROOT / "examples")


@pytest.mark.parametrize(
    ("code", "printed"),
    [pytest.param(*match.groups(), id=place(name, match)) for name in PAGES for match in PYTHON.finditer(PAGES[name])],
)
def test_examples_in_python_print_what_is_below_them(code: str, printed: str) -> None:
    found = io.StringIO()
    with contextlib.redirect_stdout(found):
        exec(compile(code, "an example", "exec"), {"__name__": "__main__"})
    assert found.getvalue() == printed


@pytest.mark.parametrize(
    "block",
    [
        pytest.param(match[1], id=place(name, match))
        for name in PAGES
        for match in CONSOLE.finditer(PAGES[name])
        if not QUICK.search(match[1])
    ],
)
def test_examples_of_commands_print_what_is_below_them(block: str) -> None:
    commands = [line[2:] for line in block.splitlines() if line.startswith("$ ")]
    script = "\n".join([f'recursor() {{ "{sys.executable}" -m recursor.cli "$@"; }}', *commands])
    done = subprocess.run(
        ["bash", "-c", script], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=os.environ
    )
    found = [line.rstrip() for line in done.stdout.splitlines() if line.strip()]
    assert found == [line.rstrip() for line in block.splitlines() if not line.startswith("$ ")]


def test_the_listing_of_depth_first_search_is_its_source() -> None:
    source = (ROOT / "src" / "recursor" / "algorithms" / "dfs.py").read_text("utf-8").splitlines()
    listed = re.findall(r"^(\d\d)(?:  (.*))?$", PAGES["recording.md"].partition("```text\n")[2], re.MULTILINE)
    assert len(listed) > 20
    assert [line for _, line in listed] == [source[int(number) - 1] for number, _ in listed]
