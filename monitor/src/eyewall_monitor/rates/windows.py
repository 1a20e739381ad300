"""The aggregation, the same over a stream and over the archive: sliding windows of event time."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final

from pyspark.sql import functions as f

from eyewall_monitor.rates.figures import WindowGroup, WindowSample

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import DataFrame

KEYS: Final = ("topology", "kind", "component", "source", "stream")


def group_by_window(rows: DataFrame, window: float, slide: float) -> DataFrame:
    """Samples by window and by what they are about.

    They are collected, not added up: the estimator looks at their order, and a sum over tasks at
    when each reported. A window holds a dozen of each task.
    """
    return rows.groupBy(f.window("time", f"{window:g} seconds", f"{slide:g} seconds"), *KEYS).agg(
        f.collect_list(
            f.struct(
                "task",
                f.col("time").cast("double").alias("until"),
                *("seconds", "amount", "base", "extra", "step", "host", "port"),
            )
        ).alias("samples")
    )


def groups(windows: DataFrame) -> Iterator[WindowGroup]:
    """What an aggregation gives, as values."""
    table = windows.select(
        f.col("window.start").cast("double").alias("start"), *KEYS, "samples"
    ).toArrow()
    *keys, samples = table.combine_chunks().columns
    lists = samples.combine_chunks()
    flat = lists.flatten()
    values = map(WindowSample._make, zip(*(it.to_pylist() for it in flat.flatten()), strict=True))
    for *key, length in zip(
        *(it.to_pylist() for it in keys), lists.value_lengths().to_pylist(), strict=True
    ):
        yield WindowGroup._make((*key, tuple(islice(values, length))))


def fullest(found: Iterator[WindowGroup]) -> list[WindowGroup]:
    """Of each thing the window that reaches furthest back among those with its last sample."""
    best: dict[tuple[str, ...], WindowGroup] = {}
    for it in found:
        key = it[1:6]
        known = best.get(key)
        if known is None or (it.until, -it.start) > (known.until, -known.start):
            best[key] = it
    return list(best.values())
