"""Documents of rates and reports of hosts, as they would be written of a small topology."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eyewall_contracts.rates import (
    ComponentCost,
    Emission,
    Estimate,
    Rates,
    StreamRate,
    TaskCost,
    TaskEmission,
    TaskRate,
)
from eyewall_contracts.sample import MachineSample, Sample, WorkerSample

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eyewall_sidecar.storm import Topology


def estimate(value: float, until: float = 0.0, confidence: float = 0.9) -> Estimate:
    return Estimate(value, value * 0.02, value, 0.0, value, 0.0, 10, until, confidence)


def rates_of(
    topology: Topology,
    taken: Mapping[int, float],
    given: Mapping[int, float],
    *,
    cores: float | Mapping[int, float] = 0.1,
    cost: float = 0.001,
    until: float = 0.0,
    confidence: float = 0.9,
) -> Rates:
    """Tuples/s that each task takes from and gives to the one stream on either side of it."""

    def of(value: float) -> Estimate:
        return estimate(value, until, confidence)

    component_of = {e.first_task: c for e, c in topology.executors().items()}
    source_of = {c.id: c.inputs[0] for c in topology.components if c.inputs}
    streams, emissions = {}, {}
    for component in topology.components:
        own = [it.first_task for it in component.executors]
        total_taken = sum(taken.get(it, 0.0) for it in own)
        total_given = sum(given.get(it, 0.0) for it in own)
        if component.id in source_of:
            wanted = source_of[component.id]
            streams[component.id] = StreamRate(
                wanted.source, wanted.stream, component.id, len(own), 1.0, of(total_taken), None
            )
        if total_given:
            emissions[component.id] = Emission(
                component.id, "default", len(own), of(total_given), 1.0, None
            )
    return Rates(
        topology=topology.id,
        run="r",
        batch=1,
        written=until,
        window=60.0,
        lost=0,
        late=0,
        troubled=0.0,
        streams=tuple(streams.values()),
        inputs=tuple(
            TaskRate(
                task,
                component_of[task].id,
                component_of[task].inputs[0].source,
                "default",
                "a",
                6700,
                of(rate),
            )
            for task, rate in taken.items()
        ),
        emissions=tuple(emissions.values()),
        outputs=tuple(
            TaskEmission(task, component_of[task].id, "default", of(rate), None)
            for task, rate in given.items()
        ),
        costs=tuple(
            ComponentCost(c.id, len(c.executors), of(cost), of(0.1 * len(c.executors)))
            for c in topology.components
        ),
        task_costs=tuple(
            TaskCost(
                task,
                component.id,
                of(cost),
                of(cores if isinstance(cores, float) else cores[task]),
                apart=True,
            )
            for task, component in component_of.items()
        ),
    )


def report(
    host: str,
    sequence: int = 0,
    *,
    time: float = 0.0,
    cores: float = 1.0,
    busy: float = 0.0,
    throttled: float = 0.0,
    used: Mapping[str, float] | None = None,
    started: float = -3600.0,
    port: int = 6700,
) -> Sample:
    """A report over 5 s; `busy`, `throttled` and `used` (by topology) are per second.

    Workers were `started` long before it.
    """
    workers = tuple(
        WorkerSample(
            topology=topology,
            port=port + place,
            id=f"w{place}",
            started=started,
            until=time,
            seconds=5.0,
            step=20,
            cpu=5.0 * cpu,
            children_cpu=0.0,
            memory=1,
        )
        for place, (topology, cpu) in enumerate((used or {}).items())
    )
    machine = MachineSample(8, cores, 5.0 * busy, 0.0, 5.0 * throttled, 0.0, 1 << 30, 1 << 29)
    return Sample(host, "run", sequence, time, 5.0, machine, workers=workers)
