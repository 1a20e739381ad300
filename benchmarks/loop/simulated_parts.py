"""Parts of a simulated cluster: hosts, components, workers, and what the sidecar does not know."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eyewall_sidecar.storm import Executor
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class SimulatedHost:
    """A host: its cores, what others use of them, and the share of time the hypervisor takes.

    `slowness` multiplies the CPU that a tuple takes there, as little cache or a slow clock do: it
    shows only once something runs there.
    """

    name: str
    cores: float
    background: float = 0.0
    steal: float = 0.0
    quota: bool = True
    slowness: float = 1.0

    @property
    def cpus(self) -> int:
        """CPUs of the machine: with a quota it is one of eight."""
        return 8 if self.has_quota else round(self.cores)

    @property
    def has_quota(self) -> bool:
        """Whether a control group limits it: half a core is always a part of one."""
        return self.quota or self.cores != round(self.cores)


@dataclass(frozen=True, slots=True)
class SimulatedComponent:
    """A spout or bolt.

    Parameters
    ----------
    name, inputs
        Its name, and the components that it subscribes to; a spout has none.
    shares
        The part of its tuples that each executor gets.
    cpu_seconds
        Of one tuple; of a spout: of one that it emits.
    selectivity
        Tuples emitted for each one received.
    """

    name: str
    inputs: tuple[str, ...]
    shares: tuple[float, ...]
    cpu_seconds: float
    selectivity: float = 1.0


@dataclass(frozen=True, slots=True)
class Physics:
    """What the sidecar does not know beforehand.

    Parameters
    ----------
    burstiness, sharing
        Exponents of the waiting time: of the executor's own queue, and of its host's processors.
    send_cpu, receive_cpu
        CPU-seconds of a tuple that leaves or enters a worker.
    crossing_seconds
        From worker to worker on top of the delay.
    worker_cpu
        Cores that a worker process uses at any rate.
    crossing_cpu, crossing_half_rate
        Cores that it uses more once tuples cross its border all the time, and the bursts/s across
        it that take half of them, more than 0.
    start_cpu
        CPU-seconds until a worker process takes its first tuple.
    cold_factor, cold_seconds
        Code that is not compiled yet takes so much longer, and for so long.
    pending
        Tuples that a spout has under way at most.
    """

    burstiness: float = 1.0
    sharing: float = 1.0
    send_cpu: float = 0.0001
    receive_cpu: float = 0.0001
    crossing_seconds: float = 0.001
    worker_cpu: float = 0.01
    crossing_cpu: float = 0.0
    crossing_half_rate: float = 500.0
    start_cpu: float = 4.0
    cold_factor: float = 1.0
    cold_seconds: float = 15.0
    pending: float = 1000.0


@dataclass(slots=True)
class WorkerProcess:
    """A worker process: when it was launched, what its start still takes, when it works.

    As Storm's, it is ready once it is up and all those are that it sends to. What comes meanwhile
    waits in the next one's queue; here its source begins later instead.
    """

    executors: frozenset[Executor]
    id: str
    launched: float
    start_cpu: float
    ready: float | None = None
    cpu: float = 0.0

    @property
    def is_up(self) -> bool:
        """Whether its start is over."""
        return self.start_cpu <= 0


class Flow(NamedTuple):
    """What happened in a second: offered and delivered tuples/s, and seconds from end to end."""

    time: float
    offered: float
    delivered: float
    latency: float


def shares_of(count: int, skew: float) -> tuple[float, ...]:
    """Return the parts of a stream that executors get: even, or by Zipf's law."""
    weights = np.arange(1, count + 1) ** -skew
    return tuple((weights / weights.sum()).tolist())


def spread(
    shares: NDArray[np.float64],
    senders: int,
    places: Sequence[tuple[NDArray[np.intp], NDArray[np.intp]]],
) -> NDArray[np.float64]:
    """Return [sender, receiver]: which part of its tuples each sends to whom.

    Even shares are shuffled as Storm does: to receivers in the sender's own worker if there are
    any, else on its host, else to all. Uneven ones go by key, wherever receivers are.

    Parameters
    ----------
    places
        Of senders and of receivers: their workers, then their hosts.
    """
    parts = np.tile(shares, (senders, 1))
    if len(set(shares.tolist())) > 1:
        return parts
    for of_senders, of_receivers in reversed(places):
        near = of_senders[:, None] == of_receivers[None, :]
        number = near.sum(axis=1, keepdims=True)
        parts = np.where(number > 0, near / np.maximum(number, 1), parts)
    return parts
