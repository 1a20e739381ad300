"""The health page: every part is well, until one of them ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dashboard_pages import opened, rows
from playwright.sync_api import expect

if TYPE_CHECKING:
    from operators_desk import Desk
    from playwright.sync_api import Page

HEALTHY = "All parts are healthy."
SOON = 60_000.0


def test_a_part_that_ends_is_named_and_all_is_well_again_once_it_is_back(
    desk: Desk, page: Page
) -> None:
    opened(page, desk.at("/health"))
    notice = page.locator("p.notice").first
    expect(notice).to_have_text(HEALTHY, timeout=2 * SOON)
    parts = {it[0] for it in rows(page, "Parts of the whole cluster")}
    assert {"nimbus", "sidecar", "zookeeper", "redis", "rates job"} <= parts

    desk.cluster.run("stop", "monitor-fog-2")
    try:
        wrong = page.get_by_role("region", name="Problems")
        expect(wrong).to_contain_text("monitor agent on fog-2", timeout=2 * SOON)
        expect(notice).to_contain_text("stale or missing")
    finally:
        desk.cluster.run("start", "monitor-fog-2")
    expect(notice).to_have_text(HEALTHY, timeout=2 * SOON)
