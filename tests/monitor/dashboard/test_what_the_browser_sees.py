"""The browser notices what is wrong with a page; without that, tests of our pages show nothing."""

from __future__ import annotations

import threading
import time
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

import pytest
from real_browser import violations

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Page
    from real_browser import Complaints


PATIENCE = 120.0
LOOK_MILLISECONDS = 20


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 – its name there
        pass

    def end_headers(self) -> None:
        # Pages are written again within a second, the finest that If-Modified-Since can tell.
        self.send_header("Cache-Control", "no-store")
        super().end_headers()

    def do_GET(self) -> None:
        if self.path != "/events":
            return super().do_GET()
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        self.wfile.write(b"data: now\n\n")
        self.wfile.flush()
        self.connection.recv(1)  # until the browser has gone
        return None


@pytest.fixture
def site(tmp_path: Path) -> Iterator[str]:
    """Address of a server of the test's folder, and of a stream of events."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(tmp_path))) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def written(folder: Path, body: str) -> None:
    head = '<meta charset="utf-8"><title>A page</title><link rel="icon" href="data:,">'
    text = f'<!doctype html><html lang="en">{head}<main><h1>A page</h1>{body}</main></html>'
    (folder / "index.html").write_text(text)


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        ("<script>console.error('broken')</script>", "console: broken"),
        ("<script>null.x</script>", "not caught: Cannot read properties of null"),
        ("<script>Promise.reject(new Error('no'))</script>", "not caught: no"),
        ("<script src='gone.js'></script>", "/gone.js: 404"),
        ("<script src='http://127.0.0.1:1/x.js'></script>", "failed: net::ERR_UNSAFE_PORT"),
        ("<script src='https://cdn.example/x.js'></script>", "failed: net::ERR_NAME_NOT_RESOLVED"),
    ],
)
def test_what_goes_wrong_in_a_page_is_complained_of(
    page: Page, complaints: Complaints, site: str, tmp_path: Path, body: str, complaint: str
) -> None:
    written(tmp_path, body)
    page.goto(site)
    # A rejection that nobody handles is told after the page is loaded.
    end = time.monotonic() + PATIENCE
    while not any(complaint in it for it in complaints.left) and time.monotonic() < end:
        page.wait_for_timeout(LOOK_MILLISECONDS)
    assert any(complaint in it for it in complaints.left), complaints.all
    complaints.allow("")


def test_what_a_test_allows_is_let_pass_and_nothing_else(
    page: Page, complaints: Complaints, site: str, tmp_path: Path
) -> None:
    written(tmp_path, "<script>console.error('expected'); console.error('another')</script>")
    page.goto(site)
    complaints.allow("expected")
    assert complaints.left == [f"console: another ({site}/)"]
    complaints.allow("another")


def test_leaving_a_page_whose_stream_of_events_is_open_is_no_failure(
    page: Page, complaints: Complaints, site: str, tmp_path: Path
) -> None:
    script = "new EventSource('/events').onmessage = (it) => document.title = it.data"
    written(tmp_path, f"<script>{script}</script>")
    page.goto(site)
    page.wait_for_function("document.title === 'now'")
    page.goto("about:blank")
    assert complaints.all == []


def test_axe_tells_the_place_and_what_is_wrong_there(page: Page, site: str, tmp_path: Path) -> None:
    written(tmp_path, "<p>Fine.</p>")
    page.goto(site)
    assert violations(page) == []
    written(tmp_path, '<img id="map" src="data:,">')
    page.goto(site)
    (only,) = violations(page)
    assert only.startswith("image-alt (critical): #map: ")
