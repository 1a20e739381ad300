"""Weight and loading time of the pages in a real browser."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Any, Final

from playwright.sync_api import sync_playwright
from real_browser import find_chromium

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from playwright.sync_api import BrowserContext

PATIENCE: Final = 120_000.0
PAGES: Final = {
    "cluster": ("/", "svg.cluster-map .node"),
    "topology": ("/topology/{topology}", ".graph .component"),
    "decisions": ("/decisions", ".history li, .empty"),
    "plan": ("/plan", "form.fields"),
    "health": ("/health", "table.dense"),
}
"""Page → its address, and a selector of an element that exists once the page is drawn."""
WATCH: Final = """
(() => {
  const seen = { drawn: null, tasks: [] };
  window.benchmark = seen;
  new PerformanceObserver((list) => {
    for (const it of list.getEntries()) seen.tasks.push([it.startTime, it.duration]);
  }).observe({ type: "longtask", buffered: true });
  const look = () => {
    if (document.querySelector(SELECTOR)) seen.drawn = performance.now();
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
})();
"""
READ_FIGURES: Final = """
() => {
  const all = ["navigation", "resource"]
    .flatMap((kind) => performance.getEntriesByType(kind))
    .filter((it) => it.startTime <= window.benchmark.drawn);
  const data = all.filter((it) => new URL(it.name).pathname.startsWith("/api/"));
  const sum = (some, field) => some.reduce((total, it) => total + it[field], 0);
  return {
    requests: all.length,
    transferred: sum(all, "transferSize"),
    data: sum(data, "transferSize"),
    plain: sum(all, "decodedBodySize"),
    first: performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? null,
    drawn: window.benchmark.drawn,
    elements: document.querySelectorAll("*").length,
    tasks: window.benchmark.tasks,
  };
}
"""


FIGURES: Final = ("requests", "transferred", "data", "first_paint", "drawn", "elements")


@dataclass(frozen=True)
class PageVisit:
    """One page, loaded once; times in milliseconds since navigation, sizes in bytes.

    Sizes count every request until the page is drawn, compressed and with headers.
    """

    page: str
    warm: bool
    requests: int
    transferred: int
    data: int
    """Bytes of JSON API answers among them."""
    first_paint: float
    drawn: float
    elements: int
    longest_loading: float
    """Longest task until the page was drawn."""
    longest_later: float
    """Longest task later than half a second after that."""


def visit_pages(
    url: str, topology: str, pages: Sequence[str], runs: int, stay: float
) -> Iterator[PageVisit]:
    """Load every page `runs` times with a cold cache and again with a warm one.

    `stay`: seconds that the page stays open in the first run, while the cluster changes.
    """
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox"])
        try:
            for name in pages:
                address = url + PAGES[name][0].format(topology=topology)
                for run in range(runs):
                    context = browser.new_context(viewport={"width": 1280, "height": 900})
                    for warm in (False, True):
                        seconds = stay if run == 0 else 0.5
                        yield _visit_page(context, name, address, warm=warm, stay=seconds)
                    context.close()
        finally:
            browser.close()


def _visit_page(
    context: BrowserContext, name: str, address: str, *, warm: bool, stay: float
) -> PageVisit:
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    page.add_init_script(WATCH.replace("SELECTOR", repr(PAGES[name][1])))
    page.goto(address)
    page.wait_for_selector(PAGES[name][1], state="attached")
    page.wait_for_timeout(500 + 1000 * stay)
    found: dict[str, Any] = page.evaluate(READ_FIGURES)
    page.close()
    drawn = found["drawn"]
    return PageVisit(
        page=name,
        warm=warm,
        requests=found["requests"],
        transferred=found["transferred"],
        data=found["data"],
        first_paint=found["first"],
        drawn=drawn,
        elements=found["elements"],
        longest_loading=max((it[1] for it in found["tasks"] if it[0] <= drawn + 500), default=0.0),
        longest_later=max((it[1] for it in found["tasks"] if it[0] > drawn + 500), default=0.0),
    )


HEADER: Final = (
    "| page | cache | requests | kB | of these data | first paint, ms | drawn, ms | elements "
    "| longest task loading, ms | later |\n" + "| --- " * 10 + "|"
)


def row(page_visits: Sequence[PageVisit]) -> str:
    """Return the medians of some visits of one page, and the longest task of all."""
    of = {name: median(getattr(it, name) for it in page_visits) for name in FIGURES}
    cache = "warm" if page_visits[0].warm else "cold"
    return (
        f"| {page_visits[0].page} | {cache} | {of['requests']:.0f} "
        f"| {of['transferred'] / 1e3:.0f} | {of['data'] / 1e3:.0f} | {of['first_paint']:.0f} "
        f"| {of['drawn']:.0f} | {of['elements']:.0f} "
        f"| {max(it.longest_loading for it in page_visits):.0f} "
        f"| {max(it.longest_later for it in page_visits):.0f} |"
    )
