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
        ("/topology/desk?executor=join&host=fog-9", "no host", "fog-"),
        ("/decisions?topology=dest", "no decision on a topology", "desk"),
    ],
)
def test_what_there_is_not_is_said_with_the_nearest_names(
    desk: Desk, page: Page, complaints: Complaints, path: str, said: str, nearest: str
) -> None:
    complaints.allow("404")
    page.goto(desk.at(path))
    notice = page.locator(".notice.bad")
    expect(notice).to_contain_text(said)
    expect(notice.get_by_role("link").first).to_contain_text(nearest)


def test_the_nearest_name_leads_to_what_was_meant(
    desk: Desk, page: Page, complaints: Complaints
) -> None:
    complaints.allow("404")
    page.goto(desk.at("/topology/dest"))
    page.locator(".notice.bad").get_by_role("link", name="desk").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("desk")


def test_an_objective_that_makes_no_sense_is_refused_in_words(
    desk: Desk, page: Page, complaints: Complaints
) -> None:
    complaints.allow("422")
    page.goto(desk.at("/plan?topology=desk"))
    page.locator("input[name=objective]").fill("R=0.5,A=0.2")
    page.get_by_role("button", name="Make a plan").click()
    expect(page.get_by_role("alert").filter(has_text="objective")).to_contain_text("sum")
