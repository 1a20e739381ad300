"""Estimated rates and delays compared with the true ones, on a running cluster."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING, Any

from eyewall_deploy.measure.tuple_events import read_events

from benchmarks.loop.cluster import print_progress, start_cluster, wait_for

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from eyewall_contracts.rates import Rates, StreamRate
    from eyewall_deploy.measure.tuple_events import TupleEvents

    from benchmarks.loop.cluster import RunningCluster

NAME = "tag_and_count"
EXECUTORS = 13
"""One source, five operators of two, one consumer and an acker."""
CHAIN = ("source", "tokenise", "tag", "filter", "count", "rank", "consumer")
STREAMS = tuple(pairwise(CHAIN))
BEFORE_FILTER = frozenset(CHAIN[:3])
"""These send at the source's rate, the others at the consumer's."""
SELECTIVITY = 0.5
PINS = {"source": ["edge-1"], "consumer": ["edge-2"]}
ENOUGH_SAMPLES = 10
"""Samples required of the twelve in a window of a minute."""
READINGS, APART = 6, 10.0
PATIENCE = 240.0
BRACKETS = (2.0, 6.0, 1000.0)
"""Upper limits, in milliseconds, of the groups of host pairs."""


@dataclass(frozen=True, slots=True)
class RateReading:
    """One stream's estimated rate, and its true rate in the minute before.

    Parameters
    ----------
    asked
        The configured sentences/s of the source.
    error
        Half of the estimate's own 95 % interval.
    """

    asked: float
    source: str
    target: str
    true: float
    estimated: float
    error: float
    confidence: float
    age: float

    @property
    def off_by(self) -> float:
        """Relative to the truth."""
        return abs(self.estimated - self.true) / self.true if self.true else float("inf")


def options(rate: float, events: Path) -> dict[str, object]:
    """Return the settings of Tag-and-Count; half of the sentences pass the filter."""
    return {
        "eyewall.pin": PINS,
        "measure.dir": str(events),
        "topology.workers": 4,
        "tag_and_count.rate": rate,
        "tag_and_count.selectivity": SELECTIVITY,
        "tag_and_count.cpu.ms": 1,
    }


def true_rate(events: TupleEvents, source: str, start: float, end: float) -> float:
    """Return the tuples/s that `source` sent, counted at the source or at the consumer."""
    if source in BEFORE_FILTER:
        times = [*events.emitted.values(), *(at for _, at in events.failed)]
    else:
        times = [sighting.at for sighting in events.arrivals]
    return sum(start <= at < end for at in times) / (end - start)


def streams_of(document: Rates | None) -> dict[tuple[str, str], StreamRate]:
    """Return the topology's own streams in the document, by sender and receiver."""
    rows = document.streams if document is not None else ()
    found = {(it.source, it.component): it for it in rows if it.stream == "default"}
    return {ends: found[ends] for ends in STREAMS if ends in found}


def measure_rates(folder: Path, asked: Sequence[float]) -> list[RateReading]:
    """Run Tag-and-Count at one source rate after the other, and read each stream's rate."""
    found: list[RateReading] = []
    with start_cluster("three-sites", folder / "run") as it:
        for rate in asked:
            print_progress(f"{rate:g} sentences/s")
            events = folder / f"events-{rate:g}"
            events.mkdir()
            it.submit(NAME, options(rate, events))
            found += _readings(it, rate, events)
            it.run("kill", NAME)
    return found


def _readings(it: RunningCluster, asked: float, events: Path) -> list[RateReading]:
    topology = it.placed(NAME, EXECUTORS).id

    def whole() -> Rates | None:
        document = it.rates(topology)
        streams = streams_of(document).values()
        enough = len(streams) == len(STREAMS) and all(
            stream.rate.samples >= ENOUGH_SAMPLES for stream in streams
        )
        return document if enough else None

    wait_for(whole, PATIENCE, f"{ENOUGH_SAMPLES} samples of each stream's rate")
    found = []
    for _ in range(READINGS):
        document, now, happened = it.rates(topology), time.time(), read_events(events)
        for (source, target), stream in streams_of(document).items():
            estimate = stream.rate
            assert document is not None
            start = estimate.until - document.window
            found.append(
                RateReading(
                    *(asked, source, target),
                    true_rate(happened, source, start, estimate.until),
                    *(estimate.value, estimate.error),
                    *(estimate.confidence_at(now), estimate.age(now)),
                )
            )
        time.sleep(APART)
    return found


def rates_table(found: Sequence[RateReading]) -> str:
    """Return a row for each stream at each rate: the last reading, and the errors of all."""
    lines = [
        (
            "| source /s | stream | true /s | estimated /s | own error | off by | confidence "
            f"| age, s | of {READINGS} readings: median | largest |"
        ),
        "| --- " * 10 + "|",
    ]
    for asked in dict.fromkeys(it.asked for it in found):
        for ends in STREAMS:
            of_it = [x for x in found if (x.asked, x.source, x.target) == (asked, *ends)]
            if not of_it:
                continue
            it, off = of_it[-1], [x.off_by for x in of_it]
            lines.append(
                f"| {asked:g} | {it.source} → {it.target} | {it.true:.2f} | {it.estimated:.2f} "
                f"| ± {it.error:.2f} | {it.off_by:.1%} | {it.confidence:.2f} | {it.age:.1f} "
                f"| {median(off):.1%} | {max(off):.1%} |"
            )
    every = [it.off_by for it in found]
    inside = sum(abs(it.estimated - it.true) <= it.error for it in found)
    lines.append(
        f"\n{len(found)} readings: median error {median(every):.1%}, greatest {max(every):.1%}; "
        f"{inside} of them are within the estimate's own error."
    )
    return "\n".join(lines)


def measure_delays(folder: Path, name: str) -> tuple[str, dict[str, Any]]:
    """Start a cluster and wait until all pairs are measured; return its table and its figures."""
    with start_cluster(name, folder / "run", "--mode", "namespaces") as it:
        up = time.monotonic()

        def all_measured() -> float | None:
            summary = it.delays()
            done = summary is not None and summary.measured == summary.pairs
            return time.monotonic() - up if done else None

        waited = wait_for(all_measured, PATIENCE, "all pairs measured")
        # The median of a pair's last probes is stable from the fifth on.
        time.sleep(2 * APART)
        table = it.run("delays")
        found: dict[str, Any] = json.loads(it.run("delays", "--json"))
    lines = [
        f"All pairs measured {waited:.1f} s after `up` was done; {2 * APART:g} s later:\n",
        *_brackets(found["pairs"]),
        f"\n```\n{table.rstrip()}\n```",
    ]
    return "\n".join(lines), found


def _brackets(pairs: Iterable[dict[str, Any]]) -> Iterable[str]:
    """Yield a table with a row for each group of pairs of similar delay."""
    yield "| true delay, ms | pairs | off by | largest | off by, ms | coordinates alone |"
    yield "| --- | --- | --- | --- | --- | --- |"
    above = 0.0
    for until in BRACKETS:
        rows = [
            it for it in pairs if it["found"] is not None and above < 1000 * it["true"] <= until
        ]
        if rows:
            true = [1000 * it["true"] for it in rows]
            errors = [it["error"] for it in rows]
            absolute = median(1000 * abs(it["found"] - it["true"]) for it in rows)
            alone = [it["coordinates_error"] for it in rows if it["coordinates"] is not None]
            yield (
                f"| {min(true):g} to {max(true):g} | {len(rows)} | {median(errors):.1%} "
                f"| {max(errors):.1%} | {absolute:.2f} | {median(alone):.1%} |"
            )
        above = until
