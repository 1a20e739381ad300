"""Time to encode and decode each record, and its size, for a topology of 1,000 executors.

    python -m benchmarks codecs [--executors 1000] [--rounds 50]

The report is that of one host with all executors, in workers of 50; the rates are those of the same
topology. Both have two inputs and one output for each executor. Prints a Markdown table with the
least time of all rounds.
"""

from __future__ import annotations

import argparse
import time
from functools import partial
from random import Random
from typing import TYPE_CHECKING, Any

from eyewall_contracts.decision import (
    DecisionRecord,
    ExecutorMove,
    MetricChange,
    Verdict,
    decode_decision,
    encode_decision,
)
from eyewall_contracts.latency import (
    HostCoordinate,
    RttRecord,
    decode_host,
    decode_rtt,
    encode_host,
    encode_rtt,
)
from eyewall_contracts.rates import (
    ComponentCost,
    Emission,
    Estimate,
    Rates,
    StreamRate,
    TaskCost,
    TaskEmission,
    TaskRate,
    decode_rates,
    encode_rates,
    six_digits,
)
from eyewall_contracts.sample import (
    MachineSample,
    Sample,
    TaskInput,
    TaskOutput,
    TaskQueue,
    TaskSample,
    ThreadGroup,
    WorkerSample,
    decode_sample,
    encode_sample,
)

if TYPE_CHECKING:
    from collections.abc import Callable

NOW = 1_760_000_000.125
PER_WORKER = 50


def create_report(executors: int, rng: Random) -> Sample:
    """Return a host's report with one task for each executor."""

    def task(number: int) -> TaskSample:
        component = f"component-{number // 100}"
        inputs = tuple(
            TaskInput(
                f"component-{it}", "default", 20 * rng.randrange(500), 980, 0, rng.random(), 0.01
            )
            for it in range(2)
        )
        outputs = (TaskOutput("default", 1000, 2000, 0, 0, None),)
        return TaskSample(number, component, inputs, outputs, TaskQueue(3, 32_768, 0), rng.random())

    def worker(first: int) -> WorkerSample:
        tasks = tuple(task(it) for it in range(first, min(first + PER_WORKER, executors)))
        threads = tuple(ThreadGroup((it.task,), 1, rng.random(), 0.0) for it in tasks)
        return WorkerSample(
            topology="word_count-1-1760000000",
            port=6700 + first // PER_WORKER,
            id="5f1c1a0e-9f9b-4a6e-8a58",
            started=NOW - 600,
            until=NOW,
            seconds=5.0,
            step=20,
            cpu=1.25,
            children_cpu=0.0,
            memory=1 << 28,
            tasks=tasks,
            threads=threads,
        )

    machine = MachineSample(8, None, 31.5, 0.0, 0.0, 6.3, 1 << 35, 1 << 33)
    workers = tuple(worker(it) for it in range(0, executors, PER_WORKER))
    return Sample(
        "edge-1", "0f8fad5b", 7, NOW, 5.0, machine, counters={"lines": 123_456}, workers=workers
    )


def create_rates(executors: int, rng: Random) -> Rates:
    """Return the rates of a topology with one task for each executor."""

    def estimate() -> Estimate:
        value = rng.random() * 1000
        value, error, spread, p95 = (six_digits(value * it) for it in (1.0, 0.05, 0.1, 2.0))
        return Estimate(value, error, value, spread, p95, -0.25, 12, NOW, 0.875)

    tasks = range(executors)
    components = [f"component-{it}" for it in range(0, executors, 100)]
    return Rates(
        topology="word_count-1-1760000000",
        run="5f1c1a0e9f9b",
        batch=42,
        written=NOW,
        window=60.0,
        lost=0,
        late=0,
        troubled=0.0,
        streams=tuple(
            StreamRate(it, "default", it, 100, 1.25, estimate(), None) for it in components
        ),
        inputs=tuple(
            TaskRate(
                it, components[it // 100], "component-0", "default", "edge-1", 6700, estimate()
            )
            for it in tasks
        ),
        emissions=tuple(Emission(it, "default", 100, estimate(), 1.0, None) for it in components),
        outputs=tuple(
            TaskEmission(it, components[it // 100], "default", estimate(), None) for it in tasks
        ),
        costs=tuple(ComponentCost(it, 100, estimate(), estimate()) for it in components),
        task_costs=tuple(
            TaskCost(it, components[it // 100], estimate(), estimate(), apart=True) for it in tasks
        ),
    )


def create_decision(executors: int) -> DecisionRecord:
    """Return a decision that moves every executor."""
    return DecisionRecord(
        id="1760000000125-5f1c1a0e-000012",
        topology="word_count-1-1760000000",
        verdict=Verdict.MOVED,
        said="placed by eyewall: odp, optimal, R 41 ms (was 61), 1000 executors moved",
        metrics=(MetricChange("R", 0.061, 0.041), MetricChange("objective", None, -0.5)),
        moves=tuple(
            ExecutorMove(f"count[{it}-{it}]", "edge-1", "cloud-1") for it in range(executors)
        ),
    )


def least_milliseconds(action: Callable[[], Any], rounds: int) -> float:
    """Return the milliseconds of the fastest round."""
    times = []
    for _ in range(rounds):
        began = time.perf_counter()
        action()
        times.append(time.perf_counter() - began)
    return 1000 * min(times)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--executors", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=50)
    options = parser.parse_args()
    rng = Random(0)
    host = HostCoordinate("10.0.0.7", 7078, (0.0125, -0.003), NOW, 0.0004, 0.0625, 1)
    cases: list[tuple[str, Any, Callable[[Any], bytes], Callable[[bytes], Any]]] = [
        ("report", create_report(options.executors, rng), encode_sample, decode_sample),
        ("rates", create_rates(options.executors, rng), encode_rates, decode_rates),
        ("decision", create_decision(options.executors), encode_decision, decode_decision),
        ("coordinate", host, encode_host, decode_host),
        ("RTT", RttRecord(0.0125, 0.0003, NOW), encode_rtt, decode_rtt),
    ]
    print("| record | bytes | encode, ms | decode, ms |\n| --- | --: | --: | --: |")
    for name, record, encode, decode in cases:
        data = encode(record)
        encoding = least_milliseconds(partial(encode, record), options.rounds)
        decoding = least_milliseconds(partial(decode, data), options.rounds)
        print(f"| {name} | {len(data):,} | {encoding:.3f} | {decoding:.3f} |")


if __name__ == "__main__":
    main()
