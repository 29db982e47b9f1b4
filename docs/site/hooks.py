"""What `make docs` does beside mkdocs: pages that do not exist yet, links out of docs/, formulas, and notebooks.

Documents are read in the repository too, so they are plain Markdown with relative links. Here a link to a file outside of
docs/ becomes its path, a picture outside is copied, and formulas become MathML, which needs no script.
"""

import html as html_lib
import json
import re
import sys
from pathlib import Path

from latex2mathml.converter import convert
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

sys.path.insert(0, str(Path(__file__).parent))
import reference

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
CODE = re.compile(r"(^(```|~~~).*?^\2\s*$|`[^`\n]+`)", re.MULTILINE | re.DOTALL)
BLOCK = re.compile(r"^```math\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FIGURES = re.compile(r"<td>(?=[^<]*\d)(?=[^<]{1,16}</td>)(?=[\d.,/\s±%–-]+</td>)")
CELLS = re.compile(r"<td([^>]*)>(.*?)</td>", re.DOTALL)
TAGS = re.compile(r"<[^>]*>")
NAMES = re.compile(r"(?<=[a-z])_(?=[a-z])(?![^<]*>)")
LONG = 14  # letters of a name that may break
SENTENCE = 18  # letters of a cell that is rather a sentence than a name
PRE = re.compile(r"(<pre.*?</pre>)", re.DOTALL)
THOUSANDS = re.compile(r"(?<=\d) (?=\d{3}(?!\d))(?![^<]*>)")
SHORT_CODE = re.compile(r"<code>([^<]{1,20})</code>")
LONG_CODE = re.compile(r"<code>[^<]*</code>")
OPTIONS = re.compile(r"(?<![\w-])--?[A-Za-z][\w-]*")
INLINE = re.compile(r"\$([^$\n]+)\$")
LINK_TO_GALLERY = re.compile(r"^\[Open the gallery\].*$", re.MULTILINE)
CARD = re.compile(r'<li><a href="([^"]+)"><img src="([^"]+)"[^>]*alt="([^"]*)"[^>]*><b>(.*?)</b>')
OUTSIDE = re.compile(r"(!?)\[([^\]]*)\]\((\.\./[^)#]+)\)")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Leaves pages that do not exist out of the navigation."""
    config.nav = _existing(config.nav or [])
    return config


def _existing(nav: list) -> list:
    found = []
    for entry in nav:
        if isinstance(entry, dict):
            ((title, target),) = entry.items()
            if isinstance(target, list):
                found.append({title: _existing(target)})
            elif _exists(target):
                found.append(entry)
        elif _exists(entry):
            found.append(entry)
    return found


def _exists(name: str) -> bool:
    return name.startswith("reference/") or (DOCS / name).exists() or (DOCS / name).with_suffix(".ipynb").exists()


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the reference, the notebooks as pages, and the pictures of the results."""
    for path in sorted((DOCS / "notebooks").glob("*.ipynb")):
        name = path.relative_to(DOCS).with_suffix(".md").as_posix()
        files.append(File.generated(config, name, content=notebook_as_markdown(path)))
    for name, page in reference.PAGES.items():
        files.append(File.generated(config, f"reference/{name}.md", content=page()))
    for path in sorted((ROOT / "results").glob("*/*.svg")):
        files.append(File.generated(config, path.relative_to(ROOT).as_posix(), content=path.read_bytes()))
    return files


def notebook_as_markdown(path: Path) -> str:
    """Returns a notebook as Markdown: its text, its code, and what the code printed."""
    parts = []
    for cell in json.loads(path.read_text("utf-8"))["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
            continue
        parts.append(f"```python\n{source}\n```")
        for output in cell["outputs"]:
            text = "".join(output.get("text", output.get("data", {}).get("text/plain", "")))
            if text:
                parts.append(f"```text\n{text.rstrip()}\n```")
    return "\n\n".join(parts) + "\n"


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Makes formulas MathML, links to files outside of docs/ their paths, and the link to the gallery its pictures."""
    if page.file.src_path == "gallery.md":
        markdown = LINK_TO_GALLERY.sub(lambda found: gallery_cards(), markdown)
    markdown = BLOCK.sub(lambda found: _mathml(found[1].strip(), "block") + "\n", markdown)
    pieces = CODE.split(markdown)  # text, code, fence, text, code, fence, …
    if any("$$" in piece for piece in pieces[::3]):
        raise PluginError(f"{page.file.src_path}: a formula on lines of its own is a ```math block, not between $$")
    markdown = "".join(
        INLINE.sub(_formula, piece) if place % 3 == 0 else piece for place, piece in enumerate(pieces) if place % 3 < 2
    )
    return OUTSIDE.sub(_outside, markdown).replace(".ipynb)", ".md)")


def gallery_cards() -> str:
    """Returns the moving pictures of the gallery, each a link to its page, as `make gallery` has written them."""
    cards = CARD.findall((DOCS / "gallery" / "index.html").read_text("utf-8"))
    if not cards:
        raise PluginError("docs/gallery/index.html has no cards: `make gallery` writes them")
    return "\n".join(
        [
            '<div class="gallery">',
            *(
                f'<a href="gallery/{file}"><img src="gallery/{picture}" alt="{answer}" loading="lazy">{title}</a>'
                for file, picture, answer, title in cards
            ),
            "</div>",
        ]
    )


def on_page_content(html: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Keeps together what belongs together: figures such as 98.3 ± 2.4 in tables, thousands such as 2 000, and options of
    commands. Cells with sentences are marked, and long names in tables may break behind an underscore."""
    html = FIGURES.sub('<td class="figure">', html)
    html = CELLS.sub(_cell, html)
    pieces = PRE.split(html)  # between the listings, which stay as they are
    for place in range(0, len(pieces), 2):
        text = THOUSANDS.sub("\N{NO-BREAK SPACE}", pieces[place])
        pieces[place] = SHORT_CODE.sub(r'<code class="short">\1</code>', text)
        pieces[place] = LONG_CODE.sub(
            lambda found: OPTIONS.sub(r'<span class="option">\g<0></span>', found[0]), pieces[place]
        )
    return "".join(pieces)


def _cell(found: re.Match) -> str:
    attributes, content = found.groups()
    words = html_lib.unescape(TAGS.sub("", content))
    sentence = ' class="sentence"' if not attributes and len(words) >= SENTENCE else attributes
    return f"<td{sentence}>{NAMES.sub('_<wbr>', content) if len(words) > LONG else content}</td>"


def _formula(found: re.Match) -> str:
    return f"<span>{_mathml(found[1], 'inline')}</span>".replace("\n", "")  # a line that begins with <math> would be a block


def _mathml(formula: str, display: str) -> str:
    """Makes a formula MathML, in which a logarithm stands apart from what is before and after it, as TeX sets it."""
    space = '<mspace width="0.167em" />'
    return convert(formula, display=display).replace("<mi>log</mi>", f"{space}<mi>log</mi>{space}")


def _outside(found: re.Match) -> str:
    picture, text, target = found.groups()
    path = target.removeprefix("../")
    if picture:
        return f"![{text}]({path})"
    if text == Path(path).name:
        return f"`{path}`"
    return text if text == path else f"{text} (`{path}`)"
