"""Which hosts can be compared by delay, and what to do about those that cannot.

Unknown is unknown, never zero: a host without a known delay is left out, and where something
must run there (a pin, an executor that runs), the largest known delay replaces the unknown one, and
is reported. If no known delay is above 0, `ASSUMED_SECONDS` does.

An executor without a slot has to run somewhere, and a vague delay is better than none: it is used,
and reported. What runs is moved only by delays that are trusted: a doubted one counts as unknown.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from math import floor

import numpy as np
from numpy.typing import NDArray

from eyewall_sidecar.model import LinkMatrix, ProblemError
from eyewall_sidecar.model.errors import listed
from eyewall_sidecar.storm.delay_table import DelayTable, Matrix

ASSUMED_SECONDS = 0.1
"""Replaces an unknown delay where no known one is above 0: one way between two continents.

Delays of 0 say only that some hosts are at one site. Another host may be anywhere, and one that is
too far away by mistake gets less work, while one that is too near draws all of it.
"""
FEW = 3
"""As many names are listed in one line that a person reads; the others are counted."""
MOST_KEPT = 8
"""Sets of hosts whose delays are kept, and of nodes whose links are kept: topologies differ in
where something is free for them."""

Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class KnownDelays:
    """Hosts between which every delay is known, or has a substitute.

    Parameters
    ----------
    hosts
        Those that remain.
    seconds
        [i][j]: from host i to host j, one way; 0 on the diagonal.
    left_out
        Those that do not remain, as delays between them and others are unknown.
    assumption
        Which delays have a substitute; empty if none has.
    vague
        Which delays are used though they are doubted; empty if none is.
    """

    hosts: tuple[str, ...]
    seconds: Matrix
    left_out: tuple[str, ...]
    assumption: str
    vague: str
    _candidates: "_Candidates"
    _links: dict[tuple[tuple[str, str], ...], LinkMatrix] = field(
        default_factory=dict, init=False, repr=False
    )

    def links(self, nodes: Sequence[tuple[str, str]]) -> LinkMatrix:
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
            if len(self._links) >= MOST_KEPT:
                self._links.clear()
            self._links[key] = known
        return known

    def doubt_about(self, *hosts: str) -> str:
        """Say how little delays from and to these are known that count as unknown for it.

        `only with confidence 0.2 of the 0.3 wanted, 45 s old`; empty if there are none.
        """
        candidates = self._candidates
        about = np.isin(candidates.hosts, hosts)
        return candidates.how_little(candidates.doubted & (about[:, None] | about[None, :]))


class KnownDelaysCache:
    """Known delays of the latest table, for all topologies that need the same; for one thread."""

    def __init__(self) -> None:
        self._table: DelayTable | None = None
        self._candidates: dict[tuple[tuple[str, ...], bool], _Candidates] = {}

    def get(
        self, table: DelayTable, hosts: tuple[str, ...], needed: Collection[str], *, trusted: bool
    ) -> KnownDelays:
        """Keep the hosts with known delays to each other, and all that are needed.

        Parameters
        ----------
        needed
            Hosts that are kept in any case.
        trusted
            Whether a delay of too little confidence counts as unknown.

        Raises
        ------
        ProblemError
            No delay is known at all.
        """
        self._forget_before(table)
        candidates = self._candidates.get((hosts, trusted))
        if candidates is None:
            if len(self._candidates) >= MOST_KEPT:
                self._candidates.clear()
            candidates = _Candidates(table, hosts, trusted=trusted)
            self._candidates[hosts, trusted] = candidates
        return candidates.known(needed)

    def _forget_before(self, table: DelayTable) -> None:
        """Keep what holds for this table, too."""
        if self._table is None or self._table != table:
            self._candidates = {}
        elif self._table.ages is not table.ages:
            # Only ages and confidence differ, which doubts name.
            self._candidates = {
                key: it for key, it in self._candidates.items() if not it.names_doubts
            }
        self._table = table


class _Candidates:
    """Hosts among which some delays may be unknown."""

    def __init__(self, table: DelayTable, hosts: tuple[str, ...], *, trusted: bool) -> None:
        self.hosts = hosts
        self._minimum = table.minimum_confidence
        rows = table.places(hosts)
        self._seconds = _between(table.seconds, rows)
        of_confidence = _between(table.trusted, rows)
        self._known = of_confidence if trusted else self._seconds
        self._unknown = np.isnan(self._known)
        self.doubted: Mask = self._unknown & ~np.isnan(self._seconds)
        self._vague: Mask = ~self._unknown & np.isnan(of_confidence)
        self.names_doubts = bool((self.doubted | self._vague).any())
        if self.names_doubts:
            self._confidence = _between(table.confidence, rows)
            self._ages = _between(table.ages, rows)
        self._found: dict[tuple[tuple[int, bool], ...], KnownDelays] = {}

    def known(self, needed: Collection[str]) -> KnownDelays:
        """Return the delays among those that remain."""
        pairs = len(self.hosts) * (len(self.hosts) - 1)
        if pairs and int(self._unknown.sum()) == pairs:
            raise ProblemError(self._nothing_known())
        removed = self._remove_gaps(np.isin(self.hosts, list(needed)))
        if (key := tuple(removed.items())) not in self._found:
            self._found[key] = self._without(removed)
        return self._found[key]

    def how_little(self, pairs: Mask) -> str:
        """Say how little these delays are known; empty if there are none of them."""
        if not pairs.any():
            return ""
        # Rounded down: 0.299 must not read as if it were the 0.3 wanted.
        confidence = _span(*(floor(100 * float(it)) / 100 for it in _ends(self._confidence[pairs])))
        age = _span(*(float(round(float(it))) for it in _ends(self._ages[pairs])))
        return f"only with confidence {confidence} of the {self._minimum:g} wanted, {age} s old"

    def _remove_gaps(self, needed: Mask) -> dict[int, bool]:
        """Find those to leave out for the others to be known, and whether each is needed.

        The host with the most gaps goes first; of two alike, the one that nothing needs.
        """
        gaps = self._unknown | self._unknown.T
        counts = gaps.sum(axis=1)
        removed: dict[int, bool] = {}
        while counts.max(initial=0) > 0:
            most = np.flatnonzero(counts == counts.max())
            spare = most[~needed[most]]
            worst = int(max(spare if len(spare) else most, key=lambda it: self.hosts[it]))
            removed[worst] = bool(needed[worst])
            counts = counts - gaps[worst]
            counts[worst] = 0
            gaps[worst, :] = gaps[:, worst] = False
        return removed

    def _without(self, removed: dict[int, bool]) -> KnownDelays:
        """Leave hosts out unless they are needed: then another delay replaces the unknown one."""
        places = [it for it in range(len(self.hosts)) if removed.get(it, True)]
        within = np.ix_(places, places)
        seconds, unknown = self._known[within], self._unknown[within]
        largest = float(np.nanmax(self._known, initial=0.0))
        stays = np.zeros(len(self.hosts), dtype=bool)
        stays[places] = True
        vague = self._vague & stays[:, None] & stays[None, :]
        seconds = np.where(unknown, largest or ASSUMED_SECONDS, seconds)
        seconds.setflags(write=False)
        used = self.how_little(vague)
        return KnownDelays(
            hosts=tuple(self.hosts[it] for it in places),
            seconds=seconds,
            left_out=tuple(host for it, host in enumerate(self.hosts) if not removed.get(it, True)),
            assumption=self._assumption(self._unknown & stays[:, None] & stays[None, :], largest),
            vague=f"delay known {used}, used nevertheless: {self._pairs(vague)}" if used else "",
            _candidates=self,
        )

    def _nothing_known(self) -> str:
        how = self.how_little(self.doubted)
        if not how:
            return f"no delay is known between any of {listed(self.hosts)}"
        return f"delays between {listed(self.hosts)} are known {how}"

    def _assumption(self, substituted: Mask, largest: float) -> str:
        """Word which delays have a substitute: those known too little, and those not at all."""
        little = substituted & self.doubted
        nothing = substituted & ~self.doubted
        assumed = f", assumed to be {ASSUMED_SECONDS * 1000:g} ms as none above 0 is known"
        said = []
        if how := self.how_little(little):
            said.append(f"delay known {how}{'' if largest else assumed}: {self._pairs(little)}")
        if nothing.any():
            taken = f", taken as the largest known, {largest * 1000:g} ms" if largest else assumed
            said.append(f"delay unknown{taken}: {self._pairs(nothing)}")
        return "; ".join(said)

    def _pairs(self, where: Mask) -> str:
        """List the first of these pairs, and count the others."""
        first = np.argwhere(where)[:FEW].tolist()
        names = [f"{self.hosts[a]} → {self.hosts[b]}" for a, b in first]
        return listed([*names, *[""] * (int(where.sum()) - len(names))], FEW)


def _between(matrix: Matrix, rows: NDArray[np.intp]) -> Matrix:
    """Return the values between hosts; NaN where a host has no row, 0 from a host to itself."""
    found = np.full((len(rows), len(rows)), np.nan)
    there = np.flatnonzero(rows >= 0)
    found[np.ix_(there, there)] = matrix[np.ix_(rows[there], rows[there])]
    np.fill_diagonal(found, 0.0)
    return found


def _ends(values: Matrix) -> tuple[float, float]:
    return float(values.min()), float(values.max())


def _span(least: float, most: float) -> str:
    return f"{least:g}" if least == most else f"{least:g} to {most:g}"
