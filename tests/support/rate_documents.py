"""A document of a topology's rates in which every field holds something."""

from __future__ import annotations

from eyewall_contracts.rates import (
    ComponentCost,
    Emission,
    Estimate,
    Rates,
    StreamRate,
    TaskCost,
    TaskEmission,
    TaskRate,
)

UNTIL = 1_700_000_060.25


def an_estimate(value: float, until: float = UNTIL) -> Estimate:
    return Estimate(value, value / 4, value, value / 2, value * 2, -0.25, 10, until, 0.875)


FULL_RATES = Rates(
    topology="word_count-1-1700000000",
    run="5f1c1a0e9f9b",
    batch=42,
    written=1_700_000_061.5,
    window=60.0,
    lost=3,
    late=7,
    troubled=1_700_000_055.5,
    streams=(StreamRate("split", "default", "count", 2, 1.25, an_estimate(2000), None),),
    inputs=(
        TaskRate(3, "count", "split", "default", "edge-1", 6700, an_estimate(1250)),
        TaskRate(4, "count", "split", "default", "edge-2", 6701, an_estimate(750)),
    ),
    emissions=(Emission("split", "default", 1, an_estimate(2000), 1.0, an_estimate(6.5)),),
    outputs=(
        TaskEmission(1, "sentence", "default", an_estimate(300), None),
        TaskEmission(2, "split", "default", an_estimate(2000), an_estimate(6.5)),
    ),
    costs=(ComponentCost("count", 2, an_estimate(0.000125), an_estimate(0.25)),),
    task_costs=(
        TaskCost(3, "count", an_estimate(0.000125), an_estimate(0.15625), apart=True),
        TaskCost(4, "count", None, an_estimate(0.09375), apart=False),
    ),
    left_out=1,
)
"""`tests/contracts/rates.json` is this one."""
