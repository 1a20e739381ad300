"""When the next round begins, within the budget of probes and of the host's CPU."""

from dataclasses import dataclass
from random import Random

from eyewall_latency.setting import number, whole_number


@dataclass(frozen=True, slots=True)
class Pace:
    """How often, and how much at once.

    Parameters
    ----------
    interval_seconds
        From round to round, at least.
    jitter
        Share of the interval by which it varies at random, so that hosts do not fall in step
        (paper 002, section 3.4).
    probes_per_round
        Peers probed in a round; where the paper's algorithm runs, its n.
    budget_per_second
        Probes that a host sends in a second, at most.
    milliseconds_per_host
        What each further host in the cluster adds to the least interval, so that the round's cost
        stays a constant share of a core.
    """

    interval_seconds: float = number(0.5, 0.05, 3_600.0)
    jitter: float = number(0.1, 0.0, 0.9)
    probes_per_round: int = whole_number(1, 1, 1_000)
    budget_per_second: float = number(2.0, 0.001, 1_000.0)
    milliseconds_per_host: float = number(3.0, 0.0, 1_000.0)

    def wait(self, probes: int, hosts: int, rng: Random) -> float:
        """Return the seconds until the next round, after one with so many probes."""
        least = max(
            self.interval_seconds,
            hosts * self.milliseconds_per_host / 1000.0,
        )
        varied = least * (1.0 + self.jitter * (2.0 * rng.random() - 1.0))
        return max(varied, probes / self.budget_per_second)
