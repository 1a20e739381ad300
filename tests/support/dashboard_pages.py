"""What the dashboard's pages say, read as a person would: by headings, labels and tables."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING, TypeVar

from playwright.sync_api import expect

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from playwright.sync_api import Locator, Page

Row = tuple[str, ...]
T = TypeVar("T")

LIVE_SECONDS = 120.0
EXECUTOR = re.compile(r"[\w.-]+\[\d+-\d+\]")
_ROWS = "table => [...table.tBodies[0].rows].map(row => [...row.cells].map(it => it.innerText))"
MOST_TABS = 120


def opened(page: Page, url: str) -> None:
    """Go there, and wait until the page hears of changes."""
    page.goto(url)
    expect(page.locator("#live")).to_have_attribute(
        "data-state", "live", timeout=LIVE_SECONDS * 1000
    )
    expect(page.locator("main h1")).to_be_visible(timeout=LIVE_SECONDS * 1000)
    expect(page.locator("main .loading")).to_have_count(0, timeout=LIVE_SECONDS * 1000)


def rows(page: Page, label: str) -> list[Row]:
    """Return the rows of the table in the region that is labelled so, cell by cell."""
    table = page.get_by_label(label, exact=True).locator("table")
    return [tuple(" ".join(it.split()) for it in row) for row in table.evaluate(_ROWS)]


def agree(shown: Callable[[], T], truth: Callable[[], T], seconds: float = 120.0) -> T:
    """Return what is shown once it is the truth; what differs then still is a failure."""
    end = time.monotonic() + seconds
    while True:
        true, said = truth(), shown()
        if said == true:
            return said
        assert time.monotonic() < end, f"shown: {said}\ntrue:  {true}"
        time.sleep(0.5)


def figure(cell: str) -> float | None:
    """Return a cell's number; None if it says that it is unknown."""
    found = re.match(r"[+−±]?([\d,]+(?:\.\d+)?)", cell)
    return float(found[1].replace(",", "")) if found else None


def hosts_of_executors(page: Page) -> Mapping[str, str]:
    """Return executor → host as the topology's graph has them; each has its own line there."""
    labels = page.locator("g.executor").evaluate_all(
        "all => all.map(it => it.getAttribute('aria-label'))"
    )
    found = (re.match(r"(\S+) on ([\w-]+)", it) for it in labels)
    return {it[1]: it[2] for it in found if it}


def tabbed_to(page: Page, wanted: Locator) -> None:
    """Press Tab until the focus is there; Tab passes over a button that is not enabled yet."""
    expect(wanted).to_be_enabled(timeout=120_000)
    for _ in range(MOST_TABS):
        if wanted.evaluate("it => it === document.activeElement"):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"{MOST_TABS} times Tab do not reach {wanted}")
