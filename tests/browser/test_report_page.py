"""The report pages in a real browser."""

from pathlib import Path

import pytest

from recursor.paper.report import report
from recursor.report.training import report_files
from tests.browser.conftest import Watched
from tests.paper.test_tables import everything, invented
from tests.report.reports import attempts, history

pytestmark = pytest.mark.browser

WIDER = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
CONTRAST = """[...document.querySelectorAll('h1, h2, h3, p, dt, dd, th, td, caption, summary, a, text')].map((element) => {
    const light = (colour) => colour.match(/[\\d.]+/g).slice(0, 3).map((c) => c / 255)
        .map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
        .reduce((sum, c, k) => sum + c * [0.2126, 0.7152, 0.0722][k], 0);
    let behind = element;
    while (getComputedStyle(behind).backgroundColor === 'rgba(0, 0, 0, 0)') behind = behind.parentElement;
    const style = getComputedStyle(element);
    const ink = element.ownerSVGElement ? style.fill : style.color;
    const [a, b] = [light(ink), light(getComputedStyle(behind).backgroundColor)];
    return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}).reduce((least, ratio) => Math.min(least, ratio))"""


@pytest.fixture(scope="module", params=["run", "run with nothing", "table"])
def address(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    root = tmp_path_factory.mktemp("pages")
    if request.param == "table":
        jobs = everything(root)
        invented(jobs[:20])
        (root / "report.html").write_bytes(report("small", jobs)["report.html"])
    else:
        empty = request.param == "run with nothing"
        of = (history(updates=0, done=False), None) if empty else (history(), attempts())
        for path, data in report_files(root / "report.html", "a run", *of).items():
            path.write_bytes(data)
    return (root / "report.html").as_uri()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_a_report_fits_the_screen_and_can_be_read(address: str, width: int, scheme: str, watched: Watched) -> None:
    page = watched.page
    page.set_viewport_size({"width": width, "height": 800})
    page.emulate_media(color_scheme=scheme)
    page.goto(address)
    for summary in page.locator("summary").all():
        summary.click()
    assert not page.evaluate(WIDER), "only tables scroll"
    assert page.evaluate(CONTRAST) >= 4.5
    assert watched.errors == []
    assert [url for url in watched.requests if not url.startswith("data:")] == [address]


def test_charts_are_drawn_where_they_can_be_seen_and_read_aloud(address: str, watched: Watched) -> None:
    page = watched.page
    page.goto(address)
    charts = page.locator("figure.chart > svg").all()
    assert bool(charts) != ("nothing yet" in page.inner_text("body") or "no metrics yet" in page.inner_text("body"))
    for drawn in charts:
        box = drawn.bounding_box()
        assert box["width"] > 100
        assert box["height"] > 60
        assert drawn.get_attribute("role") == "img"
        assert len(drawn.get_attribute("aria-label")) > 10
    assert page.evaluate(
        "[...document.querySelectorAll('.line')].every((l) => getComputedStyle(l).stroke.startsWith('rgb'))"
    )


def test_tables_are_reached_with_the_keyboard(address: str, watched: Watched) -> None:
    page = watched.page
    page.goto(address)
    wanted = page.evaluate("document.querySelectorAll('a, summary, [tabindex=\"0\"]').length")
    reached = set()
    for _ in range(wanted + 2):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement.outerHTML"))
    hidden = page.evaluate("document.querySelectorAll('details [tabindex=\"0\"]').length")
    assert len(reached - {page.evaluate("document.body.outerHTML")}) >= wanted - hidden


def test_links_lead_to_traces(watched: Watched, tmp_path: Path) -> None:
    for path, data in report_files(tmp_path / "a #1.html", "a run", history(), attempts()).items():
        path.write_bytes(data)
    page = watched.page
    for outcome, verdict in (("right", "✓ halted by itself"), ("wrong", "≈ halted by itself")):
        page.goto((tmp_path / "a #1.html").as_uri())
        page.click(f"a.{outcome}")
        page.locator("#verdict").wait_for()
        assert page.inner_text("#verdict").startswith(verdict)
    assert watched.errors == []
