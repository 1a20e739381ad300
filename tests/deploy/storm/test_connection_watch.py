"""What the connection watch asks Nimbus, and how often; Nimbus is a fake with one topology."""

from __future__ import annotations

import json
import logging
from collections import Counter
from types import SimpleNamespace
from typing import Any

import pytest
from eyewall_deploy.storm.connection_watch import ConnectionWatch
from eyewall_deploy.storm.connections import Connection
from eyewall_deploy.storm.nimbus import NimbusUnreachableError


class OneTopology:
    """A Nimbus that runs `source` and `sink` on port 6700 of hosts that may change, or of none."""

    def __init__(self, conf: dict[str, Any]) -> None:
        self.conf = conf
        self.source_host: str | None = "plant"
        self.sink_host: str | None = "centre"
        self.running = True
        self.answers = True
        self.asked: Counter[str] = Counter()

    def getClusterInfo(self) -> Any:  # noqa: N802 - Thrift's name, as those below
        topologies = [SimpleNamespace(id="t-1-1", name="t")] if self.running else []
        return SimpleNamespace(topologies=topologies)

    def getTopologyInfo(self, topology: str) -> Any:  # noqa: N802
        hosts = {"source": self.source_host, "sink": self.sink_host}
        placed = {component: host for component, host in hosts.items() if host}
        executors = [
            SimpleNamespace(
                component_id=component,
                executor_info=SimpleNamespace(task_start=task, task_end=task),
                host=host,
                port=6700,
                stats=None,
            )
            for task, (component, host) in enumerate(placed.items(), start=1)
        ]
        return SimpleNamespace(
            id=topology, name="t", status="ACTIVE", sched_status="", executors=executors
        )

    def getTopologyConf(self, topology: str) -> str:  # noqa: N802
        self.asked[f"conf of {topology}"] += 1
        if not self.answers:
            raise NimbusUnreachableError
        return json.dumps(self.conf)

    def getUserTopology(self, topology: str) -> Any:  # noqa: N802
        self.asked[f"streams of {topology}"] += 1
        inputs = {GlobalStreamId("source"): SimpleNamespace(shuffle=object())}
        sink = SimpleNamespace(common=SimpleNamespace(inputs=inputs))
        return SimpleNamespace(bolts={"sink": sink})


class GlobalStreamId:
    """A key of a map, as in Thrift."""

    def __init__(self, component: str) -> None:
        self.componentId = component


PROMISED = {"eyewall.rate.promised.mbit": {"source": 8}, "eyewall.budget.per.mb": 2}


def test_a_move_is_seen_and_settings_are_asked_for_once() -> None:
    nimbus, watch = OneTopology(PROMISED), ConnectionWatch()
    # 8 Mbit/s = 1 MB/s; 2 for 10⁶ bytes.
    assert watch.look(nimbus) == (Connection("t", "plant", "centre", 6700, 1e6, 2e-6),)
    nimbus.sink_host = "relay"
    assert watch.look(nimbus) == (Connection("t", "plant", "relay", 6700, 1e6, 2e-6),)
    assert nimbus.asked == {"conf of t-1-1": 1, "streams of t-1-1": 1}


def test_a_topology_without_executors_or_gone_has_no_connections() -> None:
    nimbus, watch = OneTopology(PROMISED), ConnectionWatch()
    nimbus.sink_host = None
    assert watch.look(nimbus) == ()
    nimbus.running = False
    assert watch.look(nimbus) == ()


def test_a_promise_that_nimbus_could_not_tell_at_once_is_asked_for_again() -> None:
    nimbus, watch = OneTopology(PROMISED), ConnectionWatch()
    nimbus.answers = False
    with pytest.raises(NimbusUnreachableError):
        watch.look(nimbus)
    nimbus.answers = True
    assert len(watch.look(nimbus)) == 1


def test_a_promise_outlives_a_time_in_which_its_component_is_not_placed() -> None:
    nimbus, watch = OneTopology(PROMISED), ConnectionWatch()
    nimbus.source_host = None
    assert watch.look(nimbus) == ()
    nimbus.source_host = "plant"
    assert len(watch.look(nimbus)) == 1


def test_who_was_promised_nothing_is_not_asked_for_streams() -> None:
    nimbus = OneTopology({})
    assert ConnectionWatch().look(nimbus) == ()
    assert nimbus.asked == {"conf of t-1-1": 1}


def test_a_bad_promise_is_told_once_and_is_none(caplog: pytest.LogCaptureFixture) -> None:
    nimbus, watch = OneTopology({"eyewall.rate.promised.mbit": {"sorce": 8}}), ConnectionWatch()
    with caplog.at_level(logging.ERROR):
        assert watch.look(nimbus) == ()
        assert watch.look(nimbus) == ()
    (told,) = caplog.records
    assert "no component sorce; components are sink, source (did you mean" in told.getMessage()
    assert told.getMessage().endswith("nothing is promised to it")
