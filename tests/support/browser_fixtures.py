"""A real browser, one for a file's tests; its pages fail a test when they complain."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, BrowserContext, Page
    from real_browser import Complaints


PATIENCE = 120_000.0
"""Milliseconds that a page may take on a machine that others use."""


# Not for the session: Playwright's event loop runs in this thread until it is stopped, and
# asyncio.run() refuses to run in the tests after it.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Without a Chromium a test that needs one fails in CI, and is skipped elsewhere."""
    # Both take half a second to import, which tests without a browser need not wait for.
    from playwright.sync_api import expect, sync_playwright
    from real_browser import NO_BROWSER, ONLY_THIS_MACHINE, find_chromium

    program = find_chromium()
    if program is None:
        if os.environ.get("CI") == "true":
            pytest.fail(NO_BROWSER)
        pytest.skip(NO_BROWSER)
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=program,
            timeout=5 * PATIENCE,
            args=["--no-sandbox", ONLY_THIS_MACHINE],  # its sandbox refuses to run as root
        )
        yield browser
        browser.close()


@pytest.fixture
def complaints() -> Iterator[Complaints]:
    """None may be left when the test ends."""
    from real_browser import Complaints

    complaints = Complaints()
    yield complaints
    assert complaints.left == []


@pytest.fixture
def context(browser: Browser, complaints: Complaints) -> Iterator[BrowserContext]:
    """One person's window, in which nothing is left of the test before."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    context.set_default_timeout(PATIENCE)
    complaints.listen(context)
    yield context
    context.close()


@pytest.fixture
def page(context: BrowserContext) -> Page:
    return context.new_page()
