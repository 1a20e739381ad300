"""What one host remembers of its peers: the results of its own probes and of theirs."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from eyewall_contracts.latency import RttRecord

from eyewall_latency.rtt_filter import RttFilter
from eyewall_latency.setting import number

NEVER = float("-inf")


@dataclass(frozen=True, slots=True)
class Fading:
    """How long RTTs are remembered.

    Parameters
    ----------
    half_life_seconds
        The age at which an RTT draws half as much as a new one.
    forget_seconds
        The age at which it is forgotten.
    """

    half_life_seconds: float = number(300.0, 1.0, 1e6)
    forget_seconds: float = number(1_800.0, 1.0, 1e7)


class Peer:
    """One peer: when it was tried, the result, and its own report."""

    __slots__ = ("measured_at", "own", "theirs", "tried_at")

    def __init__(self) -> None:
        """Start without any knowledge of it."""
        self.tried_at = NEVER
        self.measured_at = NEVER
        self.own: RttFilter | None = None
        self.theirs: RttRecord | None = None

    @property
    def latest(self) -> float:
        """When either end last measured the other."""
        theirs = self.theirs.at if self.theirs is not None else NEVER
        return max(self.measured_at, theirs)

    def record(self) -> RttRecord | None:
        """Return the result of the own probes, as others read it."""
        if self.own is None:
            return None
        return RttRecord(self.own.seconds, self.own.spread, self.measured_at)

    def faded(self, now: float, half_life: float) -> tuple[float, float] | None:
        """Return the RTT to use and its weight: 1 when new, less with age.

        Of what both ends measured the lower one, as waiting only adds to an RTT; but the later one
        if the other is older by a half-life.
        """
        weight = 0.5 ** ((now - self.latest) / half_life)
        if self.own is None:
            return None if self.theirs is None else (self.theirs.seconds, weight)
        if self.theirs is None:
            return self.own.seconds, weight
        if abs(self.measured_at - self.theirs.at) < half_life:
            return min(self.own.seconds, self.theirs.seconds), weight
        own_is_later = self.measured_at > self.theirs.at
        return (self.own if own_is_later else self.theirs).seconds, weight


class Memory:
    """The peers of one host, by name; as many as live, at most."""

    def __init__(self, fading: Fading) -> None:
        """Start empty."""
        self._fading = fading
        self._peers: dict[str, Peer] = {}

    def __getitem__(self, name: str) -> Peer:
        """Return a peer, a new one if it is not known."""
        peer = self._peers.get(name)
        if peer is None:
            peer = self._peers[name] = Peer()
        return peer

    def get(self, name: str) -> Peer | None:
        """Return a peer, if it is known."""
        return self._peers.get(name)

    def __len__(self) -> int:
        """Return how many peers have been tried or have reported."""
        return len(self._peers)

    def tried(self, name: str, now: float) -> None:
        """Note that a probe goes out."""
        self[name].tried_at = now

    def measured(self, name: str, seconds: float, now: float) -> None:
        """Take the RTT of an own probe."""
        peer = self[name]
        peer.measured_at = now
        if peer.own is None:
            peer.own = RttFilter(seconds, now)
        else:
            peer.own.add(seconds, now)

    def add_reports(self, reports: Mapping[str, RttRecord]) -> None:
        """Add the results of others' probes to this host."""
        for name, report in reports.items():
            self[name].theirs = report

    def forget(self, now: float, alive: Mapping[str, object]) -> None:
        """Drop RTTs that are too old, and hosts that are gone and of which nothing is left."""
        oldest = now - self._fading.forget_seconds
        gone = []
        for name, peer in self._peers.items():
            if peer.own is not None and peer.measured_at < oldest:
                peer.own, peer.measured_at = None, NEVER
            if peer.theirs is not None and peer.theirs.at < oldest:
                peer.theirs = None
            if name not in alive:
                gone.append(name)
        for name in gone:
            del self._peers[name]

    def springs(self, now: float) -> Iterator[tuple[str, float, float]]:
        """Yield each peer whose RTT is known, with that RTT and its weight."""
        half_life = self._fading.half_life_seconds
        for name, peer in self._peers.items():
            faded = peer.faded(now, half_life)
            if faded is not None:
                yield name, *faded
