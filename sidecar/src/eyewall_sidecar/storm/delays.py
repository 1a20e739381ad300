"""Which hosts can be compared by delay, and what to do about those that cannot.

Unknown is unknown, never zero: a host without a known delay is left out, and where something
must run there (a pin, an executor that runs), the largest known delay stands in and is said.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from eyewall_sidecar.model import LinkMatrix, ProblemError
from eyewall_sidecar.model.errors import listed
from eyewall_sidecar.storm.doubts import DelayBetween, Doubts, how_little

FEW = 3
"""As many names stand in one line that a person reads; of the rest, how many they are."""
MOST_LINKS = 4
"""Sets of nodes whose links are kept: topologies differ in what is free for them."""

Pair = tuple[str, str]
Matrix = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class KnownDelays:
    """Hosts between which every delay is known, or stood in for.

    Parameters
    ----------
    hosts
        Those that remain.
    seconds
        [i][j]: from host i to host j, one way; 0 on the diagonal.
    left_out
        Those that do not, as delays between them and others are unknown.
    assumption
        Which delays were stood in for; empty if none was.
    doubted
        Delays that count as unknown because they are doubted.
    vague
        Which delays are used though they are doubted; empty if none is.
    looked_at
        The hosts that were looked at.
    unknown
        The delays between them that are unknown.
    without
        Those to leave out for the delays between the others to be known → whether they are needed.
    """

    hosts: tuple[str, ...]
    seconds: Matrix
    left_out: tuple[str, ...]
    assumption: str
    doubted: Doubts
    vague: str
    looked_at: tuple[str, ...]
    unknown: tuple[Pair, ...]
    without: Mapping[str, bool]
    _links: dict[tuple[Pair, ...], LinkMatrix] = field(default_factory=dict, init=False, repr=False)

    def links(self, nodes: Sequence[Pair]) -> LinkMatrix:
        """Return the links between nodes, each given as its id and its host; 0 on the same host.

        For the same nodes it is the same object: among 1,000 it takes 24 MB, and topologies are
        many.
        """
        known = self._links.get(key := tuple(nodes))
        if known is None:
            row = {host: place for place, host in enumerate(self.hosts)}
            rows = [row[host] for _, host in nodes]
            names = tuple(name for name, _ in nodes)
            known = LinkMatrix.from_delays(names, self.seconds[np.ix_(rows, rows)])
            if len(self._links) >= MOST_LINKS:
                self._links.clear()
            self._links[key] = known
        return known


def known_delays(
    hosts: Sequence[str],
    needed: Collection[str],
    between: DelayBetween,
    doubts: Doubts,
    before: Iterable[KnownDelays] = (),
) -> KnownDelays:
    """Keep the hosts with known delays to each other, and all that are `needed`.

    `doubts` are about delays that `between` does not know for being doubted, and about others that
    it does. `before` was found for the same delays and doubts, also for other topologies: among 300
    hosts, to look at each pair takes most of the time that a problem takes to be built.
    """
    same = [it for it in before if it.looked_at == tuple(hosts)]
    if same:
        # Of the same delays the same are unknown; what is needed only decides who is left out.
        without = _without_gaps(hosts, needed, same[0].unknown)
        for found in same:
            if found.without == without:
                return found
    # None becomes NaN.
    rows = [[0.0 if a == b else between(a, b) for b in hosts] for a in hosts]
    seconds = np.array(rows, dtype=np.float64).reshape(len(hosts), len(hosts))
    unknown = _pairs(hosts, np.isnan(seconds))
    doubted = {pair: doubts[pair] for pair in unknown if pair in doubts}
    if unknown and len(unknown) == len(hosts) * (len(hosts) - 1):
        raise ProblemError(_nothing_known(hosts, doubted))
    without = _without_gaps(hosts, needed, unknown)
    places = [i for i, it in enumerate(hosts) if without.get(it, True)]
    remaining = {hosts[it]: place for place, it in enumerate(places)}
    largest = float(np.nanmax(seconds, initial=0.0))
    seconds = seconds[np.ix_(places, places)]
    stood_in = _pairs(list(remaining), np.isnan(seconds))
    seconds = np.nan_to_num(seconds, nan=largest)
    seconds.setflags(write=False)
    return KnownDelays(
        hosts=tuple(remaining),
        seconds=seconds,
        left_out=tuple(it for it in hosts if not without.get(it, True)),
        assumption=_stood_in(stood_in, largest, doubted),
        doubted=doubted,
        vague=_vague(_used(doubts, remaining, frozenset(unknown))),
        looked_at=tuple(hosts),
        unknown=tuple(unknown),
        without=without,
    )


def _pairs(hosts: Sequence[str], where: NDArray[np.bool_]) -> list[Pair]:
    return [(hosts[a], hosts[b]) for a, b in np.argwhere(where).tolist()]


def _used(doubts: Doubts, remaining: Mapping[str, int], unknown: Collection[Pair]) -> Doubts:
    """Return the doubts about delays that are used all the same, in the order of the hosts."""
    used = [it for it in doubts if it[0] in remaining and it[1] in remaining and it not in unknown]
    return {it: doubts[it] for it in sorted(used, key=lambda it: [remaining[end] for end in it])}


def _nothing_known(hosts: Sequence[str], doubted: Doubts) -> str:
    if not doubted:
        return f"no delay is known between any of {listed(hosts)}"
    return f"delays between {listed(hosts)} are known {how_little(doubted.values())}"


def _stood_in(pairs: Sequence[Pair], largest: float, doubted: Doubts) -> str:
    """Word which delays were stood in for: those known too little, and those not at all."""
    little = [it for it in pairs if it in doubted]
    unknown = [it for it in pairs if it not in doubted]
    said = []
    if little:
        how = how_little(doubted[it] for it in little)
        said.append(f"delay known {how}: {_listed_pairs(little)}")
    if unknown:
        said.append(
            f"delay unknown, taken as the largest known, {largest * 1000:g} ms: "
            f"{_listed_pairs(unknown)}"
        )
    return "; ".join(said)


def _vague(used: Doubts) -> str:
    if not used:
        return ""
    how = how_little(used.values())
    return f"delay known {how}, used nevertheless: {_listed_pairs(list(used))}"


def _listed_pairs(pairs: Sequence[Pair]) -> str:
    return listed([f"{a} → {b}" for a, b in pairs], FEW)


def _without_gaps(
    hosts: Sequence[str], needed: Collection[str], unknown: Collection[Pair]
) -> dict[str, bool]:
    """Find those to leave out for the others to be known, and whether each is needed.

    The host with the most gaps goes first; of two alike, the one that nothing needs.
    """
    gaps: dict[str, set[str]] = {host: set() for host in hosts}
    for source, target in unknown:
        gaps[source].add(target)
        gaps[target].add(source)
    without = {}
    while any(gaps.values()):
        worst = max(gaps, key=lambda it: (len(gaps[it]), it not in needed, it))
        for other in gaps.pop(worst):
            gaps[other].discard(worst)
        without[worst] = worst in needed
    return without
