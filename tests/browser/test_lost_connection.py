"""A page that hears nothing any more says so, and recovers by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dashboard_pages import opened
from playwright.sync_api import expect

if TYPE_CHECKING:
    from operators_desk import Desk
    from playwright.sync_api import Page
    from real_browser import Complaints

SOON = 60_000.0


def test_a_server_that_falls_silent_is_told_of_and_so_is_its_return(desk: Desk, page: Page) -> None:
    opened(page, desk.at("/"))
    banner = page.get_by_role("alert").filter(has_text="is lost")
    with desk.halted("dashboard"):
        expect(banner).to_contain_text("may be out of date", timeout=SOON)
        expect(page.locator("#live")).to_have_text("not live")
    expect(banner).to_have_count(0, timeout=SOON)
    expect(page.locator("#live")).to_have_text("live", timeout=SOON)


def test_a_server_that_ends_is_told_of_and_found_again_when_it_is_back(
    desk: Desk, page: Page, complaints: Complaints
) -> None:
    opened(page, desk.at("/topology/desk"))
    complaints.allow("net::ERR_")
    banner = page.get_by_role("alert").filter(has_text="is lost")
    desk.cluster.run("stop", "dashboard")
    try:
        expect(banner).to_contain_text("Reconnecting automatically", timeout=SOON)
        expect(page.get_by_role("heading", level=1)).to_have_text("desk")
    finally:
        desk.cluster.run("start", "dashboard")
    expect(banner).to_have_count(0, timeout=SOON)
