"""Which hosts can be compared by delay, and what to do about those that cannot.

Unknown is unknown, never zero: a host without a known delay is left out, and where something
must run there (a pin, an executor that runs), the largest known delay stands in and is said.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from eyewall_sidecar.model import ProblemError
from eyewall_sidecar.model.errors import listed

FEW = 3
"""As many names stand in one line that a person reads; of the rest, how many they are."""

DelayBetween = Callable[[str, str], float | None]
"""One-way delay in seconds from one host to another; None if it is unknown."""


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
    """

    hosts: tuple[str, ...]
    delay: dict[tuple[str, str], float]
    left_out: tuple[str, ...]
    assumption: str


def known_delays(
    hosts: Sequence[str], needed: Collection[str], between: DelayBetween
) -> KnownDelays:
    """Keep the hosts with known delays to each other, and all that are `needed`."""
    delay = {(a, b): between(a, b) for a in hosts for b in hosts if a != b}
    known = {pair: seconds for pair, seconds in delay.items() if seconds is not None}
    if delay and not known:
        raise ProblemError(f"no delay is known between any of {listed(hosts)}")
    left_out = _without_gaps(hosts, needed, known)
    remaining = [it for it in hosts if it not in left_out or it in needed]
    pairs = [(a, b) for a in remaining for b in remaining if a != b]
    stood_in = [pair for pair in pairs if pair not in known]
    largest = max(known.values(), default=0.0)
    unknown = listed([f"{a} → {b}" for a, b in stood_in], FEW)
    assumption = f"delay unknown, taken as the largest known, {largest * 1000:g} ms: {unknown}"
    return KnownDelays(
        hosts=tuple(remaining),
        delay={pair: known.get(pair, largest) for pair in pairs},
        left_out=tuple(it for it in hosts if it in left_out and it not in needed),
        assumption=assumption if stood_in else "",
    )


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
