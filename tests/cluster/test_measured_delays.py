"""What the latency agents find on the running cluster, held against what its network does."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from running_cluster import PATIENCE, Cluster, wait_for

if TYPE_CHECKING:
    from collections.abc import Mapping

HOSTS = 6


def found(cluster: Cluster) -> Mapping[str, Any]:
    reported: Mapping[str, Any] = json.loads(cluster.run("delays", "--json"))
    return reported


def test_the_delays_of_all_pairs_are_measured_lately_and_are_those_of_the_network(
    cluster: Cluster,
) -> None:
    def good() -> Mapping[str, Any] | None:
        reported = found(cluster)
        summary = reported["summary"]
        # On a busy machine an echo may be late now and then, hence not at the first look.
        near = summary["measured"] == summary["pairs"] and summary["median_error"] <= 0.10
        return reported if near else None

    reported = wait_for(good, PATIENCE, "every pair measured, half of them to 10 %")
    delays = json.loads((cluster.run_dir / "delays.json").read_text())
    place = {host: index for index, host in enumerate(delays["hosts"])}
    assert len(reported["pairs"]) == HOSTS * (HOSTS - 1) / 2
    for pair in reported["pairs"]:
        a, b = place[pair["a"]], place[pair["b"]]
        there_and_back = delays["delay"][a][b] + delays["delay"][b][a]
        assert pair["true"] == pytest.approx(there_and_back / 2)
        assert pair["kind"] == "measured"
        # No echo is faster than the network, but for the microseconds by which clocks and
        # queues of the emulation are rounded.
        assert pair["found"] >= 0.98 * pair["true"]
        # A host probes each other one in turn: the oldest is a few seconds old.
        assert 0 <= pair["age"] <= 30
        assert 0.3 <= pair["confidence"] <= 1
