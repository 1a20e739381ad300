"""What the dashboard's API answers of forecasts of the recorded cluster's topologies."""

from __future__ import annotations

from eyewall_monitor.dashboard.views.forecast import (
    ExecutorUtilisationView,
    ForecastView,
    HostUtilisationView,
    IntervalView,
    ProspectView,
)
from eyewall_monitor.dashboard.views.metrics import MoveView
from eyewall_monitor.dashboard.views.response_time import (
    BandPoint,
    ResponseTimeView,
    ThroughputView,
    TimePoint,
)
from recorded_views import FRESH, HOSTS, NOW, WORD_COUNT
from recorded_views import response_time as measured_response_time

SUSTAINED = 1.6
"""Multiples of the present rate that are carried."""
SHARES = {"fog-1": 0.625, "edge-1": 0.3, "fog-2": 0.2}
"""Of the hosts' CPU, at the present rate: 1 / 0.625 = 1.6."""
MEASURED = {"fog-1": 0.66, "edge-1": 0.28}
EXECUTORS = {"count[4-4]": 0.5, "split[2-2]": 0.25, "sentences[1-1]": 0.1}


def _within(value: float, error: float = 0.1) -> IntervalView:
    return IntervalView(value=value, least=value * (1 - error), greatest=value * (1 + error))


def _prospect(rate: float) -> ProspectView:
    saturated = rate > SUSTAINED
    return ProspectView(
        throughput=_within(120 * min(rate, SUSTAINED)),
        response_time=IntervalView(value=None, least=None, greatest=None)
        if saturated
        else _within(0.02),
        sustainable=_within(SUSTAINED),
        bottleneck="fog-1",
    )


def forecast(id_: str, rate: str = "1", off: str = "", policy: str = "") -> ForecastView:
    """Of a topology that fog-1 limits; without a host, or placed again, split is on fog-2."""
    multiple = float(rate)
    elsewhere = MoveView(executor="split[2-2]", source="edge-1", target="fog-2")
    return ForecastView(
        topology=id_,
        name=id_.rsplit("-", 2)[0],
        rate=multiple,
        off=(off,) if off else (),
        policy=policy,
        moves=(elsewhere,) if off or policy else (),
        now=_prospect(1.0),
        then=_prospect(multiple),
        hosts=tuple(
            HostUtilisationView(
                host=host,
                measured=MEASURED.get(host),
                report=FRESH,
                now=_within(share),
                then=None if host == off else _within(share * multiple),
            )
            for host, share in SHARES.items()
            if host in HOSTS
        ),
        executors=tuple(
            ExecutorUtilisationView(
                executor=name, now=_within(share), then=_within(share * multiple)
            )
            for name, share in EXECUTORS.items()
        ),
        unsettled=False,
        remarks=() if multiple <= SUSTAINED else ("the rate is not carried",),
    )


def expected(value: float) -> tuple[BandPoint, ...]:
    """Half an hour of a forecast that does not change."""
    return tuple(
        BandPoint(at=NOW - 30 * ago, value=value, least=0.9 * value, greatest=1.3 * value)
        for ago in range(60, -1, -1)
    )


def throughput(id_: str) -> ThroughputView:
    """An hour of it; the other topology's is not measured."""
    known = id_ == WORD_COUNT
    return ThroughputView(
        topology=id_,
        expected=expected(120.0),
        measured=tuple(
            TimePoint(at=NOW - 30 * ago, value=118.0 + ago % 5) for ago in range(120, -1, -1)
        )
        if known
        else (),
        measured_note="" if known else "no spout reported what it sent",
    )


def response_time(id_: str) -> ResponseTimeView:
    """The recorded one, and its forecast."""
    return measured_response_time(id_).model_copy(update={"expected": expected(0.02)})
