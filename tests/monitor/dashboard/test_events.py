"""The event stream of open pages."""

from __future__ import annotations

import asyncio
import json
import socket
from typing import TYPE_CHECKING, Any

from eyewall_monitor.dashboard.view_cache import ViewChange
from eyewall_monitor.dashboard.web.events import Events
from sidecar_answers import a_plan, a_status

if TYPE_CHECKING:
    from collections.abc import Iterator

    from httpx import Response
    from running_dashboard import RunningDashboard
    from scripted_operations import SidecarServer

TOPOLOGY = "topology/word_count-1-1700000000"


def changes(stream: Response) -> Iterator[Any]:
    for line in stream.iter_lines():
        if line.startswith("data: "):
            yield json.loads(line.removeprefix("data: "))


def until(events: Iterator[Any], name: str) -> Any:
    return next(it for it in events if name in it["changed"])


def test_a_page_receives_everything_at_once_and_then_each_change(
    alone: RunningDashboard, sidecar: SidecarServer
) -> None:
    with alone.http.stream("GET", "/api/v1/events") as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        events = changes(stream)
        first = next(events)
        assert {"cluster", "decisions", "health", "plans", TOPOLOGY} <= set(first["changed"])
        sidecar.operations.plans["p"] = a_plan("p")
        plans = until(events, "plans")
        assert plans["revision"] > first["revision"]
        sidecar.operations.status = a_status(revision=2)
        moved = until(events, TOPOLOGY)
        # A request after the event returns that revision or a later one.
        assert alone.get("cluster").json()["revision"] >= moved["revision"]


def test_heartbeats_are_sent(alone: RunningDashboard) -> None:
    with alone.http.stream("GET", "/api/v1/events", timeout=60) as stream:
        assert any(line.startswith(":") for line in stream.iter_lines())


def test_a_page_that_reads_nothing_delays_no_other(
    alone: RunningDashboard, sidecar: SidecarServer
) -> None:
    deaf = [socket.create_connection(("127.0.0.1", alone.port)) for _ in range(20)]
    for it in deaf:
        it.sendall(b"GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
    with alone.http.stream("GET", "/api/v1/events") as stream:
        events = changes(stream)
        next(events)
        sidecar.operations.plans["p"] = a_plan("p")
        assert until(events, "plans")
    assert alone.get("cluster").status_code == 200
    for it in deaf:
        it.close()


def test_a_slow_page_receives_several_changes_as_one() -> None:
    async def events() -> list[ViewChange]:
        events = Events()
        events.begin()
        stream = events.changes(lambda: ViewChange(revision=1, changed=("cluster",)))
        found = [await anext(stream)]
        for revision, name in ((2, "plans"), (3, "cluster"), (4, "plans")):
            events.publish(ViewChange(revision=revision, changed=(name,)))
        await asyncio.sleep(0)
        found.append(await anext(stream))
        events.close()
        found += [it async for it in stream]
        assert events.pages == 0
        return found

    assert asyncio.run(events()) == [
        ViewChange(revision=1, changed=("cluster",)),
        ViewChange(revision=4, changed=("cluster", "plans")),
    ]
