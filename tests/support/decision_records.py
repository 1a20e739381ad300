"""A record of a decision in which every field holds something."""

from __future__ import annotations

from eyewall_contracts.decision import (
    DecisionRecord,
    ExecutorMove,
    MetricChange,
    RejectedMoves,
    Verdict,
    record_id,
)

FULL_DECISION = DecisionRecord(
    id="1700000061500-5f1c1a0e-000012",
    topology="word_count-1-1700000000",
    verdict=Verdict.MOVED,
    said="placed by eyewall: odp, optimal, R 41 ms (was 61), 1 executor moved",
    base="00ff00ff00ff00ff",
    policy="odp",
    objective="R=1",
    seed=7,
    status="optimal",
    decided_by="closed form",
    seconds=0.25,
    evaluated=64,
    bound=0.041,
    gap=0.0,
    metrics=(MetricChange("R", 0.061, 0.041), MetricChange("objective", None, -0.5)),
    moves=(
        ExecutorMove("count[3-3]", "edge-1", "cloud-1"),
        ExecutorMove("count[4-4]", "", "cloud-1"),
    ),
    moves_left_out=1,
    workers_started=2,
    possible=5,
    rejected=(RejectedMoves("slots", 3),),
    assumptions=("rates are equal: none is measured",),
    delays_age=1.5,
    delays_confidence=0.875,
    rates_age=2.5,
    price=360.0,
    gain_least=0.125,
    gain_greatest=0.25,
    outcome_of="1700000001500-5f1c1a0e-000007",
    outcome="latency 41 ms (was 61 ms)",
)


def decision(time: float, number: int = 0, topology: str = "line-1-2") -> DecisionRecord:
    """A decision that says little but which it is."""
    id_ = record_id(time, "5f1c1a0e", number)
    return DecisionRecord(id_, topology, Verdict.KEPT, f"decision {number}")
