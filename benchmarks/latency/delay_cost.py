"""The sidecar's CPU time for the delays of a full mesh, from Redis to the links of a problem.

    python -m benchmarks delays-mesh [--hosts 300 1000]

Starts a Redis and writes coordinates and round-trip times of every pair, then 2 % of them again.
Prints CPU seconds: of the first reading, of the second one, of the table that the sidecar holds
against jitter, of the delays that a topology on all hosts needs, and of their links.
"""

from __future__ import annotations

import argparse
import time
from random import Random
from typing import TYPE_CHECKING, Any, TypeVar

from eyewall_contracts.latency import HostCoordinate, RttRecord, encode_host, encode_rtt
from eyewall_contracts.stores.delay_reader import DelayReader
from eyewall_contracts.stores.latency_store import LatencyStore
from eyewall_sidecar.stores.held_delays import HeldDelays
from eyewall_sidecar.storm import KnownDelaysCache

from benchmarks.latency.delay_reading import LatencyRedis

if TYPE_CHECKING:
    from collections.abc import Callable

Result = TypeVar("Result")
CHANGED = 0.02


def fill(store: LatencyRedis, count: int, now: float, rng: Random, share: float) -> None:
    """Write all coordinates, and this share of the round-trip times."""
    names = [f"host-{it:04}" for it in range(count)]
    pipe = store.client.pipeline(transaction=False)
    for name in names:
        place = (rng.random() / 10, rng.random() / 10)
        record = HostCoordinate("10.0.0.1", 7078, place, now, 0.0002, 0.05)
        pipe.set(store.keys.host(name), encode_host(record))
        pipe.zadd(store.keys.members, {name: now})
    pipe.execute()
    for target in names:
        rtts: dict[Any, Any] = {
            source: encode_rtt(RttRecord(0.002 + rng.random() / 5, 0.0005, now - 30 * rng.random()))
            for source in names
            if source != target and rng.random() < share
        }
        if rtts:
            store.client.hset(store.keys.rtts(target), mapping=rtts)


def time_cpu(action: Callable[[], Result]) -> tuple[Result, float]:
    """Return the result, and the CPU seconds of this thread."""
    began = time.thread_time()
    return action(), time.thread_time() - began


def measure(count: int) -> str:
    """Return a row of the table."""
    rng, store = Random(count), LatencyRedis()
    now = float(store.client.time()[0])
    fill(store, count, now, rng, 1.0)
    latency = LatencyStore(store.url, store.keys.prefix)
    reader, held = DelayReader(latency), HeldDelays(0.3)
    reading, first = time_cpu(reader.read)
    held.table(reading, now)
    fill(store, count, now + 1, rng, CHANGED)
    reading, second = time_cpu(reader.read)
    table, table_seconds = time_cpu(lambda: held.table(reading, now + 1))
    known, known_seconds = time_cpu(
        lambda: KnownDelaysCache().get(table, table.hosts, (), trusted=True)
    )
    _, link_seconds = time_cpu(lambda: known.links([(it, it) for it in table.hosts]))
    latency.close()
    store.close()
    figures = (first, second, table_seconds, known_seconds, link_seconds)
    return f"| {count} | {' | '.join(f'{it:.3f}' for it in figures)} |"


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hosts", type=int, nargs="+", default=[300, 1000])
    options = parser.parse_args()
    print("| hosts | first reading | again | table | known delays | links |")
    print("| --- " * 6 + "|")
    for count in options.hosts:
        print(measure(count), flush=True)


if __name__ == "__main__":
    main()
