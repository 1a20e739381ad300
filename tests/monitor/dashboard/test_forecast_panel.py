"""What-if on the topology page in a real browser, over recorded views."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
import recorded_views as recorded
from eyewall_monitor.dashboard.web.responses import Problem
from page_server import PageServer
from playwright.sync_api import Page, expect
from real_browser import Complaints, require_width, violations

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Locator

FORECAST = "/topologies/([^/]+)/forecast"


@pytest.fixture
def server() -> Iterator[PageServer]:
    with PageServer() as running:
        yield running


@pytest.fixture
def page(page: Page) -> Page:
    page.emulate_media(reduced_motion="reduce")
    return page


def opened(page: Page, server: PageServer, query: str = "") -> Locator:
    page.goto(f"{server.url}/topology/{recorded.WORD_COUNT}{query}")
    expect(page.locator("#live")).to_have_text("live")
    return page.get_by_role("region", name="What if")


def cells(table: Locator) -> list[list[str]]:
    rows = table.locator("tbody tr").all()
    texts = [it.locator("th, td").all_inner_texts() for it in rows]
    return [[" ".join(cell.split()) for cell in row] for row in texts]


def test_measured_cpu_is_next_to_the_predicted_one(server: PageServer, page: Page) -> None:
    panel = opened(page, server)
    expect(panel.locator(".notice")).to_have_text(
        "1 × is carried; fog-1 saturates first, at 1.6 × (1.44 × to 1.76 ×) the present rate."
    )
    hosts = cells(panel.get_by_role("group", name="CPU of hosts"))
    shown = [(row[0], row[1], row[3]) for row in hosts]
    assert shown == [
        ("fog-1", "66 %", "63 % (56 % to 69 %)"),
        ("edge-1", "28 %", "30 % (27 % to 33 %)"),
        ("fog-2", "unknown", "20 % (18 % to 22 %)"),
    ]
    assert panel.locator("path.measured").count() == 2  # unknown is not drawn


def test_another_rate_is_chosen_by_keyboard_and_is_part_of_the_url(
    server: PageServer, page: Page
) -> None:
    panel = opened(page, server)
    panel.get_by_label("2 ×", exact=True).press("Space")
    expect(panel.locator(".notice")).to_have_text(
        "2 × is not carried: fog-1 saturates first, at 1.6 × (1.44 × to 1.76 ×) the present rate."
    )
    assert page.url.endswith("?rate=2")
    predicted = cells(panel.get_by_role("group", name="Predicted"))
    assert predicted[:2] == [
        # 1.6 · 120 = 192 of 240 are carried; what waits grows without bound.
        [
            "Throughput, tuples/s",
            "120 (108 to 132)",
            "192 (173 to 211)",
        ],
        ["Response time", "20.0 ms (18.0 ms to 22.0 ms)", "without bound"],
    ]
    other = panel.get_by_label("Other, × the present")
    other.fill("1.2")
    other.press("Enter")
    expect(panel.locator(".notice")).to_contain_text("1.2 × is carried")
    assert page.url.endswith("?rate=1.2")


def test_the_rate_of_the_url_is_asked_for(server: PageServer, page: Page) -> None:
    panel = opened(page, server, "?rate=3")
    expect(panel.locator(".notice")).to_contain_text("3 × is not carried")
    expect(panel.get_by_label("3 ×", exact=True)).to_be_checked()


def test_a_host_is_switched_off_and_all_is_placed_again_in_the_forecast_only(
    server: PageServer, page: Page
) -> None:
    panel = opened(page, server)
    panel.get_by_label("Host that is off").select_option("fog-2")
    panel.get_by_role("button", name="Ask").click()
    expect(panel.locator(".notice")).to_have_text(
        "Without fog-2: 1 × is carried; fog-1 saturates first, "
        "at 1.6 × (1.44 × to 1.76 ×) the present rate."
    )
    panel.get_by_label("Placed by").select_option("odp")
    panel.get_by_role("button", name="Ask").click()
    expect(panel.locator(".notice")).to_contain_text("Without fog-2, placed by odp: 1 × is carried")
    assert page.url.endswith("?off=fog-2&policy=odp")
    hosts = cells(panel.get_by_role("group", name="CPU of hosts"))
    assert [(row[0], row[4]) for row in hosts if row[0] == "fog-2"] == [("fog-2", "off")]
    expect(panel.get_by_role("group", name="Executors elsewhere")).to_contain_text("split[2-2]")
    assert [path for path, _ in server.sent] == []
    assert violations(page) == []


def test_the_host_and_the_policy_of_the_url_are_asked_for(server: PageServer, page: Page) -> None:
    panel = opened(page, server, "?off=fog-1&policy=hybrid&rate=2")
    expect(panel.locator(".notice")).to_contain_text("Without fog-1, placed by hybrid: 2 × is not")
    expect(panel.get_by_label("Host that is off")).to_have_value("fog-1")
    expect(panel.get_by_label("Placed by")).to_have_value("hybrid")


def test_a_refusal_is_shown_in_its_place(
    server: PageServer, page: Page, complaints: Complaints
) -> None:
    complaints.allow("503")
    detail = "word_count: 2 executors have no slot"
    server.views[FORECAST] = lambda *_, **__: Problem(title="Away", status=503, detail=detail)
    panel = opened(page, server)
    expect(panel.locator(".notice")).to_contain_text(detail)
    expect(page.get_by_role("region", name="Streams and executors")).to_be_visible()


def test_charts_have_measured_and_predicted_curves(server: PageServer, page: Page) -> None:
    opened(page, server)
    times = page.get_by_role("img", name="Response time: ")
    expect(times).to_have_attribute("aria-label", re.compile("predicted from 20.0 ms to 20.0 ms"))
    expect(times.locator(".u-legend")).to_contain_text("at most")
    flow = page.get_by_role("img", name="Throughput: ")
    # 118 + 0 … 4 tuples/s, and 118 now.
    expect(flow).to_have_attribute(
        "aria-label",
        "Throughput: measured from 118 tuples/s to 122 tuples/s, now 118 tuples/s; "
        "predicted from 120 tuples/s to 120 tuples/s, now 120 tuples/s.",
    )
    expect(flow.locator("canvas")).to_be_visible()


@pytest.mark.parametrize("rate", ["1", "2"])
def test_it_is_accessible_and_fits_a_phone(server: PageServer, page: Page, rate: str) -> None:
    panel = opened(page, server, f"?rate={rate}")
    expect(panel.locator(".notice")).to_be_visible()
    assert violations(page) == []
    page.emulate_media(color_scheme="dark")
    assert violations(page) == []
    page.set_viewport_size({"width": 360, "height": 740})
    require_width(page, 360)
