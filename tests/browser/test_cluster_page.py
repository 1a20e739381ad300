"""The cluster page says what Nimbus and Redis say."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from dashboard_pages import agree, figure, opened, rows

if TYPE_CHECKING:
    from operators_desk import Desk
    from playwright.sync_api import Page

HOSTS = ("cloud-1", "cloud-2", "edge-1", "edge-2", "fog-1", "fog-2")
ONE_DIGIT, NO_DIGIT = 0.051, 0.51
"""What rounding changes: figures in ms have one digit after the point, from 99.5 ms on none."""


class Host(NamedTuple):
    """What Nimbus knows of a host."""

    slots: str
    executors: int
    topologies: tuple[str, ...]


def rounded(milliseconds: float) -> Any:
    """Equal to it as the page shows it."""
    return pytest.approx(milliseconds, abs=ONE_DIGIT if milliseconds < 99.5 else NO_DIGIT)


def test_slots_executors_and_topologies_of_every_host_are_nimbuss(desk: Desk, page: Page) -> None:
    def in_nimbus() -> dict[str, Host]:
        status = desk.cluster.status()
        executors = Counter(it["host"] for of in status["topologies"] for it in of["executors"])
        return {
            it["name"]: Host(
                f"{it['slots_used']} of {it['slots']}",
                executors[it["name"]],
                tuple(
                    sorted(
                        of["name"]
                        for of in status["topologies"]
                        if any(its["host"] == it["name"] for its in of["executors"])
                    )
                ),
            )
            for it in status["hosts"]
        }

    def on_the_page() -> dict[str, Host]:
        found = {}
        for host, _, _, slots, executors, topologies, *_ in rows(page, "Supervisors"):
            names = () if topologies == "–" else tuple(sorted(topologies.split(", ")))
            found[host] = Host(slots, int(executors), names)
        return found

    opened(page, desk.at("/"))
    shown = agree(on_the_page, in_nimbus)
    assert set(shown) == set(HOSTS)
    assert any("desk" in it.topologies for it in shown.values())


def test_measured_and_estimated_delays_of_every_pair_are_redis_own(desk: Desk, page: Page) -> None:
    def in_redis() -> dict[frozenset[str], tuple[float | None, float | None]]:
        pairs = json.loads(desk.cluster.run("delays", "--json"))["pairs"]
        return {
            frozenset((it["a"], it["b"])): (
                it["found"] if it["kind"] == "measured" else None,
                it["coordinates"],
            )
            for it in pairs
        }

    def on_the_page() -> dict[frozenset[str], tuple[float | None, float | None]]:
        return {
            frozenset(between.split(" and ")): (figure(measured), figure(estimated))
            for between, _, measured, estimated, *_ in rows(page, "Delays")
        }

    opened(page, desk.at("/"))
    # Estimates change every second; while all agents stand still there is one truth to hold
    # the page against, as soon as it has caught up.
    with desk.halted(*(f"latency-{it}" for it in HOSTS)):
        true: Any = {
            pair: tuple(None if it is None else rounded(1000 * it) for it in its)
            for pair, its in in_redis().items()
        }
        shown = agree(on_the_page, lambda: true)
    assert len(shown) == len(HOSTS) * (len(HOSTS) - 1) // 2
    assert all(None not in it for it in shown.values())
