"""The whole cluster for those who look on: what did not change since is not made anew."""

import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from heapq import nlargest
from itertools import permutations

from eyewall_sidecar.service.overview import Known, Overview, overview
from eyewall_sidecar.service.scheduling import SchedulingService
from eyewall_sidecar.service.seen import Seen
from eyewall_sidecar.storm import MeasuredTopology, Supervisor, TopologyState

FEW_HOSTS = 40
"""Up to so many hosts every pair of them is told of; among more, those that a stream crosses."""
MOST_LINKS = 4000
"""Of those, as many as are told of, by their rate: more can be neither drawn nor read."""


@dataclass(frozen=True, slots=True)
class LinkThere:
    """One direction between two hosts.

    Parameters
    ----------
    source, target
        Hosts.
    seconds
        One way, as is decided by; None if it is unknown.
    rate
        Tuples/s that cross it, by the model; None if there may be some that nothing is known of.
    """

    source: str
    target: str
    seconds: float | None
    rate: float | None


@dataclass(frozen=True, slots=True)
class View:
    """What there is to see after one round.

    Parameters
    ----------
    revision
        Grows whenever anything but an age has changed.
    seen
        The round; None before the first.
    topologies
        In Nimbus's order.
    links, all_pairs
        And whether every pair of hosts is among them.
    """

    revision: int
    seen: Seen | None = None
    topologies: tuple[Overview, ...] = ()
    links: tuple[LinkThere, ...] = ()
    all_pairs: bool = True
    content: object = field(default=None, compare=False, repr=False)


class Watching:
    """Looks at a service; may be asked by any thread."""

    def __init__(self, service: SchedulingService) -> None:
        """Look at `service`."""
        self._service = service
        self._lock = threading.Lock()
        self._known: dict[str, tuple[Known, Overview]] = {}
        self._host_of: dict[str, str] = {}
        self._view = View(1)

    def view(self, beside: object = ()) -> View:
        """Return what there is to see now.

        `beside` is what else is told: the revision grows if it is another one than it was.
        """
        with self._lock:
            seen, last = self._service.seen, self._view
            if seen is not last.seen and seen is not None:
                last = self._looked_at(seen)
            content = (_content(last), beside)
            if self._view.content is not None and content == self._view.content:
                revision = self._view.revision
            else:
                revision = self._view.revision + 1
            self._view = View(revision, seen, last.topologies, last.links, last.all_pairs, content)
            return self._view

    def known(self, seen: Seen, state: TopologyState) -> Known:
        """Return all that is known of one of the round's topologies."""
        return self._known_of(seen, state, _host_of(seen.state.supervisors))

    def _known_of(self, seen: Seen, state: TopologyState, host_of: Mapping[str, str]) -> Known:
        name = state.topology.id
        measured = seen.measured.of(name) or MeasuredTopology()
        return Known(
            state,
            seen.memory.get(name),
            seen.decisions.get(name),
            measured,
            self._service.defaults,
            host_of,
        )

    def _looked_at(self, seen: Seen) -> View:
        last, host_of = self._view, _host_of(seen.state.supervisors)
        if host_of == self._host_of:
            host_of = self._host_of
        looked: dict[str, tuple[Known, Overview]] = {}
        for state in seen.state.topologies:
            known, before = self._known_of(seen, state, host_of), self._known.get(state.topology.id)
            if before is not None and known.is_as(before[0]):
                looked[state.topology.id] = (known, before[1])
                continue
            fresh = overview(known)
            # What is equal is the very same, so that whoever encodes it need not do so again.
            same = before is not None and before[1] == fresh
            looked[state.topology.id] = (known, before[1] if before and same else fresh)
        self._known, self._host_of = looked, host_of
        topologies = tuple(it for _, it in looked.values())
        hosts = sorted(set(host_of.values()))
        links = last.links
        if (
            last.seen is None
            or topologies != last.topologies
            or seen.delays != last.seen.delays
            or seen.state.supervisors != last.seen.state.supervisors
        ):
            links = tuple(_links(seen, topologies, hosts))
        return View(last.revision, seen, topologies, links, len(hosts) <= FEW_HOSTS)


def _content(view: View) -> object:
    """All of a view that is no age."""
    if view.seen is None:
        return None
    seen = view.seen
    return (
        seen.nimbus,
        seen.state.supervisors,
        view.topologies,
        view.links,
        (seen.delays.remark, seen.delays.minimum_confidence, seen.delays.doubtful),
        (seen.measured.remark, seen.measured.topologies is not None),
    )


def _host_of(supervisors: Iterable[Supervisor]) -> dict[str, str]:
    return {it.id: it.host for it in supervisors}


def _links(seen: Seen, topologies: tuple[Overview, ...], hosts: list[str]) -> list[LinkThere]:
    crossing: dict[tuple[str, str], float] = {}
    for it in topologies:
        for pair, rate in (it.crossing or {}).items():
            crossing[pair] = crossing.get(pair, 0.0) + rate
    rest = None if any(it.crossing is None for it in topologies) else 0.0
    if len(hosts) <= FEW_HOSTS:
        pairs = list(permutations(hosts, 2))
    else:
        pairs = sorted(nlargest(MOST_LINKS, crossing, key=lambda it: (crossing[it], it)))
    return [
        LinkThere(a, b, seen.delays.seconds_between(a, b), crossing.get((a, b), rest))
        for a, b in pairs
    ]
