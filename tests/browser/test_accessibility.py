"""What axe finds against the pages (nothing), in light and dark; and they fit a phone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from dashboard_pages import opened
from playwright.sync_api import expect
from real_browser import require_width, violations

if TYPE_CHECKING:
    from operators_desk import Desk
    from playwright.sync_api import Page

PHONE = {"width": 390, "height": 844}


@pytest.fixture(scope="module")
def plan(submitted: Desk) -> str:
    """A plan's id."""
    submitted.rates()
    return str(submitted.planned("N=1")["id"])


@pytest.fixture
def path(desk: Desk, request: pytest.FixtureRequest) -> str:
    name = request.param
    if name == "/decisions/ID":
        return f"/decisions/{desk.cluster.history('desk')[-1]['id']}"
    if name == "/plan/ID":
        return f"/plan/{request.getfixturevalue('plan')}"
    if name == "/topology/desk?executor=join":
        desk.explained("join")
    return str(name)


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/topology/desk?executor=join",
        "/decisions",
        "/decisions/ID",
        "/plan",
        "/plan/ID",
        "/provision",
        "/health",
    ],
    indirect=True,
)
def test_axe_finds_nothing_against_a_page_in_light_and_dark_nor_on_a_phone(
    desk: Desk, page: Page, path: str
) -> None:
    page.emulate_media(color_scheme="light", reduced_motion="reduce")
    opened(page, desk.at(path))
    expect(page.get_by_role("heading", level=1)).not_to_be_empty()
    assert violations(page) == []
    page.emulate_media(color_scheme="dark")
    assert violations(page) == []
    page.set_viewport_size(PHONE)  # type: ignore[arg-type]
    assert violations(page) == []
    require_width(page, PHONE["width"])
