"""Pictures of every page of the dashboard, from a running cluster, for docs/.

Brings the emulated cluster up, submits two topologies, waits until their rates are measured, raises
the delay between two hosts, waits for the move that follows and for some minutes of response times,
makes a plan, and draws. With `--url` it draws what a running dashboard shows and changes nothing
there but for a plan, which moves nothing.
"""

from __future__ import annotations

import argparse
import io
import sys
import tempfile
import time
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import httpx
from PIL import Image
from playwright.sync_api import sync_playwright
from real_browser import NO_BROWSER, find_chromium

from benchmarks.loop.cluster import print_progress, start_cluster, wait_for

PICTURES = Path(__file__).resolve().parents[2] / "docs/user/pictures"

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Browser, Page

MOVING, STEADY = "tag_and_count", "meet"
OPTIONS: dict[str, dict[str, object]] = {
    MOVING: {"eyewall.pin": {"source": ["edge-1"], "consumer": ["edge-2"]}, "topology.workers": 4},
    STEADY: {
        "eyewall.pin": {"left": ["edge-1"], "right": ["cloud-1"], "consumer": ["fog-1"]},
        "eyewall.objective": "N=1",
    },
}
PATIENCE = 300.0
SETTLED_SECONDS = 100.0
"""After a move: long enough for the chart to show the result."""
DESKTOP = {"width": 1280, "height": 800}
PHONE = {"width": 390, "height": 844}
COLOURS = 256
LARGEST = 250_000
"""Bytes of one picture."""


class DashboardClient:
    """The API of a running dashboard."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._http = httpx.Client(base_url=f"{url}/api/v1", timeout=120)

    def get(self, path: str) -> Any:
        answer = self._http.get(path)
        answer.raise_for_status()
        return answer.json()

    def topology(self, name: str) -> Any:
        """Return the topology of that name; None while there is none."""
        return next((it for it in self.get("/topologies") if it["name"] == name), None)

    def plan(self, topology: str, objective: str) -> str:
        """Make a plan and return its id."""
        request = {"topology": topology, "objective": objective, "time_limit": 5}
        answer = self._http.post("/plans", json=request)
        answer.raise_for_status()
        return str(answer.json()["id"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--url", help="of a running dashboard; default: start a cluster")
    parser.add_argument("--out", type=Path, default=PICTURES, metavar="FOLDER")
    arguments = parser.parse_args()
    chromium = find_chromium()
    if chromium is None:
        sys.exit(NO_BROWSER)
    if arguments.url:
        draw_pages(DashboardClient(arguments.url.rstrip("/")), chromium, arguments.out)
        return
    with (
        tempfile.TemporaryDirectory() as folder,
        start_eventful_cluster(Path(folder) / "run") as there,
    ):
        draw_pages(there, chromium, arguments.out)


@contextmanager
def start_eventful_cluster(run_dir: Path) -> Iterator[DashboardClient]:
    """Start a cluster and wait until its dashboard has something on every page."""
    with start_cluster("three-sites", run_dir, dashboard=True) as it:
        dashboard = DashboardClient(f"http://{it.deployment.state.dashboard}")
        for name, options in OPTIONS.items():
            it.submit(name, options)
        for name in OPTIONS:
            wait_for(partial(is_measured, dashboard, name), PATIENCE, f"{name} to be measured")
            print_progress(f"{name} is measured")
        time.sleep(SETTLED_SECONDS)
        it.run("delay", "edge-1", "edge-2", "80ms")
        wait_for(partial(has_moved, dashboard), PATIENCE, f"a move of {MOVING}")
        print_progress(f"{MOVING} has moved away from a link of 80 ms")
        time.sleep(SETTLED_SECONDS)
        yield dashboard


def is_measured(dashboard: DashboardClient, name: str) -> bool | None:
    it = dashboard.topology(name)
    known = it is not None and it["measured_response_time"] is not None
    return (known and it["rates"]["state"] == "fresh") or None


def has_moved(dashboard: DashboardClient) -> bool | None:
    moves = dashboard.get(f"/decisions?topology={MOVING}&verdict=moved")["decisions"]
    return bool(moves) or None


def draw_pages(dashboard: DashboardClient, chromium: str, out: Path) -> None:
    """Draw every page."""
    topologies = dashboard.get("/topologies")
    if not topologies:
        sys.exit(f"{dashboard.url}: no topology runs, so there is nothing to draw")
    names = [it["name"] for it in topologies]
    shown = MOVING if MOVING in names else names[0]
    planned = STEADY if STEADY in names else shown
    decisions = dashboard.get(f"/decisions?topology={shown}&count=100")["decisions"]
    worth = next((it for it in decisions if it["verdict"] == "moved"), decisions[0])
    slow = dashboard.get(f"/topologies/{shown}")["slowest_path"]
    executor = slow[len(slow) // 2]["executor"] if slow else ""
    topology = f"/topology/{shown}?executor={quote(executor)}"
    pages = {
        "cluster": "/",
        "topology": topology,
        "decisions": "/decisions",
        "decision": f"/decisions/{worth['id']}",
        "plan": f"/plan?topology={planned}&objective=R%3D1",
        "plan-result": f"/plan/{dashboard.plan(planned, 'R=1')}",
        "health": "/health",
    }
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for name, path in pages.items():
            save_picture(browser, dashboard.url + path, out / f"dashboard-{name}.png")
        wanted = f"topology={shown}&catalogue=made-up-cloud&throughput=40&tuple_bytes=500"
        file = out / "dashboard-provision.png"
        save_picture(browser, f"{dashboard.url}/provision?{wanted}", file, request_platform)
        for name in ("cluster", "topology"):
            file = out / f"dashboard-{name}-dark.png"
            save_picture(browser, dashboard.url + pages[name], file, color_scheme="dark")
        file = out / "dashboard-cluster-phone.png"
        save_picture(browser, f"{dashboard.url}/", file, viewport=PHONE)
        browser.close()


def request_platform(page: Page) -> None:
    """Request the cheapest platform, and wait for the answer."""
    page.get_by_role("button", name="Find the cheapest").click()
    page.get_by_role("heading", name="Shopping list").wait_for(timeout=PATIENCE * 1000)


def save_picture(
    browser: Browser,
    url: str,
    file: Path,
    prepare: Callable[[Page], None] | None = None,
    **options: Any,
) -> None:
    """Draw the whole page after `prepare`, in few colours so that the file stays small."""
    context = browser.new_context(**{"viewport": DESKTOP, "reduced_motion": "reduce", **options})
    page = context.new_page()
    page.goto(url)
    page.wait_for_selector("#live[data-state=live]")
    page.locator("main .loading").first.wait_for(state="detached")
    if prepare is not None:
        prepare(page)
    page.wait_for_timeout(1500)
    drawn = Image.open(io.BytesIO(page.screenshot(full_page=True))).convert("RGB")
    context.close()
    # Only this method keeps colours that few pixels have: a host's mark, a state's sign.
    few = drawn.quantize(COLOURS, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    few.save(file, optimize=True)
    size = file.stat().st_size
    where = file.relative_to(Path.cwd()) if file.is_relative_to(Path.cwd()) else file
    print_progress(f"{where}: {drawn.width} × {drawn.height}, {size / 1000:.0f} kB")
    if size > LARGEST:
        print_progress(f"  that is more than {LARGEST / 1000:.0f} kB")


if __name__ == "__main__":
    main()
