"""What hosts, the machine and other guests used, second by second of a measurement."""

from __future__ import annotations

import math
import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

from eyewall_deploy.measure.machine import busy_cores, read_machine_time, stolen_share

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType

    from eyewall_deploy.measure.host_use import HostMeter, HostUse
    from eyewall_deploy.measure.machine import MachineTime


@dataclass(frozen=True, slots=True)
class MachineSecond:
    """What was used in one second, as far as it is known; see `RunSecond`."""

    cpu: Mapping[str, float] = field(default_factory=dict)
    memory: Mapping[str, int] = field(default_factory=dict)
    workers: Mapping[str, int] = field(default_factory=dict)
    stolen: float | None = None
    busy: float | None = None


class MachineWatch:
    """Reads meters every second from now on, until its block ends.

    In a thread of its own: Nimbus, whom the trial asks besides, may take seconds to answer while
    workers start, which is when it matters most what they use. A reading that is late stands for
    all seconds since the one before it, as their mean.

    Parameters
    ----------
    meter
        Of the hosts.
    began
        Start of the measurement, seconds since the epoch.
    """

    def __init__(self, meter: HostMeter, began: float) -> None:
        self._meter = meter
        self._began = began
        self._stopped = threading.Event()
        self._pool = ThreadPoolExecutor(1, "machine-watch")
        self.seconds: dict[int, MachineSecond] = {}

    def __enter__(self) -> Self:
        self._read_all = self._pool.submit(self._follow)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stopped.set()
        self._pool.shutdown()
        if error is None:
            self._read_all.result()

    def check(self) -> None:
        """Raise what ended the thread, if anything did."""
        if self._read_all.done():
            self._read_all.result()

    def _follow(self) -> None:
        self._meter.read()
        before, last = read_machine_time(), time.monotonic()
        known = round(time.time() - self._began)
        stopped = False
        while not stopped:
            stopped = self._stopped.wait(self._until_next_second())
            used = self._meter.read()
            after, moment = read_machine_time(), time.monotonic()
            at = round(time.time() - self._began)
            second = _machine_second(used, before, after, moment - last)
            self.seconds.update(dict.fromkeys(range(known, at), second))
            known, before, last = at, after, moment

    def _until_next_second(self) -> float:
        at = time.time() - self._began
        return math.floor(at) + 1 - at


def _machine_second(
    used: Mapping[str, HostUse], before: MachineTime, after: MachineTime, seconds: float
) -> MachineSecond:
    return MachineSecond(
        cpu={host: round(it.cpu / seconds, 3) for host, it in used.items() if it.cpu is not None},
        memory={host: it.memory for host, it in used.items()},
        workers={host: it.workers for host, it in used.items()},
        stolen=round(stolen_share(before, after), 4),
        busy=round(busy_cores(before, after, os.cpu_count() or 1), 3),
    )
