"""Lines as Storm's workers write them."""

from __future__ import annotations

from eyewall_monitor.agent.graphite import COUNTERS, Measurement, Metric

HOST = "edge-1"


def line(it: Measurement, host: str = HOST) -> bytes:
    """What Storm would have written."""
    stream = it.stream or ("default" if it.metric is Metric.CAPACITY else None)
    path = ".".join(
        ["storm.worker", it.topology, host, it.component, *([stream] if stream else [])]
    )
    name = it.metric.value
    if it.stream is not None:
        name += f"-{it.stream}" if it.source is None else f"-{it.source}:{it.stream}"
    if it.metric in COUNTERS:
        name += ".count"
    value = f"{it.value * 1000:.2f}" if name.find("-latency") > 0 else f"{it.value:.0f}"
    if it.metric is Metric.CAPACITY:
        value = f"{it.value:.2f}"
    return f"{path}.{it.task}.{it.port}-{name} {value} {it.time}".encode()
