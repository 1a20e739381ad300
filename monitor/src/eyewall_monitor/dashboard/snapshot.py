"""What the readers have read: all that any view is made from.

Ages are in seconds at the moment of the snapshot. While a source is away, its last values stay and
their ages grow; an age of None means that nothing was ever read.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from eyewall_monitor.dashboard.flow_history import FlowHistory, latest, mean
from eyewall_monitor.dashboard.forecast_history import ForecastHistory

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from eyewall_contracts.latency import HostCoordinate, RttRecord
    from eyewall_contracts.proto import operations_pb2 as pb
    from eyewall_contracts.rates import Rates
    from eyewall_contracts.sample import Sample
    from eyewall_contracts.switches import Switches

    from eyewall_monitor.dashboard.views.decision_summary import DecisionSummary

RECENT_SECONDS: Final = 60.0


@dataclass(frozen=True, slots=True)
class SidecarSnapshot:
    """The sidecar's answers.

    Parameters
    ----------
    status
        The last complete one; None: none yet.
    status_age
        Seconds since then, by which the ages within it have grown.
    age
        Seconds since its last answer.
    round_age, switches_age, delays_age
        As in `Status`.
    plans
        Newest first.
    error
        Why it does not answer; empty if it does.
    """

    address: str
    status: pb.Status | None = None
    status_age: float = 0.0
    age: float | None = None
    round_age: float | None = None
    switches_age: float | None = None
    delays_age: float | None = None
    plans: tuple[pb.PlanSummary, ...] = ()
    error: str = "no answer yet"


@dataclass(frozen=True, slots=True)
class ZookeeperSnapshot:
    """The content of ZooKeeper.

    Parameters
    ----------
    configured
        Whether the dashboard's configuration names a ZooKeeper.
    samples, sample_ages
        Host → its latest report, and seconds since it arrived.
    rates
        Storm's id of a topology → its rates.
    switches
        None: not read, or not readable.
    decisions
        Those of the last day that have been read, newest first.
    decisions_complete
        Whether these are all of the last day.
    error
        Why it does not answer; empty if it does.
    remarks
        What could not be used.
    """

    configured: bool = False
    servers: str = ""
    age: float | None = None
    samples: Mapping[str, Sample] = field(default_factory=dict)
    sample_ages: Mapping[str, float] = field(default_factory=dict)
    rates: Mapping[str, Rates] = field(default_factory=dict)
    switches: Switches | None = None
    decisions: tuple[DecisionSummary, ...] = ()
    decisions_complete: bool = False
    error: str = ""
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RedisSnapshot:
    """The content of Redis.

    Parameters
    ----------
    configured
        Whether the dashboard's configuration names a Redis.
    now
        Redis's own time.
    hosts
        Host → its coordinate, of those whose agents have reported lately.
    rtts
        Target → source → RTT, of the pairs of hosts that are shown.
    flow
        Measured response time and throughput, from the history of reports.
    history_age
        Seconds since the history was last read to its end.
    error
        Why it does not answer; empty if it does.
    remarks
        What could not be used.
    """

    configured: bool = False
    server: str = ""
    age: float | None = None
    now: float = 0.0
    hosts: Mapping[str, HostCoordinate] = field(default_factory=dict)
    rtts: Mapping[str, Mapping[str, RttRecord]] = field(default_factory=dict)
    flow: FlowHistory = field(default_factory=FlowHistory)
    history_age: float | None = None
    error: str = ""
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All sources; `now` is in seconds since the epoch.

    Parameters
    ----------
    forecasts
        The sidecar's, since the dashboard started.
    """

    now: float
    sidecar: SidecarSnapshot
    zookeeper: ZookeeperSnapshot = ZookeeperSnapshot()
    redis: RedisSnapshot = RedisSnapshot()
    forecasts: ForecastHistory = field(default_factory=ForecastHistory)

    def response_times(self, topologies: Iterable[str]) -> dict[str, float]:
        """Return each topology's response time over the last minute, if any was measured.

        The latest reports alone often have no tuple tree of a slow topology, since Storm samples
        one tuple in twenty. They are used where no history is read.
        """
        found = latest(self.zookeeper.samples.values())
        history = self.redis.flow
        for it in topologies:
            measured = mean(history.spans(it, self.now - RECENT_SECONDS, self.now))
            if measured is not None:
                found[it] = measured
        return found
