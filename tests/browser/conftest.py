"""A real browser, and pages that are watched while they are looked at."""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")


@dataclass
class Watched:
    """A page of the browser, with what it asked for and what it complained of."""

    page: Any
    requests: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


@pytest.fixture(scope="session")
def browser() -> Iterator:
    playwright = pytest.importorskip("playwright.sync_api", reason="make test-browser installs it")
    if not CHROMIUM:
        pytest.skip("there is no chromium: make test-browser installs it")
    with playwright.sync_playwright() as started:
        # Tests run as root in containers, where Chromium's sandbox does not start; the pages are our own.
        chromium = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield chromium
        chromium.close()


@pytest.fixture
def watched(browser) -> Iterator[Watched]:
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    watched = Watched(context.new_page())
    watched.page.on("request", lambda request: watched.requests.append(request.url))
    watched.page.on("pageerror", lambda error: watched.errors.append(str(error)))
    watched.page.on("console", lambda message: watched.errors.append(message.text) if message.type == "error" else None)
    yield watched
    context.close()
