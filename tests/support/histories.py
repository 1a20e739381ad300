"""Histories of made-up topologies, with the truth known: what agents would have written."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from eyewall_contracts.metric_history import HistoryKeys, encode_entry, next_id, read_id
from eyewall_contracts.sample import (
    Sample,
    TaskInput,
    TaskOutput,
    TaskSample,
    ThreadGroup,
    WorkerSample,
)
from msgspec.structs import replace
from reports import MACHINE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import redis

T0 = 1_700_000_040.0
"""A full minute, and so the beginning of a window."""
PERIOD = 5.0


@dataclass
class Counter:
    """Storm's sampled counter: it shows whole steps only."""

    step: int
    total: float = 0.0
    shown: int = 0

    def add(self, amount: float) -> int:
        self.total += amount
        shown = int(self.total + 1e-6) // self.step * self.step
        raised, self.shown = shown - self.shown, shown
        return raised


@dataclass
class Host:
    """One host with one worker of a two-component topology, and its agent.

    Parameters
    ----------
    rate
        Tuples/s that each of the sources' tasks here gives out at a moment.
    """

    name: str
    rate: Callable[[float], float]
    spouts: tuple[int, ...] = (1,)
    bolts: tuple[int, ...] = (2,)
    topology: str = "line-1-1700000000"
    step: int = 1
    selectivity: float = 2.0
    cost: float = 0.0005
    sequence: int = 0
    run: str = "run-1"
    counters: dict[object, Counter] = field(default_factory=dict)

    def report(self, until: float) -> Sample:
        """What the agent reports at `until` about the seconds before."""
        given = self.rate(until - PERIOD / 2) * PERIOD
        share = given * len(self.spouts) / max(1, len(self.bolts))
        tasks = [
            TaskSample(
                it,
                "spout",
                (),
                (TaskOutput("default", n := self._count(it, given), n, 0, 0, None),),
            )
            for it in self.spouts
        ]
        for it in self.bolts:
            taken = self._count(it, share)
            out = self._count((it, "out"), share * self.selectivity)
            tasks.append(
                TaskSample(
                    it,
                    "bolt",
                    (TaskInput("spout", "default", taken, taken, 0, self.cost, self.cost),),
                    (TaskOutput("default", out, out, 0, 0, None),),
                )
            )
        threads = (
            *(ThreadGroup((it,), 1, given * 0.0001, 0.0) for it in self.spouts),
            *(ThreadGroup((it,), 1, share * self.cost, 0.0) for it in self.bolts),
        )
        worker = WorkerSample(
            topology=self.topology,
            port=6700,
            id="w",
            started=T0 - 100,
            until=until,
            seconds=PERIOD,
            step=self.step,
            cpu=0.1,
            children_cpu=0.0,
            memory=1,
            tasks=tuple(tasks),
            threads=threads,
        )
        sample = Sample(
            self.name, self.run, self.sequence, until, PERIOD, MACHINE, workers=(worker,)
        )
        self.sequence += 1
        return sample

    def _count(self, key: object, amount: float) -> int:
        return self.counters.setdefault(key, Counter(self.step)).add(amount)


def reports(host: Host, start: float, end: float) -> list[Sample]:
    """All reports whose end is in (start, end]."""
    count = round((end - start) / PERIOD)
    return [host.report(start + (i + 1) * PERIOD) for i in range(count)]


def write(store: redis.Redis, samples: Iterable[Sample], written: float | None = None) -> None:
    """Write reports as an agent does, each 0.1 s after its end unless `written` is another time."""
    keys = HistoryKeys()
    for it in samples:
        at = it.time + 0.1 if written is None else written
        key = keys.stream(it.host)
        newest: Any = store.xrevrange(key, count=1)
        last = read_id(newest[0][0]) if newest else None
        fields: Any = encode_entry(it)
        store.xadd(key, fields, id=str(next_id(at, last)))
        store.zadd(keys.hosts, {it.host: at})


def without_workers(sample: Sample) -> Sample:
    return replace(sample, workers=())
