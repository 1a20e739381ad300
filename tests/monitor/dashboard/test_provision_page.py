"""The Provision page in a real browser, over recorded views."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import recorded_provisions as provisioned
import recorded_views as recorded
from eyewall_monitor.dashboard.web.responses import Problem
from page_server import PageServer
from playwright.sync_api import Page, expect
from real_browser import Complaints, require_width, violations

if TYPE_CHECKING:
    from collections.abc import Iterator

ASKED = f"/topologies/{recorded.WORD_COUNT}/provision"


@pytest.fixture
def server() -> Iterator[PageServer]:
    with PageServer() as running:
        yield running


@pytest.fixture
def page(page: Page) -> Page:
    page.emulate_media(reduced_motion="reduce")
    return page


def opened(page: Page, server: PageServer, query: str = "?topology=word_count") -> None:
    page.goto(f"{server.url}/provision{query}")
    expect(page.locator("main h1")).to_have_text("Provision")
    expect(page.locator("#live")).to_have_text("live")


def asked(page: Page) -> None:
    page.get_by_role("button", name="Find the cheapest").press("Enter")


def cells(page: Page, region: str) -> list[list[str]]:
    rows = page.get_by_role("region", name=region).locator("tbody tr")
    texts = [it.locator("th, td").all_inner_texts() for it in rows.all()]
    return [[" ".join(cell.split()) for cell in row] for row in texts]


def test_the_form_works_by_keyboard_and_shows_list_and_price(
    server: PageServer, page: Page
) -> None:
    opened(page, server)
    page.get_by_label("From").select_option("made-up-cloud")
    expect(page.get_by_text("10 machine types, prices in €")).to_be_visible()
    # Of a topology cores are known, and no clock rates.
    dell = page.get_by_role("option", name="catalogue dell-2008: CPU in GHz")
    expect(dell).to_be_disabled()
    page.get_by_label("Throughput").fill("2")
    page.get_by_label("Bytes per tuple").fill("200")
    page.get_by_label("Bytes per tuple").press("Enter")
    expect(page.get_by_label("Result")).to_contain_text("€300")
    expect(page.locator("#announcer")).to_have_text("Found: feasible.")
    # 2 · 120 + 60 = 300
    assert cells(page, "Shopping list") == [
        ["c4", "2", "€120", "€240"],
        ["c2", "1", "€60", "€60"],
        ["Total", "3", "", "€300"],
    ]
    request = {"catalogue": "made-up-cloud", "throughput": 2, "tuple_bytes": 200, "time_limit": 10}
    assert server.sent == [(ASKED, request)]


def test_the_answer_shows_placement_utilisation_and_overload(
    server: PageServer, page: Page
) -> None:
    opened(page, server)
    asked(page)
    machines = page.get_by_role("region", name="What each machine runs")
    expect(machines.locator("li.worker", has_text="c2-1")).to_contain_text("count[4-4]")
    # Busiest first: 1.9 of 2 cores before 3.2 and 2 of 4.
    assert cells(page, "CPU") == [
        ["c2-1", "1.9", "2", "95 %"],
        ["c4-1", "3.2", "4", "80 %"],
        ["c4-2", "2", "4", "50 %"],
    ]
    full = page.get_by_role("region", name="CPU").get_by_role("meter", name="CPU of c2-1")
    expect(full).to_have_attribute("value", "0.95")
    assert cells(page, "Memory") == [["c2-1", "2,048 MB", "8,192 MB", "25 %"]]
    # 2.4 MB/s of 125 are 1.92 %; a card without a limit has no share.
    assert cells(page, "Network cards") == [
        ["c4-1", "2.4 MB/s", "125 MB/s", "2 %"],
        ["c4-2", "1.2 MB/s", "125 MB/s", "1 %"],
        ["c2-1", "400 kB/s", "no limit", "–"],
    ]
    # 1.2 · 1.9 = 2.28 cores on a machine of 2.
    assert cells(page, "Overloaded at 2.4 ×") == [["c2-1", "2.28", "2", "114 %"]]
    cheaper = page.get_by_role("region", name="The next cheaper platform")
    expect(cheaper).to_contain_text("€240 sustains 1.4 × the present throughput of word_count.")
    expect(page.get_by_role("region", name="How it was computed")).to_contain_text(
        "CPU is what each component declares; it was not measured"
    )


def test_without_a_catalogue_supervisors_stay_on_or_can_be_switched_off(
    server: PageServer, page: Page
) -> None:
    server.views["/provision"] = provisioned.kept_on
    opened(page, server)
    asked(page)
    found = page.get_by_label("Result")
    expect(found).to_contain_text("Supervisors for it alone1")
    expect(found).to_contain_text("Supervisors needed2")
    stays = page.get_by_role("region", name="Supervisors that stay on")
    expect(stays).to_contain_text("fog-1, cloud-1")
    expect(stays).to_contain_text("edge-1, edge-2, fog-2")
    breaks = page.get_by_role("region", name="Overloaded at 1.2 ×")
    expect(breaks).to_contain_text("Nothing.")
    assert server.sent[0][1]["catalogue"] == ""


def test_an_own_catalogue_is_sent_as_text(server: PageServer, page: Page) -> None:
    opened(page, server)
    page.get_by_label("From").select_option("a catalogue of my own")
    text = 'currency = "EUR"\n[[types]]\nname = "one"'
    page.locator("textarea").fill(text)
    asked(page)
    expect(page.get_by_label("Result")).to_be_visible()
    assert server.sent[0][1]["catalogue"] == text


def test_a_pending_request_shows_progress_and_can_be_cancelled(
    server: PageServer, page: Page
) -> None:
    opened(page, server)
    page.route("**/provision", lambda route: None if route.request.method == "POST" else route.continue_())  # fmt: skip  # noqa: E501
    asked(page)
    expect(
        page.get_by_role("progressbar", name="Searching for the cheapest machines")
    ).to_be_visible()
    expect(page.get_by_role("button", name="Find the cheapest")).to_be_disabled()
    page.get_by_role("button", name="Cancel").press("Enter")
    expect(page.get_by_role("progressbar")).to_have_count(0)
    expect(page.get_by_role("button", name="Find the cheapest")).to_be_enabled()


def test_an_infeasible_answer_shows_its_reasons(server: PageServer, page: Page) -> None:
    server.views["/provision"] = provisioned.not_to_be_had
    opened(page, server)
    asked(page)
    nothing = page.get_by_role("region", name="Nothing found: infeasible")
    expect(nothing).to_contain_text("operator split[2-2] takes 40 cores")
    assert violations(page) == []


@pytest.mark.parametrize(
    ("detail", "label"),
    [
        ("throughput is -1: it must be a number above 0", "Throughput"),
        ("stream a → b: tuple_bytes is not given", "Bytes per tuple"),
        ("time limit 90: it must be a number of seconds > 0 and at most 60", "Time limit, seconds"),
    ],
)
def test_a_refusal_marks_its_field(
    server: PageServer, page: Page, complaints: Complaints, detail: str, label: str
) -> None:
    complaints.allow("422")
    refused = Problem(title="Bad value", status=422, detail=detail)
    server.views["/provision"] = lambda: refused
    opened(page, server)
    asked(page)
    expect(page.get_by_role("alert").filter(has_text=detail)).to_be_visible()
    expect(page.get_by_label(label)).to_have_attribute("aria-invalid", "true")
    expect(page.locator("[aria-invalid=true]")).to_have_count(1)
    assert violations(page) == []


def test_without_papers_the_page_says_what_is_not_installed(
    server: PageServer, page: Page, complaints: Complaints
) -> None:
    complaints.allow("501")
    detail = "the sidecar at 127.0.0.1:9095: eyewall-papers is not installed with it"
    server.views["/catalogues"] = lambda: Problem(title="Not installed", status=501, detail=detail)
    page.goto(f"{server.url}/provision")
    expect(page.get_by_text(detail)).to_be_visible()
    assert violations(page) == []


@pytest.mark.parametrize("view", [provisioned.bought, provisioned.kept_on])
def test_an_answer_is_accessible_and_fits_a_phone(
    server: PageServer, page: Page, view: object
) -> None:
    server.views["/provision"] = view  # type: ignore[assignment]
    opened(page, server)
    asked(page)
    expect(page.get_by_label("Result")).to_be_visible()
    assert violations(page) == []
    page.emulate_media(color_scheme="dark")
    assert violations(page) == []
    page.set_viewport_size({"width": 360, "height": 740})
    require_width(page, 360)
