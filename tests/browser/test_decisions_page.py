"""The decisions page shows the command's history; each decision has its own address."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from dashboard_pages import agree, opened, rows
from playwright.sync_api import expect

if TYPE_CHECKING:
    from operators_desk import Desk
    from playwright.sync_api import Page

Line = tuple[str, str, str]
"""Id, verdict, and what was said."""
COUNT = "30"
_LINES = """all => all.map(it => [
    decodeURIComponent(it.querySelector('a').pathname.split('/').pop()),
    it.querySelector('.badge').innerText.trim(),
    it.querySelector('.message').innerText.trim(),
])"""


def shown(page: Page) -> list[Line]:
    found = page.locator("ol.history > li").evaluate_all(_LINES)
    return [(id_, verdict, " ".join(said.split())) for id_, verdict, said in found]


def lines(decisions: list[dict[str, Any]]) -> list[Line]:
    return [(it["id"], it["verdict"], " ".join(it["said"].split())) for it in decisions]


def test_the_page_shows_the_newest_decisions_as_the_command_does(desk: Desk, page: Page) -> None:
    opened(page, desk.at("/decisions"))
    listed = agree(lambda: shown(page), lambda: lines(desk.cluster.history("", "--count", COUNT)))
    assert listed


def test_a_filter_stands_in_the_address_and_leaves_what_was_asked_for(
    desk: Desk, page: Page
) -> None:
    opened(page, desk.at("/decisions"))
    page.locator("select[name=topology]").select_option(label="desk")
    page.locator("select[name=verdict]").select_option("placed")
    expect(page).to_have_url(re.compile("topology=desk-.*verdict=placed"))
    wanted = ["desk", "--count", COUNT, "--verdict", "placed"]
    listed = agree(lambda: shown(page), lambda: lines(desk.cluster.history(*wanted)))
    assert len(listed) == 1
    opened(page, page.url)
    assert shown(page) == listed


def test_a_decision_has_an_address_under_which_all_of_it_stands(desk: Desk, page: Page) -> None:
    (placed,) = desk.cluster.history("desk", "--verdict", "placed")
    # Among all of them it may no longer be one of the newest that the page lists.
    opened(page, desk.at("/decisions?verdict=placed"))
    page.locator(f"ol.history a[href*='{placed['id']}']").click()
    expect(page).to_have_url(desk.at(f"/decisions/{placed['id']}"))
    opened(page, page.url)
    assert page.get_by_role("heading", level=1).inner_text() == "desk: placed"
    expect(page.locator("main")).to_contain_text(placed["said"])
    moves = {(it[1], it[4]) for it in rows(page, "Moves made")}
    assert moves == {(it["executor"], it["target"]) for it in placed["moves"]}
    facts = page.locator("section", has_text="How it was decided").locator("dl")
    for said in (placed["decided_by"], placed["policy"], placed["objective"], placed["status"]):
        expect(facts).to_contain_text(said)
