"""Which views there are, when they change, and their bytes, made once for each revision.

A revision is a state of the world that is worth showing: what the sidecar, the switches or the
decisions say makes one at once, figures that merely go on (loads, ages, measured response times)
make one every few seconds. Views that somebody looks at are made again before the revision is told
of, so that whoever asks then need not wait.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from pydantic import TypeAdapter

from eyewall_monitor.dashboard import signals
from eyewall_monitor.dashboard.bodies import LEAST_COMPRESSED, Body, json_body
from eyewall_monitor.dashboard.cluster_view import cluster_view, host_positions
from eyewall_monitor.dashboard.health_view import health_view
from eyewall_monitor.dashboard.summaries import summaries
from eyewall_monitor.dashboard.topology_view import topology_view
from eyewall_monitor.dashboard.views.change import Change
from eyewall_monitor.dashboard.views.topology import TopologySummary

if TYPE_CHECKING:
    from eyewall_monitor.dashboard.known import Known
    from eyewall_monitor.dashboard.views.cluster import Position

GOING_ON_SECONDS: Final = 5.0
"""As often as hosts report."""
LOOKED_AT_SECONDS: Final = 30.0
"""A view that nobody asked for in that time is made again only when somebody does."""
_SUMMARIES: Final = TypeAdapter(tuple[TopologySummary, ...])


@dataclass(frozen=True)
class _Shown:
    """One revision."""

    revision: int
    known: Known
    marks: Mapping[str, Hashable]
    positions: Mapping[str, Position]
    bodies: dict[str, Body | None] = field(default_factory=dict)


Make = Callable[[_Shown], "Body | None"]


class Board:
    """What is shown; for any thread.

    Parameters
    ----------
    read
        Reads what is known now.
    steady
        A clock that does not jump.
    """

    def __init__(self, read: Callable[[], Known], steady: Callable[[], float]) -> None:
        self._read = read
        self._steady = steady
        known = read()
        self._shown = _Shown(1, known, _marks(known), host_positions(known, {}))
        self._gone_on_at = steady()
        self._asked: dict[str, tuple[Make, float]] = {}
        self._making: dict[str, threading.Lock] = {}

    @property
    def known(self) -> Known:
        """What the views of this revision are made from."""
        return self._shown.known

    @property
    def revision(self) -> int:
        """Grows whenever anything that is shown has changed."""
        return self._shown.revision

    def now(self) -> Known:
        """What is known at this moment."""
        return self._read()

    def refresh(self) -> Change | None:
        """Look whether anything changed; if so, make anew what is looked at, and say what it was.

        To be called by one thread.
        """
        known, last = self._read(), self._shown
        marks = _marks(known)
        names = marks.keys() | last.marks.keys()
        changed = {it for it in names if marks.get(it) != last.marks.get(it)}
        if self._steady() - self._gone_on_at >= GOING_ON_SECONDS:
            self._gone_on_at = self._steady()
            changed |= marks.keys() - {"decisions", "plans"}
        if not changed:
            return None
        places = host_positions(known, last.positions)
        shown = _Shown(last.revision + 1, known, marks, places)
        for key, make in self._looked_at():
            shown.bodies[key] = _ready(make(shown))
        self._shown = shown
        return Change(revision=shown.revision, changed=tuple(sorted(changed)))

    def everything(self) -> Change:
        """What somebody has to ask for who knows nothing."""
        shown = self._shown
        return Change(revision=shown.revision, changed=tuple(sorted(shown.marks)))

    def cluster(self) -> Body | None:
        """ClusterView."""
        return self._body(
            "cluster",
            lambda it: json_body(cluster_view(it.known, it.revision, it.positions)),
        )

    def topologies(self) -> Body | None:
        """All TopologySummary."""
        return self._body("topologies", lambda it: json_body(summaries(it.known), _SUMMARIES))

    def health(self) -> Body | None:
        """HealthView."""
        return self._body("health", lambda it: json_body(health_view(it.known, it.revision)))

    def topology(self, id_: str) -> Body | None:
        """TopologyView; None if there is none with Storm's id `id_`."""
        key = f"topology/{id_}"
        if key not in self._shown.marks:
            return None  # or every name that anybody thinks of would be remembered
        return self._body(key, lambda it: _topology_body(it, id_))

    def made(self, key: str) -> Body | None:
        """Return a view's bytes if they are there already, without making any."""
        body = self._shown.bodies.get(key)
        asked = self._asked.get(key)
        if asked is not None:
            self._asked[key] = asked[0], self._steady()
        return body

    def _body(self, key: str, make: Make) -> Body | None:
        self._asked[key] = make, self._steady()
        with self._making.setdefault(key, threading.Lock()):
            shown = self._shown
            if key not in shown.bodies:
                shown.bodies[key] = _ready(make(shown))
            return shown.bodies[key]

    def _looked_at(self) -> list[tuple[str, Make]]:
        """What was asked for lately; the rest is forgotten."""
        now = self._steady()
        for key, (_, asked) in list(self._asked.items()):
            if now - asked > LOOKED_AT_SECONDS:
                self._asked.pop(key, None)
                self._making.pop(key, None)
        return [(key, make) for key, (make, _) in list(self._asked.items())]


def _ready(body: Body | None) -> Body | None:
    """Compress now what will be asked for compressed: no request shall wait for it."""
    if body is not None and len(body.data) >= LEAST_COMPRESSED:
        body.compress()
    return body


def _topology_body(shown: _Shown, id_: str) -> Body | None:
    status = shown.known.sidecar.status
    if status is None:
        return None
    for it in status.topologies:
        if it.topology_id == id_:
            return json_body(topology_view(shown.known, status, it, shown.revision))
    return None


def _marks(known: Known) -> dict[str, Hashable]:
    """What makes a revision when it changes, by the name of what is to be asked for again."""
    sidecar, store = known.sidecar, known.zookeeper
    status = sidecar.status
    whole: tuple[Any, ...] = (
        (status.run, status.revision) if status is not None else None,
        *(it(known).state for it in (signals.of_sidecar, signals.of_nimbus)),
        *(it(known).state for it in (signals.of_zookeeper, signals.of_redis)),
        store.switches,
    )
    hosts = store.samples.keys() | known.redis.hosts.keys()
    agents = frozenset(
        (it, signals.of_report(known, it).state, signals.of_latency(known, it).state)
        for it in hosts
    )
    newest = store.decisions[0].id if store.decisions else ""
    marks: dict[str, Hashable] = {
        "cluster": (whole, agents),
        "health": (whole, agents, store.remarks, known.redis.remarks),
        "decisions": newest,
        "plans": tuple((it.id, it.state, it.state_reason) for it in sidecar.plans),
    }
    for it in status.topologies if status is not None else ():
        rates = signals.of_rates(known, it).state
        marks[f"topology/{it.topology_id}"] = whole, rates, newest
    return marks
