"""One line of Storm's GraphiteStormReporter, read.

    storm.worker.TOPOLOGY.HOST.COMPONENT.STREAM.TASK.PORT-METRIC-NAME.count VALUE SECONDS
    storm.worker.TOPOLOGY.HOST.COMPONENT.TASK.PORT-METRIC VALUE SECONDS

Storm writes dots of hosts, components and streams as underscores, and Graphite's client writes
blanks as hyphens; names at the end keep their dots. Read in Storm 2.8.3: StormMetricRegistry,
TaskMetrics, JCQueueMetrics.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import Final

from eyewall_contracts.field_types import LONGEST_NAME

_MOST: Final = 2**53


class Metric(Enum):
    """What of Storm's metrics is used, by Storm's name of it."""

    EXECUTED = "__execute-count"
    EMITTED = "__emit-count"
    TRANSFERRED = "__transfer-count"
    ACKED = "__ack-count"
    FAILED = "__fail-count"
    EXECUTE_LATENCY = "__execute-latency"
    PROCESS_LATENCY = "__process-latency"
    COMPLETE_LATENCY = "__complete-latency"
    CAPACITY = "__capacity"
    QUEUE_POPULATION = "receive-queue-population"
    QUEUE_CAPACITY = "receive-queue-capacity"
    QUEUE_OVERFLOW = "receive-queue-overflow"


COUNTERS: Final = frozenset(
    {Metric.EXECUTED, Metric.EMITTED, Metric.TRANSFERRED, Metric.ACKED, Metric.FAILED}
)
_OF_A_STREAM: Final = {
    f"{metric.value}-": metric
    for metric in (
        *COUNTERS,
        *(Metric.EXECUTE_LATENCY, Metric.PROCESS_LATENCY, Metric.COMPLETE_LATENCY),
    )
}
_OF_A_TASK: Final = {
    metric.value: metric
    for metric in (Metric.QUEUE_POPULATION, Metric.QUEUE_CAPACITY, Metric.QUEUE_OVERFLOW)
}
_OF_INPUTS_ONLY: Final = frozenset(
    {Metric.EXECUTED, Metric.EXECUTE_LATENCY, Metric.PROCESS_LATENCY}
)
_OF_OUTPUTS_ONLY: Final = frozenset({Metric.EMITTED, Metric.TRANSFERRED, Metric.COMPLETE_LATENCY})


class Refusal(StrEnum):
    """Why a line was not taken; the name under which it is counted."""

    NO_METRIC = "no metric"
    BAD_VALUE = "bad value"


class Unused:
    """A metric that is one of Storm's or a user's, and that nobody here needs."""


UNUSED: Final = Unused()


@dataclass(frozen=True, slots=True)
class Measurement:
    """One value of one task.

    Parameters
    ----------
    source
        Component that sent the tuples; None of what the task itself sent, and of its queue.
    stream
        None of what belongs to no stream.
    value
        A count; seconds of a latency.
    time
        Seconds since the epoch, as the worker's clock had it.
    """

    topology: str
    port: int
    component: str
    task: int
    metric: Metric
    source: str | None
    stream: str | None
    value: float
    time: int


def parse(line: bytes) -> Measurement | Unused | Refusal:
    """Read a line without its end; whatever it holds, this returns."""
    try:
        name, value, time = line.decode().split(" ")
    except ValueError:
        return Refusal.NO_METRIC
    parts = name.split(".", 7)
    if parts[0] != "storm" or not 7 <= len(parts) <= 8 or not name.isprintable():
        return Refusal.NO_METRIC
    if parts[1] == "topology":
        return UNUSED
    if parts[1] != "worker" or not time.isascii() or not time.isdigit() or len(time) > 12:
        return Refusal.NO_METRIC
    topology, component = parts[2], parts[4]
    where = _of_stream(parts) if len(parts) == 8 else None
    where = where or _of_task(parts)
    if where is None:
        return UNUSED if _ends_well(parts) else Refusal.NO_METRIC
    metric, source, stream, task, port = where
    number = _value(value, metric)
    if number is None:
        return Refusal.BAD_VALUE
    names = (topology, component, source or "-", stream or "-")
    if not all(0 < len(text) <= LONGEST_NAME for text in names):
        return Refusal.NO_METRIC
    return Measurement(topology, port, component, task, metric, source, stream, number, int(time))


_Where = tuple[Metric, str | None, str | None, int, int]


def _of_stream(parts: list[str]) -> _Where | None:
    """Read COMPONENT.STREAM.TASK.PORT-METRIC-NAME."""
    stream, task_text, rest = parts[5:]
    place = _place(task_text, rest)
    if place is None:
        return None
    task, port, metric_text = place
    if metric_text == Metric.CAPACITY.value:
        return Metric.CAPACITY, None, None, task, port
    prefix = metric_text[: metric_text.find("-", metric_text.find("-") + 1) + 1]
    metric = _OF_A_STREAM.get(prefix)
    if metric is None:
        return None
    name = metric_text[len(prefix) :]
    if metric in COUNTERS:
        if not name.endswith(".count"):
            return None
        name = name[: -len(".count")]
    name = name.replace(".", "_")
    if name == stream and metric not in _OF_INPUTS_ONLY:
        return metric, None, stream, task, port
    if name.endswith(f":{stream}") and metric not in _OF_OUTPUTS_ONLY:
        return metric, name[: -len(stream) - 1], stream, task, port
    return None


def _of_task(parts: list[str]) -> _Where | None:
    """Read COMPONENT.TASK.PORT-METRIC."""
    place = _place(parts[5], parts[6]) if len(parts) == 7 else None
    metric = None if place is None else _OF_A_TASK.get(place[2])
    return None if place is None or metric is None else (metric, None, None, place[0], place[1])


def _place(task: str, rest: str) -> tuple[int, int, str] | None:
    """Read TASK and PORT-METRIC."""
    port, hyphen, metric = rest.partition("-")
    if not hyphen or not _is_number(task) or not _is_number(port):
        return None
    return int(task), int(port), metric


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 9


def _ends_well(parts: list[str]) -> bool:
    """Whether it is a metric at all: a task (-1 is the worker's own) and a port with a name."""
    return any(
        _place(task.removeprefix("-"), rest) is not None
        for task, rest in ((parts[5], parts[6]), (parts[-2], parts[-1]))
    )


def _value(text: str, metric: Metric) -> float | None:
    """Read what such a metric can be: finite and not negative; a count whole."""
    try:
        number = float(text)
    except ValueError:
        return None
    if not math.isfinite(number) or not 0 <= number <= _MOST:
        return None
    if metric in COUNTERS and not number.is_integer():
        return None
    milliseconds = metric.value.endswith("-latency")
    return number / 1000 if milliseconds else number
