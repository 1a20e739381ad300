"""What is planned is what moves; what no longer fits is refused; what is frozen stays."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING

import pytest
from dashboard_pages import EXECUTOR, hosts_of_executors, opened, tabbed_to
from eyewall_deploy.storm.nimbus import NimbusUnreachableError
from loop_times import LINES
from operators_desk import NAME
from playwright.sync_api import expect
from running_cluster import PATIENCE, wait_for

if TYPE_CHECKING:
    from operators_desk import Desk, Places
    from playwright.sync_api import Page
    from real_browser import Complaints

SOON = 60_000.0
LOOKS_PER_SECOND = 4
APPEARS_WITHIN = 60.0
"""Seconds from Nimbus's word to the page's. Operators were promised 5: the time is printed; a
machine that is busy does not explain twelve times that."""
ROUNDS = 4 * 3.0
"""Seconds of four of Nimbus's rounds."""
_WORKERS = """all => all.map(it => [
    it.querySelector('.host').textContent.trim(),
    [...it.querySelectorAll('li:not(.gone)')].map(one => one.textContent),
])"""
_WATCH = """executor => {
    window.seen = [];
    const look = () => {
        const lines = [...document.querySelectorAll('g.executor')];
        const said = lines.map(it => it.getAttribute('aria-label').split(/ on |,/));
        const host = said.find(([its]) => its === executor)?.[1];
        const last = window.seen.at(-1);
        if (host && (!last || last[0] !== host)) window.seen.push([host, Date.now() / 1000]);
    };
    new MutationObserver(look).observe(
        document.body, {subtree: true, childList: true, attributes: true});
    look();
}"""


def planned_places(page: Page) -> Places:
    """Where everything would run, as the page of a plan has it."""
    places: Places = {}
    for slot, executors in page.locator("li.worker").evaluate_all(_WORKERS):
        host, port = slot.rsplit(":", 1)
        for it in executors:
            places[EXECUTOR.search(it)[0]] = (host, int(port))  # type: ignore[index]
    return places


def test_what_is_planned_and_applied_by_keys_alone_is_exactly_what_then_runs(
    desk: Desk, page: Page
) -> None:
    desk.rates()
    before = desk.best_by("R=1")
    opened(page, desk.at("/"))
    tabbed_to(page, page.get_by_role("navigation", name="Pages").get_by_role("link", name="Plan"))
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Plan")
    tabbed_to(page, page.locator("select[name=topology]"))
    page.keyboard.type(NAME)
    tabbed_to(page, page.locator("input[name=objective]"))
    page.keyboard.type("N=1")
    page.keyboard.press("Enter")

    expect(page.get_by_role("heading", level=1)).to_have_text(f"Plan for {NAME}", timeout=SOON)
    plan = planned_places(page)
    assert desk.places() == before  # a dry run
    assert plan.keys() == before.keys()
    assert plan != before
    tabbed_to(page, page.get_by_role("button", name="Apply this plan"))
    page.keyboard.press("Enter")
    tabbed_to(page, page.get_by_role("button", name="Apply", exact=True))
    page.keyboard.press("Enter")
    expect(page.locator("ol.steps [aria-current=step]")).to_have_text("applied", timeout=SOON)
    assert desk.places() == plan


def test_a_plan_of_what_no_longer_runs_is_refused_with_what_changed(
    desk: Desk, page: Page, complaints: Complaints
) -> None:
    desk.rates()
    before = desk.best_by("N=1")
    plan = desk.planned("R=1")
    join = desk.join
    opened(page, desk.at(f"/plan/{plan['id']}"))
    page.get_by_role("button", name="Apply this plan").wait_for()
    # Somebody's page is behind: it still has the plan as it was.
    as_it_was = desk.get(f"/plans/{plan['id']}")
    page.route(f"**/api/v1/plans/{plan['id']}", lambda route: route.fulfill(json=as_it_was))
    now = desk.best_by("R=1")
    assert now[join] != before[join]

    complaints.allow("409")
    page.get_by_role("button", name="Apply this plan").click()
    page.get_by_role("button", name="Apply", exact=True).click()
    refusal = page.get_by_role("alert").filter(has_text="stale")
    (new_host, new_port), (old_host, old_port) = now[join], before[join]
    what_changed = f"{join} runs on {new_host}:{new_port} now, not on {old_host}:{old_port}"
    expect(refusal).to_contain_text(what_changed)
    assert desk.places() == now

    # And the page says so to anyone who opens it now.
    page.unroute_all()
    opened(page, desk.at(f"/plan/{plan['id']}"))
    expect(page.locator("ol.steps [aria-current=step]")).to_have_text("stale")
    expect(page.locator("main")).to_contain_text(what_changed)
    expect(page.get_by_role("button", name="Apply this plan")).to_have_count(0)


def test_what_is_frozen_stays_and_once_it_may_move_the_page_shows_it_within_seconds(
    desk: Desk, page: Page
) -> None:
    before = desk.best_by("R=1")
    assert before[desk.join][0] == "fog-1"  # max(15, 25) ms; 40 ms and more anywhere else
    opened(page, desk.at(f"/topology/{NAME}"))
    freeze = page.get_by_role("switch", name=f"Freeze {NAME}")
    freeze.click()
    frozen = page.locator(".freeze .effect")
    expect(frozen).to_have_text("Frozen: running executors are not moved.", timeout=SOON)

    # Over the edge site: 40 ms + 15 ms. In an hour that saves 1,240 s for each tuple/s; a start of
    # 30 s, as on a machine that tests keep busy, costs 30 · 1.5 · MESSAGE_TIMEOUT = 450 s.
    desk.cluster.run("delay", "fog-1", "cloud-1", "400ms")
    try:
        status = page.locator("p.status")
        expect(status).to_contain_text(re.compile("gain .*, but .*frozen"), timeout=1000 * PATIENCE)
        end = time.monotonic() + ROUNDS
        while time.monotonic() < end:
            assert desk.places() == before
            time.sleep(1)
        known = desk.cluster.known()["topologies"]
        (shown,) = [it["status"] for it in known if it["name"] == NAME]
        assert "frozen" in shown

        page.evaluate(_WATCH, desk.join)
        freeze.click()
        expect(frozen).to_have_text("Moves are allowed.", timeout=SOON)
        seconds = seconds_to_appear(desk, page, before)
        LINES.append(f"a reassignment is on the page {seconds:.1f} s after Nimbus reports it")
        assert seconds <= APPEARS_WITHIN
    finally:
        desk.cluster.run("delay", "fog-1", "cloud-1", "25ms")


def seconds_to_appear(desk: Desk, page: Page, before: Places) -> float:
    """From when Nimbus first says where `join` went to when the page does, without a reload."""
    join = next(it for it in before if it.startswith("join["))
    # What runs has to come to rest before it is moved, which noise makes last.
    end = time.monotonic() + PATIENCE
    while True:
        try:
            host, _ = desk.places().get(join, before[join])
        except NimbusUnreachableError:
            host = before[join][0]
        if host != before[join][0]:
            reported = time.time()
            break
        if time.monotonic() > end:
            said = page.locator("p.status").inner_text()
            pytest.fail(f"Nimbus does not move {join}: {said}")
        time.sleep(1 / LOOKS_PER_SECOND)
    wait_for(lambda: hosts_of_executors(page).get(join) == host, 60, f"{join} on {host}")
    seen = dict(page.evaluate("window.seen"))
    return float(seen[host]) - reported
