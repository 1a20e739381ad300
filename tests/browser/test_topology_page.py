"""The topology page says what Nimbus, ZooKeeper and the sidecar say."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from dashboard_pages import agree, figure, hosts_of_executors, opened, rows
from playwright.sync_api import expect

if TYPE_CHECKING:
    from operators_desk import Desk
    from playwright.sync_api import Page

HELD = 0.1
"""A rate is held until it is off by more than that, or its 95 % error (docs/design/signals.md)."""
ROUNDED = 0.006
"""Of figures with three digits."""
FLOW = re.compile(r"(\S+) to (\S+): default, [\w ]+: ([\d.,]+) tuples/s")
_LABELS = "all => all.map(it => it.getAttribute('aria-label'))"


def test_every_executor_is_where_nimbus_has_it(desk: Desk, page: Page) -> None:
    opened(page, desk.at("/topology/desk"))
    page.get_by_label("system components").check()
    agree(
        lambda: dict(hosts_of_executors(page)),
        lambda: {it: host for it, (host, _) in desk.whole().items()},
    )


def test_rates_on_streams_are_those_in_zookeeper(desk: Desk, page: Page) -> None:
    def in_zookeeper() -> dict[tuple[str, str], Any]:
        return {
            (it.source, it.component): pytest.approx(
                it.rate.value, rel=HELD + ROUNDED, abs=it.rate.error
            )
            for it in desk.rates().streams
            if it.stream == "default"
        }

    def on_the_page() -> dict[tuple[str, str], float | None]:
        said = page.locator(".graph path.edge").evaluate_all(_LABELS)
        found = (FLOW.match(it) for it in said)
        return {(it[1], it[2]): figure(it[3]) for it in found if it}

    opened(page, desk.at("/topology/desk"))
    shown = agree(on_the_page, in_zookeeper, seconds=300)
    assert set(shown) == {("left", "join"), ("right", "join"), ("join", "consumer")}


def test_what_if_is_the_sidecars_forecast(desk: Desk, page: Page) -> None:
    def forecast() -> dict[str, Any]:
        hosts = desk.cluster.forecast("desk", "2x")["then"]["hosts"]
        return {it["name"]: pytest.approx(100 * it["share"]["value"], abs=5) for it in hosts}

    def on_the_page() -> dict[str, float | None]:
        return {host: figure(then) for host, _, _, _, then, _ in rows(page, "CPU of hosts")}

    desk.rates()
    opened(page, desk.at("/topology/desk?rate=2"))
    panel = page.get_by_role("region", name="What if")
    expect(panel).to_contain_text("saturates first", timeout=60_000)
    agree(on_the_page, forecast)
    measured = [figure(cells[1]) for cells in rows(page, "CPU of hosts")]
    assert all(it is not None for it in measured)


def test_throughput_is_measured_and_predicted(desk: Desk, page: Page) -> None:
    def on_the_page() -> list[float | None]:
        said = page.get_by_role("img", name="Throughput: ").get_attribute("aria-label") or ""
        return [figure(it) for it in re.findall(r"now ([\d.,]+) tuples/s", said)]

    desk.rates()
    opened(page, desk.at("/topology/desk?seconds=900"))
    # left sends 5 tuples/s and right 20, each to join; Storm counts one of twenty.
    agree(on_the_page, lambda: [pytest.approx(25, rel=0.3)] * 2)


def test_the_predicted_response_time_is_the_sidecars(desk: Desk, page: Page) -> None:
    def in_the_sidecar() -> Any:
        (it,) = [it for it in desk.cluster.known()["topologies"] if it["name"] == "desk"]
        (time,) = [m["before"] for m in it["metrics"] if m["name"] == "R"]
        return pytest.approx(1000 * time, abs=0.051)

    opened(page, desk.at("/topology/desk"))
    said = page.locator("dl.strip div", has_text="Response time, predicted").locator("dd")
    agree(lambda: figure(said.inner_text()), in_the_sidecar)
