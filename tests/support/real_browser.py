"""A real Chromium for tests, and what it has to complain about."""

from __future__ import annotations

import os
import re
import shutil
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from axe_playwright_python.sync_playwright import Axe

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, ConsoleMessage, Page, Request, Response

NAMES = ("chromium", "chromium-browser", "google-chrome")
VARIABLE = "EYEWALL_CHROMIUM"
NO_BROWSER = f"no Chromium: none of {', '.join(NAMES)} is on PATH; install one or say {VARIABLE}="
ONLY_THIS_MACHINE = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost"
"""As on a machine without any outside network."""
LEFT_OFF = "net::ERR_ABORTED"
"""The page was left, or gave the request up itself: streams of events end that way."""


def find_chromium() -> str | None:
    """Return the program: what the variable says, or else what is on PATH."""
    return os.environ.get(VARIABLE) or next(filter(None, map(shutil.which, NAMES)), None)


@dataclass
class Complaints:
    """What went wrong in a browser's pages, as sentences, but for what a test allows.

    Errors on the console, exceptions that nobody caught, requests that failed and answers from
    400 on. Chromium writes the latter to the console too, without the address.
    """

    all: list[str] = field(default_factory=list)
    allowed: list[re.Pattern[str]] = field(default_factory=list)

    def allow(self, pattern: str) -> None:
        """Take no offence at what the pattern is found in: where something is to go wrong."""
        self.allowed.append(re.compile(pattern))

    @property
    def left(self) -> list[str]:
        return [it for it in self.all if not any(known.search(it) for known in self.allowed)]

    def listen(self, context: BrowserContext) -> None:
        """Hear of all that happens in pages of the context from now on."""
        context.on("console", self._console)
        context.on("weberror", lambda it: self.all.append(f"not caught: {it.error}"))
        context.on("requestfailed", self._failed)
        context.on("response", self._answered)

    def _console(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.all.append(f"console: {message.text} ({message.location['url']})")

    def _failed(self, request: Request) -> None:
        if request.failure != LEFT_OFF:
            self.all.append(f"{request.method} {request.url} failed: {request.failure}")

    def _answered(self, response: Response) -> None:
        if response.status >= 400:
            self.all.append(f"{response.request.method} {response.url}: {response.status}")


def violations(page: Page) -> list[str]:
    """Return what axe finds against the page's accessibility, a line for each place."""
    found = Axe().run(page).response["violations"]
    return [
        f"{it['id']} ({it['impact']}): {' '.join(place['target'])}: {it['help']}"
        for it in found
        for place in it["nodes"]
    ]


def require_width(page: Page, most: int) -> None:
    """The page is no wider than so many pixels, once its charts have seen how wide it may be."""
    page.wait_for_function("most => document.documentElement.scrollWidth <= most", arg=most)
