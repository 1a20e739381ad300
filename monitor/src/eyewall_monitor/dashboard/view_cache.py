"""The views of the present revision, as bytes that are made once.

A revision begins when something that is shown changes: at once for what the sidecar, the switches
or the decisions say, and every few seconds for values that change all the time (loads, ages,
measured response times). Views that are in demand are made before a revision is announced, so that
no request waits for them.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from eyewall_monitor.dashboard.body import LEAST_COMPRESSED, Body, json_body
from eyewall_monitor.dashboard.views import signal
from eyewall_monitor.dashboard.views.base import View
from eyewall_monitor.dashboard.views.cluster import cluster_view
from eyewall_monitor.dashboard.views.health import health_view
from eyewall_monitor.dashboard.views.positions import host_positions
from eyewall_monitor.dashboard.views.topology import topology_summaries, topology_view

if TYPE_CHECKING:
    from eyewall_monitor.dashboard.snapshot import Snapshot
    from eyewall_monitor.dashboard.views.positions import Position

CONTINUOUS_SECONDS: Final = 5.0
"""Between two revisions for values that change all the time: as often as hosts report."""
DEMAND_SECONDS: Final = 30.0
"""A view that was not requested for so long is made again only on request."""


class ViewChange(View):
    """The data of each Server-Sent Event: what to fetch again."""

    revision: int
    changed: tuple[str, ...]
    """cluster, topology/ID, decisions, plans, health."""


@dataclass(frozen=True)
class _Revision:
    number: int
    snapshot: Snapshot
    fingerprints: Mapping[str, Hashable]
    positions: Mapping[str, Position]
    bodies: dict[str, Body | None] = field(default_factory=dict)


Make = Callable[[_Revision], "Body | None"]


class ViewCache:
    """Views for any thread.

    Parameters
    ----------
    read
        Returns the present snapshot.
    steady
        A clock that does not jump.
    """

    def __init__(self, read: Callable[[], Snapshot], steady: Callable[[], float]) -> None:
        self._read = read
        self._steady = steady
        snapshot = read()
        positions = host_positions(snapshot, {})
        self._present = _Revision(1, snapshot, _fingerprints(snapshot), positions)
        self._continuous_at = steady()
        self._demand: dict[str, tuple[Make, float]] = {}
        """Key → how to make the view, and when it was last requested."""
        self._locks: dict[str, threading.Lock] = {}

    @property
    def snapshot(self) -> Snapshot:
        """The source of this revision's views."""
        return self._present.snapshot

    def now(self) -> Snapshot:
        """Return a snapshot of this moment."""
        return self._read()

    def refresh(self) -> ViewChange | None:
        """Begin a revision if anything has changed; to be called by one thread."""
        snapshot, last = self._read(), self._present
        prints = _fingerprints(snapshot)
        names = prints.keys() | last.fingerprints.keys()
        changed = {it for it in names if prints.get(it) != last.fingerprints.get(it)}
        if self._steady() - self._continuous_at >= CONTINUOUS_SECONDS:
            self._continuous_at = self._steady()
            changed |= prints.keys() - {"decisions", "plans"}
        if not changed:
            return None
        positions = host_positions(snapshot, last.positions)
        present = _Revision(last.number + 1, snapshot, prints, positions)
        for key, make in self._in_demand():
            present.bodies[key] = _compress(make(present))
        self._present = present
        return ViewChange(revision=present.number, changed=tuple(sorted(changed)))

    def everything(self) -> ViewChange:
        """Return the change that a page without any view has missed."""
        present = self._present
        return ViewChange(revision=present.number, changed=tuple(sorted(present.fingerprints)))

    def cluster(self) -> Body | None:
        """Return a ClusterView."""
        return self._body(
            "cluster", lambda it: json_body(cluster_view(it.snapshot, it.number, it.positions))
        )

    def topologies(self) -> Body | None:
        """Return every TopologySummary."""
        return self._body("topologies", lambda it: json_body(topology_summaries(it.snapshot)))

    def health(self) -> Body | None:
        """Return a HealthView."""
        return self._body("health", lambda it: json_body(health_view(it.snapshot, it.number)))

    def topology(self, id_: str) -> Body | None:
        """Return a TopologyView; None if no topology has Storm's id `id_`."""
        key = f"topology/{id_}"
        if key not in self._present.fingerprints:
            return None  # or the cache would grow with every name that is requested
        return self._body(key, lambda it: _topology_body(it, id_))

    def ready(self, key: str) -> Body | None:
        """Return a view's bytes if they have been made."""
        requested = self._demand.get(key)
        if requested is not None:
            self._demand[key] = requested[0], self._steady()
        return self._present.bodies.get(key)

    def _body(self, key: str, make: Make) -> Body | None:
        self._demand[key] = make, self._steady()
        with self._locks.setdefault(key, threading.Lock()):
            present = self._present
            if key not in present.bodies:
                present.bodies[key] = _compress(make(present))
            return present.bodies[key]

    def _in_demand(self) -> list[tuple[str, Make]]:
        """Return the views that were requested lately, and forget the others."""
        now = self._steady()
        for key, (_, requested) in list(self._demand.items()):
            if now - requested > DEMAND_SECONDS:
                self._demand.pop(key, None)
                self._locks.pop(key, None)
        return [(key, make) for key, (make, _) in list(self._demand.items())]


def _compress(body: Body | None) -> Body | None:
    """Compress a large body before it is requested."""
    if body is not None and len(body.data) >= LEAST_COMPRESSED:
        body.compress()
    return body


def _topology_body(revision: _Revision, id_: str) -> Body | None:
    status = revision.snapshot.sidecar.status
    topologies = status.topologies if status is not None else ()
    for it in topologies:
        if status is not None and it.topology_id == id_:
            return json_body(topology_view(revision.snapshot, status, it, revision.number))
    return None


def _fingerprints(snapshot: Snapshot) -> dict[str, Hashable]:
    """Return, by topic, what begins a revision when it changes."""
    sidecar, store, redis = snapshot.sidecar, snapshot.zookeeper, snapshot.redis
    status = sidecar.status
    common = (
        (status.run, status.revision) if status is not None else None,
        signal.sidecar_signal(snapshot).state,
        signal.nimbus_signal(snapshot).state,
        signal.zookeeper_signal(snapshot).state,
        signal.redis_signal(snapshot).state,
        store.switches,
    )
    agents = frozenset(
        (
            host,
            signal.report_signal(snapshot, host).state,
            signal.latency_signal(snapshot, host).state,
        )
        for host in store.samples.keys() | redis.hosts.keys()
    )
    newest = store.decisions[0].id if store.decisions else ""
    prints: dict[str, Hashable] = {
        "cluster": (common, agents),
        "health": (common, agents, store.remarks, redis.remarks),
        "decisions": newest,
        "plans": tuple((it.id, it.state, it.state_reason) for it in sidecar.plans),
    }
    for it in status.topologies if status is not None else ():
        rates = signal.rates_signal(snapshot, it).state
        prints[f"topology/{it.topology_id}"] = common, rates, newest
    return prints
