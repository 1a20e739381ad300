"""Which supervisors a running topology can do without, asked of the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dashboard_pages import opened
from operators_desk import NAME, PINS
from playwright.sync_api import expect

if TYPE_CHECKING:
    from operators_desk import Desk
    from playwright.sync_api import Page

SOON = 60_000.0
PINNED = {host for hosts in PINS.values() for host in hosts}


def test_the_hosts_that_nothing_is_pinned_to_can_be_switched_off(desk: Desk, page: Page) -> None:
    # left, right and consumer are pinned to a host each; join and the acker take next to nothing,
    # and run on any of these three.
    desk.rates()
    desk.whole()
    hosts = {it["host"] for it in desk.get("/cluster")["supervisors"]}
    opened(page, desk.at(f"/provision?topology={NAME}"))
    page.get_by_role("button", name="Find the cheapest").press("Enter")
    stays = page.get_by_role("region", name="Supervisors that stay on")
    expect(stays).to_be_visible(timeout=SOON)
    on, off = stays.locator("p:not(.help)").all_inner_texts()
    assert set(on.split(", ")) == PINNED
    assert set(off.split(", ")) == hosts - PINNED
    expect(page.get_by_label("Result")).to_contain_text("optimal")
