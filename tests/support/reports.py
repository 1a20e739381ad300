"""Reports as an agent makes them, for tests of all who read them."""

from __future__ import annotations

from eyewall_contracts.sample import (
    MachineSample,
    Sample,
    TaskInput,
    TaskOutput,
    TaskQueue,
    TaskSample,
    ThreadGroup,
    WorkerSample,
)

MACHINE = MachineSample(
    cpus=4,
    quota=0.5,
    busy=1.75,
    stolen=0.25,
    throttled=0.5,
    load=1.5,
    memory=2_147_483_648,
    memory_free=1_073_741_824,
)

COUNT_WORKER = WorkerSample(
    topology="word_count-1-1700000000",
    port=6700,
    id="5f1c1a0e-9f9b-4a6e-8a58-2f1f6a3d8f10",
    started=1_700_000_000.5,
    until=1_700_000_060.25,
    seconds=5.0,
    step=20,
    cpu=1.25,
    children_cpu=0.5,
    memory=157_286_400,
    tasks=(
        TaskSample(
            task=3,
            component="count",
            inputs=(TaskInput("split", "default", 1000, 980, 20, 0.00015, 0.0125),),
            outputs=(TaskOutput("default", 1000, 2000, 0, 0, None),),
            queue=TaskQueue(population=12, capacity=32768, overflow=0),
            capacity=0.25,
        ),
        TaskSample(
            task=1,
            component="sentence",
            inputs=(TaskInput("__system", "__tick", 20, 0, 0, None, None),),
            outputs=(TaskOutput("default", 200, 200, 180, 20, 0.0405),),
            queue=TaskQueue(population=0, capacity=32768, overflow=0),
        ),
        TaskSample(task=4, component="count"),
    ),
    threads=(ThreadGroup((1,), 1, 0.125, 0.0), ThreadGroup((3, 4), 2, 0.75, 0.5)),
)

FULL = Sample(
    host="edge-1",
    run="0f8fad5b",
    sequence=7,
    time=1_700_000_061.5,
    seconds=5.0,
    machine=MACHINE,
    workers=(
        COUNT_WORKER,
        WorkerSample(
            topology="silent-2-1700000001",
            port=6701,
            id="9b2d",
            started=1_700_000_061.0,
            until=1_700_000_061.5,
            seconds=0.0,
            step=0,
            cpu=None,
            children_cpu=None,
            memory=1024,
        ),
    ),
    counters={"lines": 4321, "rejected: no metric": 3},
    left_out=1,
)
"""Every field holds something; `tests/contracts/sample.json` is this one."""
