"""Which hosts can be compared by delay, and what to do about those that cannot.

Unknown is unknown, never zero: a host without a known delay is left out, and where something
must run there (a pin, an executor that runs), the largest known delay stands in and is said.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from eyewall_sidecar.model import ProblemError

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
        Host → why it is none of them.
    assumptions
        Which delays were stood in for.
    """

    hosts: tuple[str, ...]
    delay: dict[tuple[str, str], float]
    left_out: dict[str, str]
    assumptions: tuple[str, ...]


def known_delays(
    hosts: Sequence[str], needed: Collection[str], between: DelayBetween
) -> KnownDelays:
    """Keep the hosts with known delays to each other, and all that are `needed`."""
    delay = {(a, b): between(a, b) for a in hosts for b in hosts if a != b}
    known = {pair: seconds for pair, seconds in delay.items() if seconds is not None}
    if delay and not known:
        raise ProblemError(f"no delay is known between any of {', '.join(hosts)}")
    left_out = _without_gaps(hosts, needed, known)
    remaining = [it for it in hosts if it not in left_out or it in needed]
    pairs = [(a, b) for a in remaining for b in remaining if a != b]
    stood_in = [pair for pair in pairs if pair not in known]
    largest = max(known.values(), default=0.0)
    assumptions = tuple(
        f"delay from {a} to {b} unknown, taken as the largest known, {largest * 1000:g} ms"
        for a, b in stood_in
    )
    return KnownDelays(
        hosts=tuple(remaining),
        delay={pair: known.get(pair, largest) for pair in pairs},
        left_out={it: why for it, why in left_out.items() if it not in needed},
        assumptions=assumptions,
    )


def _without_gaps(
    hosts: Sequence[str], needed: Collection[str], known: dict[tuple[str, str], float]
) -> dict[str, str]:
    """Host → why it is left out, until all delays between the others are known.

    The host with the most gaps goes first; of two alike, the one that nothing needs.
    """
    remaining = list(hosts)
    left_out: dict[str, str] = {}
    while True:
        unknown = {
            host: [it for it in remaining if it != host and _lacks(known, host, it)]
            for host in remaining
        }
        if not any(unknown.values()):
            return left_out
        worst = max(remaining, key=lambda it: (len(unknown[it]), it not in needed, it))
        left_out[worst] = f"delay to {', '.join(unknown[worst])} unknown"
        remaining.remove(worst)


def _lacks(known: dict[tuple[str, str], float], a: str, b: str) -> bool:
    return (a, b) not in known or (b, a) not in known
