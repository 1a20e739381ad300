"""Which connections were promised a rate: by a topology's settings, where its executors run."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from eyewall_deploy.measure.nimbus import Executor, RunningTopology, Slot, Stream
from eyewall_deploy.storm.connections import (
    Connection,
    Promise,
    PromiseError,
    connections_of,
    read_promise,
    write,
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
        Executor(component, task, task): Slot(host, port)
        for task, (component, host, port) in enumerate(placed, start=1)
    }
    return RunningTopology("t-1-1", "t", "ACTIVE", "", slots, None)


def carried(running: RunningTopology, grouping: str = "shuffle") -> dict[Any, float]:
    """Mbit/s by connection, of 6 Mbit/s from `source` to `sink`."""
    streams = (Stream("source", "sink", grouping), Stream("sink", "log", "shuffle"))
    found = connections_of(running, streams, Promise({"source": 6 * MBIT}, budget=2e-6))
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
    # source on relay has a sink beside it.
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
    assert read_promise(conf) == Promise({"source": 300_000}, 3e-6)
    as_text = {"eyewall.rate.promised.mbit": '{"source": 2.4}'}
    assert read_promise(as_text) == Promise({"source": 300_000}, None)
    assert read_promise({"eyewall.rate.promised.mbit": {}}) == Promise({}, None)
    assert read_promise({"eyewall.budget.per.mb": 3}) is None


@pytest.mark.parametrize(
    ("conf", "says"),
    [
        ({"eyewall.rate.promised.mbit": 3}, "is 3; it must be a map from components to Mbit/s"),
        ({"eyewall.rate.promised.mbit": "much"}, "is 'much'; it must be a map from components"),
        ({"eyewall.rate.promised.mbit": {"source": -1}}, "is {'source': -1}; it must be a map"),
        (
            {"eyewall.rate.promised.mbit": {}, "eyewall.budget.per.mb": "much"},
            "eyewall.budget.per.mb is 'much'; it must be a number from 0 to 1000000",
        ),
        (
            {"eyewall.rate.promised.mbit": '{"source": Infinity}'},
            "it must be a map from components to Mbit/s, each from 0 to 1000000",
        ),
        (
            {"eyewall.rate.promised.mbit": {}, "eyewall.budget.per.mb": 1e7},
            "eyewall.budget.per.mb is 10000000.0; it must be a number from 0 to 1000000",
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
        connections_of(running, (), Promise({"sorce": 1.0}, None))
    assert str(caught.value) == (
        "t: eyewall.rate.promised.mbit: no component sorce; components are sink, source "
        "(did you mean source?)"
    )


def test_a_component_without_a_placed_executor_needs_nothing_and_is_no_mistake() -> None:
    # Its host is gone, and nothing is placed in its stead as yet.
    assert carried(topology(("sink", "centre", 6701), ("log", "relay", 6700))) == {}


def test_the_file_has_what_the_sidecar_reads(tmp_path: Path) -> None:
    write(tmp_path / "c.json", [Connection("t", "a", "b", 6700, 1.5, None)], as_of=3.0)
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
