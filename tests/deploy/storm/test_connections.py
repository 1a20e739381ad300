"""Which connections were promised a rate: by a topology's settings, where its executors run."""

from __future__ import annotations

import json
import logging
from collections import Counter
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from eyewall_deploy.storm.connections import (
    ConnectionReader,
    PromiseError,
    RatePromise,
    WorkerConnection,
    promised_connections,
    read_promise,
    write_connections,
)
from eyewall_deploy.storm.nimbus import (
    NimbusUnreachableError,
    RunningExecutor,
    RunningTopology,
    TopologyStream,
    WorkerSlot,
)
from hypothesis import given
from hypothesis import strategies as st

if TYPE_CHECKING:
    from pathlib import Path

MBIT = 125_000.0
"""Bytes/s."""


def topology(*placed: tuple[str, str, int]) -> RunningTopology:
    """Executors by component, host and port, one after the other."""
    slots = {
        RunningExecutor(component, task, task): WorkerSlot(host, port)
        for task, (component, host, port) in enumerate(placed, start=1)
    }
    return RunningTopology("t-1-1", "t", "ACTIVE", "", slots)


def carried(running: RunningTopology, grouping: str = "shuffle") -> dict[Any, float]:
    """Mbit/s by connection, of 6 Mbit/s from `source` to `sink`."""
    streams = (
        TopologyStream("source", "sink", grouping),
        TopologyStream("sink", "log", "shuffle"),
    )
    found = promised_connections(running, streams, RatePromise({"source": 6 * MBIT}, budget=2e-6))
    assert {(it.topology, it.budget) for it in found} <= {("t", 2e-6)}
    return {(it.source, it.target, it.port): it.promised / MBIT for it in found}


def test_a_stream_between_two_hosts_is_one_connection_to_the_targets_worker() -> None:
    running = topology(("source", "plant", 6700), ("sink", "centre", 6701), ("log", "relay", 6700))
    # sink to log was promised nothing.
    assert carried(running) == {("plant", "centre", 6701): 6.0}


def test_between_executors_of_one_host_nothing_is_needed() -> None:
    assert carried(topology(("source", "plant", 6700), ("sink", "plant", 6701))) == {}


def test_a_stream_is_divided_evenly_among_the_executors_at_both_ends() -> None:
    # 2 sources and 3 sinks: 6 pairs of 1 Mbit/s. Two of the sinks share a worker on centre; the
    # source on relay has a sink on the same host.
    running = topology(
        ("source", "plant", 6700),
        ("source", "relay", 6700),
        ("sink", "centre", 6701),
        ("sink", "centre", 6701),
        ("sink", "relay", 6701),
    )
    assert carried(running) == pytest.approx(
        {
            ("plant", "centre", 6701): 2.0,
            ("plant", "relay", 6701): 1.0,
            ("relay", "centre", 6701): 2.0,
        }
    )


def test_with_an_all_grouping_each_executor_at_the_target_has_the_whole() -> None:
    running = topology(("source", "plant", 6700), ("sink", "centre", 6701), ("sink", "relay", 6700))
    assert carried(running, "all") == {("plant", "centre", 6701): 6, ("plant", "relay", 6700): 6}


hosts = st.sampled_from(["plant", "relay", "centre"])
slots = st.tuples(hosts, st.sampled_from([6700, 6701]))


@given(st.lists(slots, min_size=1, max_size=5), st.lists(slots, min_size=1, max_size=5))
def test_all_connections_together_carry_the_promise_less_what_stays_on_a_host(
    sources: list[tuple[str, int]], sinks: list[tuple[str, int]]
) -> None:
    running = topology(*(("source", *it) for it in sources), *(("sink", *it) for it in sinks))
    apart = sum(a != b for a, _ in sources for b, _ in sinks)
    expected = 6.0 * apart / (len(sources) * len(sinks))
    assert sum(carried(running).values()) == pytest.approx(expected)


def test_the_settings_are_in_mbit_and_megabytes_the_promise_in_bytes() -> None:
    conf = {"eyewall.rate.promised.mbit": {"source": 2.4}, "eyewall.budget.per.mb": 3}
    assert read_promise(conf) == RatePromise({"source": 300_000}, 3e-6)
    as_text = {"eyewall.rate.promised.mbit": '{"source": 2.4}'}
    assert read_promise(as_text) == RatePromise({"source": 300_000}, None)
    assert read_promise({"eyewall.rate.promised.mbit": {}}) == RatePromise({}, None)
    assert read_promise({"eyewall.budget.per.mb": 3}) is None


@pytest.mark.parametrize(
    ("conf", "says"),
    [
        ({"eyewall.rate.promised.mbit": 3}, "is 3; it must be a map from components to values"),
        ({"eyewall.rate.promised.mbit": "much"}, "is 'much'; it must be a map from components"),
        ({"eyewall.rate.promised.mbit": {"source": -1}}, "is {'source': -1}; it must be a map"),
        (
            {"eyewall.rate.promised.mbit": {}, "eyewall.budget.per.mb": "much"},
            "eyewall.budget.per.mb is 'much'; it must be a number from 0 to 1,000,000",
        ),
        (
            {"eyewall.rate.promised.mbit": '{"source": Infinity}'},
            "a map from components to values, each a number from 0 to 1,000,000 (Mbit/s)",
        ),
        (
            {"eyewall.rate.promised.mbit": {}, "eyewall.budget.per.mb": 1e7},
            "eyewall.budget.per.mb is 10000000.0; it must be a number from 0 to 1,000,000",
        ),
    ],
)
def test_a_promise_that_is_none_is_named(conf: dict[str, Any], says: str) -> None:
    with pytest.raises(PromiseError) as caught:
        read_promise(conf)
    assert says in str(caught.value)


def test_a_promise_to_a_component_that_is_not_there_is_named_with_a_guess() -> None:
    running = topology(("source", "plant", 6700), ("sink", "centre", 6701))
    with pytest.raises(PromiseError) as caught:
        promised_connections(running, (), RatePromise({"sorce": 1.0}, None))
    assert str(caught.value) == (
        "t: eyewall.rate.promised.mbit: no component sorce; components are sink, source "
        "(did you mean source?)"
    )


def test_a_component_without_a_placed_executor_needs_nothing_and_is_no_mistake() -> None:
    # Its host is gone, and nothing is placed in its stead as yet.
    assert carried(topology(("sink", "centre", 6701), ("log", "relay", 6700))) == {}


def test_the_file_has_what_the_sidecar_reads(tmp_path: Path) -> None:
    write_connections(
        tmp_path / "c.json", (WorkerConnection("t", "a", "b", 6700, 1.5, None),), as_of=3.0
    )
    assert json.loads((tmp_path / "c.json").read_text()) == {
        "version": 1,
        "as_of": 3.0,
        "connections": [
            {
                "topology": "t",
                "source": "a",
                "target": "b",
                "port": 6700,
                "promised": 1.5,
                "budget": None,
            }
        ],
    }


class OneTopology:
    """A Nimbus with `source` and `sink` on port 6700 of hosts that may change, or be None."""

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


def test_a_move_changes_the_connections_and_settings_are_read_once() -> None:
    nimbus, reader = OneTopology(PROMISED), ConnectionReader()
    # 8 Mbit/s = 1 MB/s; 2 for 10⁶ bytes.
    assert reader.read(nimbus) == (WorkerConnection("t", "plant", "centre", 6700, 1e6, 2e-6),)
    nimbus.sink_host = "relay"
    assert reader.read(nimbus) == (WorkerConnection("t", "plant", "relay", 6700, 1e6, 2e-6),)
    assert nimbus.asked == {"conf of t-1-1": 1, "streams of t-1-1": 1}


def test_a_topology_without_executors_or_gone_has_no_connections() -> None:
    nimbus, reader = OneTopology(PROMISED), ConnectionReader()
    nimbus.sink_host = None
    assert reader.read(nimbus) == ()
    nimbus.running = False
    assert reader.read(nimbus) == ()


def test_a_promise_is_read_again_if_nimbus_did_not_answer() -> None:
    nimbus, reader = OneTopology(PROMISED), ConnectionReader()
    nimbus.answers = False
    with pytest.raises(NimbusUnreachableError):
        reader.read(nimbus)
    nimbus.answers = True
    assert len(reader.read(nimbus)) == 1


def test_a_promise_holds_again_once_its_component_is_placed_again() -> None:
    nimbus, reader = OneTopology(PROMISED), ConnectionReader()
    nimbus.source_host = None
    assert reader.read(nimbus) == ()
    nimbus.source_host = "plant"
    assert len(reader.read(nimbus)) == 1


def test_a_topology_without_a_promise_is_not_asked_for_streams() -> None:
    nimbus = OneTopology({})
    assert ConnectionReader().read(nimbus) == ()
    assert nimbus.asked == {"conf of t-1-1": 1}


def test_a_bad_promise_is_logged_once_and_counts_as_none(caplog: pytest.LogCaptureFixture) -> None:
    nimbus, reader = OneTopology({"eyewall.rate.promised.mbit": {"sorce": 8}}), ConnectionReader()
    with caplog.at_level(logging.ERROR):
        assert reader.read(nimbus) == ()
        assert reader.read(nimbus) == ()
    (record,) = caplog.records
    assert "no component sorce; components are sink, source (did you mean" in record.getMessage()
    assert record.getMessage().endswith("its connections get no promise")
