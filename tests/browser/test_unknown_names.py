"""A page for an unknown name says so in a sentence and lists the known names."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

if TYPE_CHECKING:
    from operators_desk import Desk
    from playwright.sync_api import Page
    from real_browser import Complaints


@pytest.mark.parametrize(
    ("path", "said", "nearest"),
    [
        ("/topology/dest", "no topology", "desk"),
        ("/topology/desk?executor=joan", "no executor", "join"),
        ("/topology/desk?executor=join&host=fog-9", "no host", "fog-"),
        ("/decisions?topology=dest", "no decision on a topology", "desk"),
        ("/decisions/1700000061500-5f1c1a0e-000012", "1700000061500-5f1c1a0e-000012", ""),
        ("/decisions/yesterday", "yesterday", ""),
        ("/plan/00000000", "no plan", ""),
    ],
)
def test_what_there_is_not_is_said_with_the_nearest_names(
    desk: Desk, page: Page, complaints: Complaints, path: str, said: str, nearest: str
) -> None:
    complaints.allow(r": (404|422)$|status of (404|422)")
    page.goto(desk.at(path))
    notice = page.locator(".notice.bad")
    expect(notice).to_contain_text(said)
    if nearest:
        expect(notice.get_by_role("link").first).to_contain_text(nearest)


def test_the_nearest_name_leads_to_what_was_meant(
    desk: Desk, page: Page, complaints: Complaints
) -> None:
    complaints.allow("404")
    page.goto(desk.at("/topology/dest"))
    page.locator(".notice.bad").get_by_role("link", name="desk").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("desk")


def test_a_page_that_there_is_not_says_so(desk: Desk, page: Page, complaints: Complaints) -> None:
    complaints.allow("404")
    page.goto(desk.at("/clusters"))
    expect(page.locator("main")).to_contain_text("/clusters")
    expect(page.get_by_role("navigation", name="Pages")).to_be_visible()


@pytest.mark.parametrize(
    ("objective", "said"), [("Q=1", "Q"), ("R=0", "R=0"), ("R=0.5,A=0.2", "sum")]
)
def test_an_objective_that_makes_no_sense_is_refused_in_words(
    desk: Desk, page: Page, complaints: Complaints, objective: str, said: str
) -> None:
    complaints.allow("422")
    page.goto(desk.at("/plan?topology=desk"))
    page.locator("input[name=objective]").fill(objective)
    page.get_by_role("button", name="Make a plan").click()
    expect(page.get_by_role("alert").filter(has_text="objective")).to_contain_text(said)
