"""The pages of decisions: the history, and one decision with its measured gain."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from eyewall_monitor.dashboard.flow_history import mean
from eyewall_monitor.dashboard.views.base import View
from eyewall_monitor.dashboard.views.decision_summary import (
    DecisionSummary,
    decision_summary,
)
from eyewall_monitor.dashboard.views.metrics import (
    MetricView,
    MoveView,
    RejectionView,
    metric_views,
)
from eyewall_monitor.dashboard.views.signal import redis_signal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from eyewall_contracts.decision import DecisionRecord

    from eyewall_monitor.dashboard.snapshot import Snapshot

BEFORE_SECONDS: Final = 300.0
SETTLING_SECONDS: Final = 60.0
"""After a move, while workers start and process what has queued up."""
AFTER_SECONDS: Final = 300.0


class MeasuredGain(View):
    """The predicted and the measured response time before and after a decision.

    Means over the minutes before and after, without the minute of the move.
    """

    predicted_before: float | None
    predicted_after: float | None
    measured_before: float | None
    measured_after: float | None
    note: str = ""
    """Why one is unknown or uncertain."""


class DecisionView(View):
    """One decision, whole."""

    summary: DecisionSummary
    seed: int | None
    seconds: float | None
    evaluated: int | None
    bound: float | None
    metrics: tuple[MetricView, ...]
    moves: tuple[MoveView, ...]
    moves_left_out: int
    done: bool
    """Whether the moves were made."""
    possible: int | None
    rejected: tuple[RejectionView, ...]
    assumptions: tuple[str, ...]
    delays_age: float | None
    delays_confidence: float | None
    rates_age: float | None
    base: str
    """Digest of the assignment that it was computed from."""
    gain: MeasuredGain


class DecisionPage(View):
    """Some decisions, newest first."""

    decisions: tuple[DecisionSummary, ...]
    older: str | None
    """Value of `before` for the next page; None: there are no older decisions."""
    unreadable: tuple[str, ...] = ()
    """Records that were left out, and why."""


def decision_view(record: DecisionRecord, snapshot: Snapshot) -> DecisionView:
    """Return one decision, whole."""
    summary = decision_summary(record)
    return DecisionView.of(
        record,
        summary=summary,
        metrics=metric_views(record.metrics),
        moves=tuple(MoveView.of(it, source=it.source or None) for it in record.moves),
        done=record.verdict.is_executed,
        gain=measured_gain(summary, snapshot),
    )


def measured_gain(decision: DecisionSummary, snapshot: Snapshot) -> MeasuredGain:
    """Compare the prediction with Storm's complete latency.

    Its mean over the five minutes before, and over five minutes from the second one after.
    """
    settled = decision.at + SETTLING_SECONDS
    end = settled + AFTER_SECONDS
    spans = snapshot.redis.flow.spans
    before = mean(spans(decision.topology, decision.at - BEFORE_SECONDS, decision.at))
    after = mean(spans(decision.topology, settled, end)) if snapshot.now >= end else None
    return MeasuredGain(
        predicted_before=decision.response_time_before,
        predicted_after=decision.response_time_after,
        measured_before=before,
        measured_after=after,
        note=" ".join(_notes(decision, snapshot, before, after)),
    )


def _notes(
    decision: DecisionSummary, snapshot: Snapshot, before: float | None, after: float | None
) -> Iterator[str]:
    start = decision.at - BEFORE_SECONDS
    end = decision.at + SETTLING_SECONDS + AFTER_SECONDS
    if not decision.verdict.is_executed:
        yield "No executor was moved."
    if snapshot.now < end:
        yield f"The measurement ends in {end - snapshot.now:.0f} s, six minutes after the decision."
    complete_since = snapshot.redis.flow.complete_since()
    incomplete = complete_since is None or complete_since > start
    if before is None or (after is None and snapshot.now >= end):
        yield _why_unknown(snapshot, incomplete=incomplete)
    elif incomplete:
        yield "The history of reports does not cover all of these minutes."
    others = sum(
        it.topology == decision.topology
        and it.id != decision.id
        and it.verdict.is_executed
        and start <= it.at < end
        for it in snapshot.zookeeper.decisions
    )
    if others:
        moves = "1 other move" if others == 1 else f"{others} other moves"
        yield f"The means include {moves} of this topology in these minutes."


def _why_unknown(snapshot: Snapshot, *, incomplete: bool) -> str:
    if not snapshot.redis.configured or snapshot.redis.age is None:
        return f"Nothing is measured: {redis_signal(snapshot).note}."
    if incomplete:
        return "The history of reports does not go back that far, or is still being read."
    return "No spout reported an acked tuple in the minutes before or after."
