"""Decisions, and what became of what they promised."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from eyewall_monitor.dashboard import signals
from eyewall_monitor.dashboard.measured import mean
from eyewall_monitor.dashboard.metric_views import unit
from eyewall_monitor.dashboard.response_time_view import DONE
from eyewall_monitor.dashboard.views.decision import DecisionSummary, DecisionView, MeasuredGain
from eyewall_monitor.dashboard.views.metrics import MetricView
from eyewall_monitor.dashboard.views.moves import MoveView, RejectionView

if TYPE_CHECKING:
    from eyewall_contracts.decision import DecisionRecord

    from eyewall_monitor.dashboard.known import Known

BEFORE_SECONDS: Final = 300.0
SETTLING_SECONDS: Final = 60.0
"""After a move: workers start, and what waited meanwhile is worked off."""
AFTER_SECONDS: Final = 300.0


def topology_name(topology: str) -> str:
    """Return the name in Storm's id, NAME-NUMBER-SECONDS."""
    return topology.rsplit("-", 2)[0]


def summary(record: DecisionRecord) -> DecisionSummary:
    """A line of the history."""
    return DecisionSummary(
        id=record.id,
        at=record.time,
        topology=record.topology,
        name=topology_name(record.topology),
        verdict=record.verdict.value,
        said=record.said,
        policy=record.policy,
        objective=record.objective,
        status=record.status,
        decided_by=record.decided_by,
        gap=record.gap,
        moves=len(record.moves) + record.moves_left_out,
        workers_started=record.workers_started,
    )


def decision_view(record: DecisionRecord, known: Known) -> DecisionView:
    """All of one decision."""
    return DecisionView(
        summary=summary(record),
        seed=record.seed,
        seconds=record.seconds,
        evaluated=record.evaluated,
        bound=record.bound,
        metrics=tuple(
            MetricView(name=it.name, unit=unit(it.name), before=it.before, after=it.after)
            for it in record.metrics
        ),
        moves=tuple(
            MoveView(executor=it.executor, source=it.source or None, target=it.target)
            for it in record.moves
        ),
        moves_left_out=record.moves_left_out,
        done=record.verdict in DONE,
        possible=record.possible,
        rejected=tuple(
            RejectionView(constraint=it.constraint, moves=it.moves) for it in record.rejected
        ),
        assumptions=record.assumptions,
        delays_age=record.delays_age,
        delays_confidence=record.delays_confidence,
        rates_age=record.rates_age,
        base=record.base,
        gain=measured_gain(record, known),
    )


def measured_gain(record: DecisionRecord, known: Known) -> MeasuredGain:
    """Hold what was predicted against Storm's complete latency.

    The mean over the five minutes before, and over five minutes from the second one after.
    """
    response = next((it for it in record.metrics if it.name == "R"), None)
    begin, settled = record.time - BEFORE_SECONDS, record.time + SETTLING_SECONDS
    end = settled + AFTER_SECONDS
    times = known.redis.response_times
    before = mean(times.spans(record.topology, begin, record.time))
    over = known.now >= end
    after = mean(times.spans(record.topology, settled, end)) if over else None
    return MeasuredGain(
        predicted_before=response.before if response else None,
        predicted_after=response.after if response else None,
        measured_before=before,
        measured_after=after,
        note=" ".join(_notes(record, known, before, after)),
    )


def _notes(
    record: DecisionRecord, known: Known, before: float | None, after: float | None
) -> list[str]:
    """Why something is not known, or not what it seems."""
    found: list[str] = []
    end = record.time + SETTLING_SECONDS + AFTER_SECONDS
    if record.verdict not in DONE:
        found.append("Nothing was moved.")
    if known.now < end:
        wait = end - known.now
        found.append(f"What came of it is known in {wait:.0f} s: six minutes after the decision.")
    since = known.redis.response_times.since()
    if before is None or (after is None and known.now >= end):
        found.append(_why_unknown(record, known))
    elif since is None or since > record.time - BEFORE_SECONDS:
        found.append("The history of reports does not reach back over all of these minutes.")
    others = [
        it
        for it in known.zookeeper.decisions
        if it.topology == record.topology
        and it.id != record.id
        and it.verdict in DONE
        and record.time - BEFORE_SECONDS <= it.time < end
    ]
    if others:
        found.append(
            f"{len(others)} other {'move' if len(others) == 1 else 'moves'} of this topology "
            "fell into these minutes: the means are not of this one alone."
        )
    return found


def _why_unknown(record: DecisionRecord, known: Known) -> str:
    store = signals.of_redis(known)
    if not known.redis.wanted or known.redis.age is None:
        return f"Nothing is measured: {store.note}."
    since = known.redis.response_times.since()
    if since is None or since > record.time - BEFORE_SECONDS:
        return "The history of reports does not go back so far, or is still being read."
    return "No spout told of an acknowledged tuple in the minutes before, or after."
