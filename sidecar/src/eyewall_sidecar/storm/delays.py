"""Which hosts can be compared by delay, and what to do about those that cannot.

Unknown is unknown, never zero: a host without a known delay is left out, and where something
must run there (a pin, an executor that runs), the largest known delay stands in and is said.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from eyewall_sidecar.model import ProblemError
from eyewall_sidecar.model.errors import listed
from eyewall_sidecar.storm.doubts import DelayBetween, Doubts, how_little

FEW = 3
"""As many names stand in one line that a person reads; of the rest, how many they are."""

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class KnownDelays:
    """Hosts between which every delay is known, or stood in for.

    Parameters
    ----------
    hosts
        Those that remain.
    delay
        (host, host) → seconds, one way, for each ordered pair of different hosts.
    left_out
        Those that do not, as delays between them and others are unknown.
    assumption
        Which delays were stood in for; empty if none was.
    doubted
        Delays that count as unknown because they are doubted.
    vague
        Which delays are used though they are doubted; empty if none is.
    looked_at
        The hosts that were looked at, and those of them that were needed.
    """

    hosts: tuple[str, ...]
    delay: dict[Pair, float]
    left_out: tuple[str, ...]
    assumption: str
    doubted: Doubts
    vague: str
    looked_at: tuple[tuple[str, ...], frozenset[str]]

    def is_of(self, hosts: Sequence[str], needed: Collection[str]) -> bool:
        """Whether the same would be found for these: what is needed matters only if delays lack."""
        lacking = bool(self.left_out or self.assumption)
        same = self.looked_at[1] == frozenset(needed) or not lacking
        return same and self.looked_at[0] == tuple(hosts)


def known_delays(
    hosts: Sequence[str],
    needed: Collection[str],
    between: DelayBetween,
    doubts: Doubts,
    before: KnownDelays | None = None,
) -> KnownDelays:
    """Keep the hosts with known delays to each other, and all that are `needed`.

    `doubts` are about delays that `between` does not know for being doubted, and about others that
    it does. `before` is what was found for the same delays and doubts, also for another topology:
    among 300 hosts, to look at each pair takes most of the time that a problem takes to be built,
    and among 1,000 what is known of all pairs takes more than 100 MB.
    """
    if before is not None and before.is_of(hosts, needed):
        return before
    delay = {(a, b): between(a, b) for a in hosts for b in hosts if a != b}
    known = {pair: seconds for pair, seconds in delay.items() if seconds is not None}
    doubted = {pair: doubts[pair] for pair in delay if pair in doubts and pair not in known}
    if delay and not known:
        raise ProblemError(_nothing_known(hosts, doubted))
    left_out = _without_gaps(hosts, needed, known)
    remaining = [it for it in hosts if it not in left_out or it in needed]
    pairs = [(a, b) for a in remaining for b in remaining if a != b]
    stood_in = [pair for pair in pairs if pair not in known]
    largest = max(known.values(), default=0.0)
    return KnownDelays(
        hosts=tuple(remaining),
        delay={pair: known.get(pair, largest) for pair in pairs},
        left_out=tuple(it for it in hosts if it in left_out and it not in needed),
        assumption=_stood_in(stood_in, largest, doubted),
        doubted=doubted,
        vague=_vague({pair: doubts[pair] for pair in pairs if pair in known and pair in doubts}),
        looked_at=(tuple(hosts), frozenset(needed)),
    )


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
    hosts: Sequence[str], needed: Collection[str], known: Collection[tuple[str, str]]
) -> frozenset[str]:
    """Return those to leave out for all delays between the others to be known.

    The host with the most gaps goes first; of two alike, the one that nothing needs.
    """
    gaps = {
        host: {it for it in hosts if (host, it) not in known or (it, host) not in known} - {host}
        for host in hosts
    }
    left_out = set()
    while any(gaps.values()):
        worst = max(gaps, key=lambda it: (len(gaps[it]), it not in needed, it))
        for other in gaps.pop(worst):
            gaps[other].discard(worst)
        left_out.add(worst)
    return frozenset(left_out)
