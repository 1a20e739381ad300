"""Every record of the contracts, with one example in which every field holds something."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from decision_records import FULL_DECISION
from eyewall_contracts import (
    crossing_costs,
    decision,
    latency,
    rates,
    sample,
    switches,
    wait_fit,
    worker_starts,
)
from eyewall_contracts.crossing_costs import CrossingCostRecord, TopologyCrossingCost
from eyewall_contracts.latency import HostCoordinate, RttRecord
from eyewall_contracts.switches import Switches
from eyewall_contracts.wait_fit import WaitObservation, WaitRecord
from eyewall_contracts.worker_starts import TopologyStarts, WorkerStartRecord
from rate_documents import FULL_RATES
from reports import FULL

if TYPE_CHECKING:
    from eyewall_contracts.codec import RecordCodec

FULL_COORDINATE = HostCoordinate(
    address="10.0.0.7",
    port=7078,
    position=(0.0125, -0.0031416, 0.0),
    height=0.0004,
    error=0.0625,
    resets=1,
    at=1_760_000_000.25,
)
"""`tests/contracts/latency_host.json` is this one."""
FULL_RTT = RttRecord(seconds=0.0125, spread=0.0003, at=1_760_000_001.5)
"""`tests/contracts/latency_rtt.json` is this one."""
FULL_WAITS = WaitRecord(
    written=1_760_000_002.5,
    burstiness=0.75,
    burstiness_error=0.125,
    sharing=0.375,
    sharing_error=0.0625,
    observations=(
        WaitObservation(
            topology="a-1-2",
            placement="0f1e2d3c4b5a6978",
            time=1_760_000_001.25,
            latency=0.0375,
            deviation=0.0015,
            base=0.0125,
            executors=0.005,
            hosts=0.04,
        ),
    ),
)
FULL_CROSSING_COSTS = CrossingCostRecord(
    written=1_760_000_003.5,
    topologies=(
        TopologyCrossingCost(
            topology="word_count",
            time=1_760_000_003.25,
            worker=0.0125,
            crossing=0.0625,
            half_rate=500.0,
            per_tuple=7.5e-06,
        ),
    ),
)
FULL_WORKER_STARTS = WorkerStartRecord(
    written=1_760_000_004.5,
    starts=(
        TopologyStarts(
            topology="a-1-2",
            host="fog-1",
            time=1_760_000_004.25,
            last=12.5,
            mean=10.25,
            count=3,
            multilang=True,
        ),
    ),
)
FULL_SWITCHES = Switches(
    frozen=True,
    frozen_topologies=frozenset(["b-3-4", "a-1-2"]),
    drained_hosts=frozenset(["fog-1", "edge-2"]),
)


class ContractRecord(NamedTuple):
    """A kind of record and its example."""

    codec: RecordCodec[Any]
    example: Any
    golden: str
    """File in tests/contracts with the example's bytes."""

    def __str__(self) -> str:
        return self.codec.name


CONTRACT_RECORDS = (
    ContractRecord(sample.CODEC, FULL, "sample.json"),
    ContractRecord(rates.CODEC, FULL_RATES, "rates.json"),
    ContractRecord(decision.CODEC, FULL_DECISION, "decision.json"),
    ContractRecord(switches.CODEC, FULL_SWITCHES, "switches.json"),
    ContractRecord(wait_fit.CODEC, FULL_WAITS, "wait_fit.json"),
    ContractRecord(crossing_costs.CODEC, FULL_CROSSING_COSTS, "crossing_costs.json"),
    ContractRecord(worker_starts.CODEC, FULL_WORKER_STARTS, "worker_starts.json"),
    ContractRecord(latency.HOST_CODEC, FULL_COORDINATE, "latency_host.json"),
    ContractRecord(latency.RTT_CODEC, FULL_RTT, "latency_rtt.json"),
)
