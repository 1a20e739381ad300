"""The dashboard's pages in a real browser, over recorded views.

What they show of a running cluster is tested against one, in tests/browser.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
import recorded_decisions as decided
import recorded_views as recorded
from eyewall_monitor.dashboard.views.signal import Signal
from eyewall_monitor.dashboard.web.responses import Problem
from page_server import STATIC, PageServer
from playwright.sync_api import Page, expect
from real_browser import Complaints, violations

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import ViewportSize

PAGES = {
    "cluster": "/",
    "topology": f"/topology/{recorded.WORD_COUNT}?executor=split%5B2-2%5D",
    "topology without rates": "/topology/tag_and_count",
    "decisions": "/decisions",
    "decision": f"/decisions/{recorded.MOVED}",
    "plan": "/plan",
    "plan's result": f"/plan/{decided.PLAN}",
    "what to buy": "/provision",
    "health": "/health",
}

PHONE: ViewportSize = {"width": 360, "height": 740}


@pytest.fixture
def server() -> Iterator[PageServer]:
    with PageServer() as running:
        yield running


@pytest.fixture
def page(page: Page) -> Page:
    """Nothing moves on it, so that whatever is looked at is as it will be."""
    page.emulate_media(reduced_motion="reduce")
    return page


def opened(page: Page, server: PageServer, path: str) -> None:
    page.goto(server.url + path)
    expect(page.locator("main h1")).to_be_visible()
    expect(page.locator(".loading")).to_have_count(0)
    expect(page.locator("#live")).to_have_text("live")


class TestEveryPage:
    @pytest.mark.parametrize("name", PAGES)
    def test_is_accessible_in_light_and_dark_and_on_a_phone_and_logs_nothing_on_the_console(
        self, server: PageServer, page: Page, name: str
    ) -> None:
        opened(page, server, PAGES[name])
        assert violations(page) == []
        page.emulate_media(color_scheme="dark")
        assert violations(page) == []
        page.set_viewport_size(PHONE)
        assert violations(page) == []

    def test_fits_a_phone_of_360_pixels(self, server: PageServer, page: Page) -> None:
        page.set_viewport_size(PHONE)
        wider = {}
        for name, path in PAGES.items():
            opened(page, server, path)
            wider[name] = page.evaluate(
                "document.documentElement.scrollWidth - document.documentElement.clientWidth"
            )
        assert wider == dict.fromkeys(PAGES, 0)


class TestConnection:
    def test_shows_its_loss_and_reconnects(
        self, server: PageServer, page: Page, complaints: Complaints
    ) -> None:
        complaints.allow("503|ERR_EMPTY_RESPONSE|ERR_CONNECTION")  # each time that it tries again
        opened(page, server, "/")
        banner = page.locator("#banner")
        expect(banner).to_be_empty()
        server.away.set()
        expect(banner).to_contain_text("connection to the dashboard’s server is lost")
        server.away.clear()
        expect(banner).to_be_empty()
        expect(page.locator("#live")).to_have_text("live")

    def test_is_lost_without_heartbeats(self, server: PageServer, page: Page) -> None:
        page.clock.install()
        opened(page, server, "/")
        server.mute.set()
        page.wait_for_timeout(200)  # what was on its way
        page.clock.fast_forward(13_000)
        expect(page.locator("#live")).to_have_text("not live")

    def test_delivers_changes_without_a_reload(self, server: PageServer, page: Page) -> None:
        opened(page, server, "/decisions")
        moved = decided.decision_summary("1799999800000-5f1c1a0e-000014", "moved")
        before = decided.decisions()
        server.views["/decisions"] = lambda **_: before.model_copy(
            update={"decisions": (moved, *before.decisions)}
        )
        server.announce("decisions")
        link = page.locator(f"a[href='/decisions/{moved.id}']")
        expect(link).to_be_visible()
        expect(page.locator("#announcer")).to_contain_text("New: word_count, moved")


class TestKeyboard:
    def test_an_executor_is_explained(self, server: PageServer, page: Page) -> None:
        opened(page, server, f"/topology/{recorded.WORD_COUNT}")
        page.get_by_role("button", name="count[4-4] on fog-1").press("Enter")
        expect(page.locator(".answer")).to_contain_text("count[4-4] runs on fog-1 because")
        assert "executor=count%5B4-4%5D" in page.url

    def test_a_host_is_selected_on_the_map(self, server: PageServer, page: Page) -> None:
        opened(page, server, "/")
        page.locator(".node[tabindex='0']").press("Enter")
        expect(page.locator("#host-title")).to_have_text("edge-1")
        page.keyboard.press("Escape")
        expect(page.locator("#host-title")).to_have_text("Host")

    def test_a_plan_is_made_confirmed_and_applied(self, server: PageServer, page: Page) -> None:
        opened(page, server, "/plan?topology=word_count")
        page.get_by_label("Objective").fill("T=1")
        page.get_by_label("Objective").press("Enter")
        expect(page.locator("h1")).to_have_text("Plan for word_count")
        apply = page.get_by_role("button", name="Apply this plan")
        apply.press("Enter")
        expect(page.get_by_role("dialog")).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_have_count(0)
        assert [path for path, _ in server.sent] == ["/plans"]
        server.views["/plans/([^/]+)"] = lambda _: decided.plan("stale", "edge-1 is gone since.")
        apply.press("Enter")
        page.get_by_role("button", name="Apply", exact=True).press("Enter")
        expect(page.locator("main")).to_contain_text("edge-1 is gone since.")
        asked = {"topology": recorded.WORD_COUNT, "policy": "", "objective": "T=1"}
        assert server.sent == [
            ("/plans", {**asked, "time_limit": 5, "seed": None}),
            (f"/plans/{decided.PLAN}/apply", {}),
        ]

    def test_all_topologies_are_frozen(self, server: PageServer, page: Page) -> None:
        opened(page, server, "/")
        page.get_by_role("switch", name="Freeze all topologies").press("Space")
        expect(page.locator("#announcer")).to_have_text("All topologies: frozen.")
        assert server.sent == [("/frozen", {"frozen": True})]


class TestClusterPage:
    def test_merges_the_supervisors_of_a_host(self, server: PageServer, page: Page) -> None:
        whole = recorded.cluster()
        first = whole.supervisors[0]
        second = first.model_copy(update={"id": "second", "executors": 40, "slots": 7})
        both = whole.model_copy(update={"supervisors": (*whole.supervisors, second)})
        server.views["/cluster"] = lambda **_: both
        opened(page, server, "/")
        node = page.get_by_role("button", name=f"{first.host}, ")
        expect(node).to_have_count(1)
        expect(node.locator(".count")).to_have_text(str(first.executors + 40))
        node.press("Enter")
        panel = page.locator("section[aria-labelledby='host-title']")
        expect(panel).to_contain_text(f"of {first.slots + 7} used")
        expect(panel).to_contain_text(f"Supervisor {first.id}")
        expect(panel).to_contain_text("Supervisor second")
        expect(panel).to_contain_text("of 7 slots used, 40 executors")

    def test_shows_missing_stores_once_as_information(self, server: PageServer, page: Page) -> None:
        whole = recorded.cluster()
        none = Signal(state="missing", note="no Redis is configured ([redis] url)")
        known = {"report": none, "latency": none, "load": None}
        bare = tuple(it.model_copy(update=known) for it in whole.supervisors)
        changed = {
            "supervisors": bare,
            "gone": (),
            "delays_source": "",
            "not_configured": ("zookeeper", "redis"),
        }
        server.views["/cluster"] = lambda **_: whole.model_copy(update=changed)
        opened(page, server, "/")
        alerts = page.locator(".alerts")
        expect(alerts).not_to_contain_text("does not report")
        expect(alerts.locator(".bad")).to_have_count(0)
        expect(alerts.locator(".info", has_text="No Redis is configured")).to_have_count(1)
        expect(alerts.locator(".info", has_text="No ZooKeeper is configured")).to_have_count(1)
        expect(page.locator(".strip")).to_contain_text("Delays")
        expect(page.locator(".strip")).not_to_contain_text("()")

    def test_groups_the_alerts_of_several_hosts(self, server: PageServer, page: Page) -> None:
        whole = recorded.cluster()
        late = Signal(state="stale", age=20.0, note="Redis at redis:6379: connection refused")
        two = tuple(it.model_copy(update={"latency": late}) for it in whole.supervisors[:2])
        three = tuple(
            it.model_copy(update={"latency": Signal(state="fresh", age=1.0)})
            for it in whole.supervisors[2:]
        )
        server.views["/cluster"] = lambda **_: whole.model_copy(
            update={"supervisors": (*two, *three)}
        )
        opened(page, server, "/")
        one, other = (it.host for it in two)
        said = f"The latency agent is late on 2 hosts: {one}, {other}; {late.note}."
        expect(page.locator(".alerts")).to_contain_text(said)
        expect(page.locator(".alerts li", has_text="connection refused")).to_have_count(1)


class TestPlan:
    @pytest.mark.parametrize(
        ("gain", "said"), [(-0.02, "2 % worse"), (0.0, "no change"), (0.494, "49.4 % better")]
    )
    def test_is_called_better_only_if_it_is(
        self, server: PageServer, page: Page, gain: float, said: str
    ) -> None:
        made = decided.plan().model_copy(update={"gain": gain})
        server.views["/plans"] = lambda: (decided.summary(made),)
        server.views["/plans/([^/]+)"] = lambda _: made
        opened(page, server, "/plan")
        expect(page.locator(".history .message")).to_contain_text(f"optimal, {said};")
        opened(page, server, f"/plan/{decided.PLAN}")
        expect(page.locator("dl.strip")).to_contain_text(f"Objective{said}")


class TestUnknownName:
    def test_shows_the_message_of_the_api_with_links_to_similar_names(
        self, server: PageServer, page: Page, complaints: Complaints
    ) -> None:
        complaints.allow("404")
        opened(page, server, "/topology/wrod_count")
        notice = page.locator(".problems")
        expect(notice).to_contain_text("There is no topology wrod_count.")
        expect(notice.get_by_role("link", name="word_count")).to_have_attribute(
            "href", "/topology/word_count"
        )

    @pytest.mark.parametrize("path", ["/plan/00000000", "/decisions/1700000061500-5f1c1a0e-000012"])
    def test_is_shown_where_a_plan_or_a_decision_would_be(
        self, server: PageServer, page: Page, complaints: Complaints, path: str
    ) -> None:
        complaints.allow("404")
        missing = f"There is no {path}."
        answer = Problem(title="Not found", status=404, detail=missing, nearest=())
        server.views = {
            "/(?:plans|decisions)/([^/]+)": lambda _: answer,
            **server.views,
        }
        opened(page, server, path)
        expect(page.locator(".problems")).to_contain_text(missing)

    def test_is_shown_for_a_malformed_path(self, server: PageServer, page: Page) -> None:
        opened(page, server, "/topology/%E0%A4%A")  # half of a character
        expect(page.locator("h1")).to_have_text("Page not found")


def test_pages_load_nothing_from_elsewhere_and_keep_the_content_security_policy() -> None:
    own = [it for it in STATIC.rglob("*") if it.is_file() and "vendor" not in it.parts]  # type: ignore[attr-defined]
    for it in own:
        text = it.read_text()
        outside = re.findall(r"""(?:src|href|url|import|fetch)\W{1,3}https?://[^"' )]+""", text)
        assert not outside, it
        assert not re.search(r"""\sstyle=|\son(click|load|change)=|<script>""", text), it
