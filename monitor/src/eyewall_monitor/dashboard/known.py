"""What the readers know at one moment: all that any view is made from.

Ages are seconds, told by whoever read; a store that is away keeps what was last read, and its age
grows. None of an age: nothing was ever read.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eyewall_contracts.decision import DecisionRecord, Verdict
    from eyewall_contracts.latency import HostCoordinate, RttRecord
    from eyewall_contracts.proto import operations_pb2 as pb
    from eyewall_contracts.rates import Rates
    from eyewall_contracts.sample import Sample
    from eyewall_contracts.switches import Switches


@dataclass(frozen=True, slots=True)
class SidecarKnown:
    """What the sidecar told.

    Parameters
    ----------
    status
        As it was last told whole; None: never.
    told
        Seconds since then: what grows by itself has grown by that.
    age
        Seconds since its last answer.
    round_age, switches_age, delays_age
        As in `Status`, now.
    plans
        Those that it remembers, newest first.
    wrong
        Why it does not answer; empty if it does.
    """

    address: str
    status: pb.Status | None = None
    told: float = 0.0
    age: float | None = None
    round_age: float | None = None
    switches_age: float | None = None
    delays_age: float | None = None
    plans: tuple[pb.PlanSummary, ...] = ()
    wrong: str = "not asked yet"


@dataclass(frozen=True, slots=True)
class DecisionEvent:
    """What the course of response time needs of a decision, whose record may be far larger."""

    id: str
    time: float
    topology: str
    verdict: Verdict
    said: str
    moves: int
    before: float | None
    """R of what ran, and of what was found."""
    after: float | None


def event_of(record: DecisionRecord) -> DecisionEvent:
    """Shorten a record."""
    by_name = {it.name: it for it in record.metrics}
    response = by_name.get("R")
    return DecisionEvent(
        id=record.id,
        time=record.time,
        topology=record.topology,
        verdict=record.verdict,
        said=record.said,
        moves=len(record.moves) + record.moves_left_out,
        before=response.before if response else None,
        after=response.after if response else None,
    )


@dataclass(frozen=True, slots=True)
class ZookeeperKnown:
    """What was in ZooKeeper.

    Parameters
    ----------
    wanted
        Whether the dashboard was told of one.
    samples, sample_ages
        Host → its latest report, and seconds since that.
    rates
        Storm's id of a topology → its rates.
    switches
        None: not read, or not readable.
    decisions
        Of the last day, newest first, as far as they have been read.
    decisions_whole
        Whether all of the last day's have been.
    wrong
        Why it does not answer; empty if it does.
    remarks
        What of it could not be used.
    """

    wanted: bool = False
    servers: str = ""
    age: float | None = None
    samples: Mapping[str, Sample] = field(default_factory=dict)
    sample_ages: Mapping[str, float] = field(default_factory=dict)
    rates: Mapping[str, Rates] = field(default_factory=dict)
    switches: Switches | None = None
    decisions: tuple[DecisionEvent, ...] = ()
    decisions_whole: bool = False
    wrong: str = ""
    remarks: tuple[str, ...] = ()


class ResponseTimes(Protocol):
    """Measured response time over time: sums of short spans, told apart by when they began."""

    def spans(self, topology: str, start: float, end: float) -> list[Span]:
        """Return the spans that begin in [start, end), oldest first."""
        ...

    def since(self) -> float | None:
        """Seconds since the epoch from which on every report is in; None: none is."""
        ...


@dataclass(frozen=True, slots=True)
class Span:
    """Some seconds of one topology, named by when they began."""

    at: float
    acked: int
    """Whole tuple trees."""
    seconds: float
    """Their complete latencies together."""


class NoResponseTimes:
    """Nothing is measured."""

    def spans(self, topology: str, start: float, end: float) -> list[Span]:  # noqa: ARG002
        """Nothing."""
        return []

    def since(self) -> float | None:
        """Never."""
        return None


@dataclass(frozen=True, slots=True)
class RedisKnown:
    """What was in Redis.

    Parameters
    ----------
    now
        Redis's own time, now.
    hosts
        Host → its coordinate, of those that gave a sign of life lately.
    rtts
        Target → source → RTT, of the pairs that are shown.
    response_times
        From the history of reports.
    history_age
        Seconds since the history was last read to its end.
    """

    wanted: bool = False
    server: str = ""
    age: float | None = None
    now: float = 0.0
    hosts: Mapping[str, HostCoordinate] = field(default_factory=dict)
    rtts: Mapping[str, Mapping[str, RttRecord]] = field(default_factory=dict)
    response_times: ResponseTimes = field(default_factory=NoResponseTimes)
    history_age: float | None = None
    wrong: str = ""
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Known:
    """All of it; `now` is seconds since the epoch."""

    now: float
    sidecar: SidecarKnown
    zookeeper: ZookeeperKnown = ZookeeperKnown()
    redis: RedisKnown = RedisKnown()
