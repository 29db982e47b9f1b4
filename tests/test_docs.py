"""The pages of the documentation: their examples print what stands below them, their commands exist, and quoted source is
the source."""

import ast
import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
import tyro

from recursor import algorithms
from recursor.commands.line import Command
from recursor.commands.train import Train

ROOT = Path(__file__).parents[1]
FILES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
PAGES = {path.name: path.read_text("utf-8") for path in FILES}
SOURCES = "\n".join(path.read_text("utf-8") for folder in ("examples", "src") for path in (ROOT / folder).rglob("*.py"))
NO_FENCE = r"(?:(?!```).*\n)*"
PYTHON = re.compile(rf"^```python\n({NO_FENCE})```$(?:\n\n```text\n({NO_FENCE})```$)?", re.MULTILINE)
CONSOLE = re.compile(rf"^```console\n({NO_FENCE})```$", re.MULTILINE)
SHELL = re.compile(rf"^```sh\n({NO_FENCE})```$", re.MULTILINE)
ANNOTATED = re.compile(rf"^```sh\n({NO_FENCE})```\n\n```text\n({NO_FENCE})```$", re.MULTILINE)
QUICK = re.compile(
    r"(printf|source|recursor (--import \S+ )?(record|algorithms|solve|check)|recursor train .* --forcing 2)\b"
)
"""Commands that take seconds."""
NOTES = re.compile(r"loaded the shipped |checking: |$")
"""Lines that are progress, and no part of the answer."""
NEEDS = ("clrs", "runs/", "dfs.stablehlo", "recursor.verify(")
"""Words of examples that need more than Recursor, a run, or a minute."""


def place(name: str, match: re.Match[str]) -> str:
    return f"{name}:{PAGES[name][: match.start()].count(chr(10)) + 1}"


def blocks(pattern: re.Pattern[str]) -> list:
    found = [(name, match) for name, page in PAGES.items() for match in pattern.finditer(page)]
    return [pytest.param(*match.groups(), id=place(name, match)) for name, match in found]


def quoted(code: str) -> bool:
    """Whether code is in a file, apart from its imports."""
    code = code[code.index("def ") :] if code.startswith("from ") and "def " in code else code
    return code in SOURCES or textwrap.indent(code, "    ") in SOURCES


def quick(commands: str) -> bool:
    return all(QUICK.match(line) for line in commands.splitlines())


def printed_by(commands: str) -> list[str]:
    """The lines that commands print, without progress and empty lines."""
    commands = "\n".join(line for line in commands.splitlines() if not line.startswith("source "))
    script = f'recursor() {{ "{sys.executable}" -m recursor.cli "$@"; }}\n{commands}'
    done = subprocess.run(
        ["bash", "-c", script], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=os.environ
    )
    return [line.rstrip() for line in done.stdout.splitlines() if not NOTES.match(line.rstrip())]


@pytest.fixture(autouse=True)
def examples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "examples").symlink_to(ROOT / "examples")


def run_and_compare(code: str) -> None:
    """Runs an example line by line; where a line ends in a comment that is a value, the line has this value."""
    names: dict[str, object] = {"__name__": "__main__"}
    for node in ast.parse(code).body:
        source = ast.get_source_segment(code, node) or ""
        _, _, comment = code.splitlines()[(node.end_lineno or 1) - 1].partition("  # ")
        if not isinstance(node, ast.Expr):
            exec(source, names)
            continue
        found = eval(source, names)
        with contextlib.suppress(SyntaxError, ValueError):
            assert found == ast.literal_eval(comment), source


@pytest.mark.parametrize(("code", "printed"), blocks(PYTHON))
def test_examples_in_python_print_what_is_below_them(code: str, printed: str | None) -> None:
    if any(word in code for word in NEEDS) or quoted(code):
        compile(textwrap.dedent(code), "an example", "exec")
        return
    found = io.StringIO()
    with contextlib.redirect_stdout(found):
        if printed is None:
            run_and_compare(code)
        else:
            exec(compile(code, "an example", "exec"), {"__name__": "__main__"})
    assert found.getvalue() == (printed or "")


@pytest.mark.parametrize("code", [match[1] for page in PAGES.values() for match in PYTHON.finditer(page) if not match[2]])
def test_quoted_algorithms_are_their_source(code: str) -> None:
    assert "record.step()" not in code or quoted(code)


@pytest.mark.parametrize("block", blocks(CONSOLE))
def test_examples_of_commands_print_what_is_below_them(block: str) -> None:
    commands = "\n".join(re.findall(r"^\$ (.*)$", block, re.MULTILINE))
    assert quick(commands)
    assert printed_by(commands) == [
        line.rstrip() for line in block.splitlines() if line.strip() and not line.startswith("$ ")
    ]


@pytest.mark.parametrize(("commands", "shown"), [block for block in blocks(ANNOTATED) if quick(block.values[0])])
def test_annotated_output_begins_with_what_commands_print(commands: str, shown: str) -> None:
    found = printed_by(commands)
    assert found
    for line, annotated in zip(found, shown.splitlines(), strict=True):
        assert annotated.startswith(line)


@pytest.mark.parametrize("block", blocks(SHELL))
def test_commands_take_the_options_that_examples_give_them(block: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(algorithms, "ALGORITHMS", dict(algorithms.ALGORITHMS))
    monkeypatch.setattr(algorithms, "IMPORTED", [])
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    for line in block.replace("\\\n", " ").splitlines():
        words = shlex.split(line.partition(" > ")[0], comments=True)
        if words[:1] == ["make"]:
            assert words[1] in targets
        if words[:1] != ["recursor"]:
            continue
        arguments = words[1:]
        while arguments[:1] == ["--import"]:
            if "flood_fill" in arguments[1] and "flood_fill" not in algorithms.ALGORITHMS:
                algorithms.register_file(arguments[1])
            assert Path(arguments[1]).is_file()
            arguments = arguments[2:]
        command, rest = tyro.cli(Command, args=arguments, return_unknown_args=True)
        if isinstance(command, Train) and command.resume is None and not command.config.endswith(".json"):
            command.configured(rest)
        else:
            assert isinstance(command, Train) or not rest


def test_the_listing_of_depth_first_search_is_its_source() -> None:
    source = (ROOT / "src" / "recursor" / "algorithms" / "dfs.py").read_text("utf-8").splitlines()
    listed = re.findall(r"^(\d\d)(?:  (.*))?$", PAGES["recording.md"].partition("```text\n")[2], re.MULTILINE)
    assert len(listed) > 20
    assert [line for _, line in listed] == [source[int(number) - 1] for number, _ in listed]


def anchors(path: Path) -> set[str]:
    """The names of the headings of a page, as the repository's host makes them."""
    page = re.sub(r"^```.*?^```$", "", path.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    headings = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", "\n".join(re.findall(r"^#+ (.*)$", page, re.MULTILINE)))
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings.splitlines()}


@pytest.mark.parametrize("path", sorted({*FILES, *ROOT.glob("*.md")}), ids=lambda path: path.name)
def test_links_lead_to_files_and_headings_of_the_repository(path: Path) -> None:
    page = re.sub(r"^```.*?^```$", "", path.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    for link in re.findall(r"\]\(([^)\s]+)\)|src=\"([^\"]+)\"", page):
        file, _, anchor = "".join(link).partition("#")
        if file.startswith("https://") or file == "gallery/index.html":  # which `make gallery` makes
            continue
        target = path.parent / file if file else path
        assert target.exists(), file
        assert not anchor or anchor in anchors(target), "".join(link)


def test_the_description_of_the_package_needs_no_repository() -> None:
    links = re.findall(r"\]\(([^)]*)\)|src=\"([^\"]*)\"", PAGES["package.md"])
    assert all(link.startswith("https://") for pair in links for link in pair if link)
    assert "make " not in PAGES["package.md"]
