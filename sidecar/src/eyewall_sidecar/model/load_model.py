"""How CPU demand turns into time: the parameters of response time and headroom under load."""

from dataclasses import dataclass

from eyewall_sidecar.model.errors import ProblemError, require_amount
from eyewall_sidecar.model.limits import FASTEST, LONGEST, MOST


@dataclass(frozen=True, slots=True)
class LoadModel:
    """How CPU demand turns into time, for one topology on one cluster (docs/design/load.md).

    CPU is that of a node of speedup 1.

    Parameters
    ----------
    headroom
        The multiple of today's rates that a placement should carry.
    executors_per_worker
        Executors that share a worker process; 0: all executors of a node share one.
    worker_cpu
        Cores that a worker process uses in addition to its executors, at any rate.
    crossing_cpu
        Cores that it uses in addition once tuples cross its border all the time, however many.
    crossing_half_rate
        Bursts/s (`tuple_bursts`) across its border at which it uses half of them.
    polling_cpu
        Cores that an executor without tuples uses to look for one. It limits no rate, as it gives
        way to work, but it slows the work on a tuple.
    send_cpu, receive_cpu
        CPU-seconds for each tuple that leaves a worker, and for each that enters a worker.
    crossing_seconds
        Seconds a tuple needs from worker to worker in addition to the link's delay.
    burstiness
        κ: the wait for an executor as a multiple of the wait under Poisson arrivals and
        exponential service times.
    sharing
        γ: the wait for a host's CPU as a multiple of the wait under Poisson arrivals of trees of
        tuples with exponential work.
    uncertainty
        Widens the interval of every prediction; 1 as estimated, 0 no interval.
    """

    headroom: float = 1.3
    executors_per_worker: int = 0
    worker_cpu: float = 0.0
    crossing_cpu: float = 0.0
    crossing_half_rate: float = 500.0
    polling_cpu: float = 0.0
    send_cpu: float = 0.0
    receive_cpu: float = 0.0
    crossing_seconds: float = 0.0
    burstiness: float = 1.0
    sharing: float = 1.0
    uncertainty: float = 1.0

    def __post_init__(self) -> None:
        for name in ("headroom", "crossing_half_rate", "burstiness", "sharing"):
            require_amount("load", name, getattr(self, name), FASTEST)
        require_amount("load", "uncertainty", self.uncertainty, MOST_UNCERTAIN)
        for name in ("worker_cpu", "crossing_cpu", "polling_cpu"):
            require_amount("load", name, getattr(self, name), MOST)
        for name in ("send_cpu", "receive_cpu", "crossing_seconds"):
            require_amount("load", name, getattr(self, name), LONGEST)
        if not 0 <= self.executors_per_worker <= MOST:
            raise ProblemError(
                f"load: executors_per_worker is {self.executors_per_worker}; it must be a whole "
                "number, 0 or more"
            )


MOST_UNCERTAIN = 100.0
"""Of `uncertainty`: factors of 2 to this power are far beyond any measurement."""
