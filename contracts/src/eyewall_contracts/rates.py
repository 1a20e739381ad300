"""What flows in one topology and what it costs, as estimated from its hosts' reports.

Written by the rates job to ROOT/v1/rates/TOPOLOGY, read by the sidecar and the dashboard. All but
the document itself are rows (see `codec`).

The reports say what each task received from each stream and emitted on each, never which task sent
to which: what follows for pairs of tasks depends on the streams' groupings.
Storm's own streams (`__ack_init` …) are included: they carry traffic too.
"""

from __future__ import annotations

from typing import Annotated, Final

from msgspec import Struct

from eyewall_contracts.codec import RecordCodec
from eyewall_contracts.field_types import (
    Amount,
    Count,
    HostName,
    Name,
    Number,
    Rows,
    Share,
    Time,
    Whole,
)

FRESH_SECONDS: Final = 15.0
"""An estimate's age up to which its confidence is whole."""
HALF_LIFE_SECONDS: Final = 30.0
"""In which an older estimate loses half of its confidence."""


class Estimate(Struct, frozen=True, array_like=True, gc=False):
    """One quantity over the last samples: its present value, and its course in the window.

    The unit is the quantity's: tuples/s of rates, CPU-seconds per tuple of costs.
    """

    value: Amount
    """Now, as far as known: what to compute with."""
    error: Amount
    """Half the width of the 95 % interval of `value`; the step of Storm's sampled counters is in
    it."""
    mean: Amount
    """Over the window; steps and spikes are in it."""
    spread: Amount
    """Standard deviation of the samples over the window."""
    p95: Amount
    """Of the samples over the window."""
    trend: Number
    """What `value` gains in a second."""
    samples: Count
    until: Time
    """Seconds since the epoch: the end of the last sample."""
    confidence: Share
    """At `until`: from the error and from how few the samples are."""

    def age(self, now: float) -> float:
        """Seconds since the last sample."""
        return max(0.0, now - self.until)

    def confidence_at(self, now: float) -> float:
        """Confidence, reduced by the estimate's age."""
        old = max(0.0, self.age(now) - FRESH_SECONDS)
        return float(self.confidence * 0.5 ** (old / HALF_LIFE_SECONDS))


class StreamRate(Struct, frozen=True, array_like=True, gc=False):
    """Tuples/s that all tasks of a component receive together from one stream of another."""

    source: Name
    stream: Name
    component: Name
    tasks: Count
    """That were seen; fewer than the component has: the rest is unknown, not zero."""
    skew: Amount
    """What the busiest task receives, in multiples of an even share: 1 is even, `tasks` is all."""
    rate: Estimate
    tuple_bytes: Amount | None = None
    """None: Storm reports no sizes."""


class TaskRate(Struct, frozen=True, array_like=True, gc=False):
    """Tuples/s that one task receives from one stream."""

    task: Whole
    component: Name
    source: Name
    stream: Name
    host: HostName
    port: Count
    """Worker in which the rate was measured: `localOrShuffle` gives another one elsewhere."""
    rate: Estimate


class Emission(Struct, frozen=True, array_like=True, gc=False):
    """What all tasks of a component emit on one stream."""

    component: Name
    stream: Name
    tasks: Count
    rate: Estimate
    """Tuples/s emitted, each counted once however many tasks receive it."""
    copies: Amount | None = None
    """Tasks that receive a tuple, on average; None: nothing was emitted."""
    selectivity: Estimate | None = None
    """Tuples emitted for each one received, ticks and acks aside; None: unknown, or a spout."""


class TaskEmission(Struct, frozen=True, array_like=True, gc=False):
    """What one task emits on one stream."""

    task: Whole
    component: Name
    stream: Name
    rate: Estimate
    selectivity: Estimate | None = None


class ComponentCost(Struct, frozen=True, array_like=True, gc=False):
    """CPU-seconds for each tuple received (of a spout: emitted), over all tasks."""

    component: Name
    tasks: Count
    cost: Estimate
    cores: Estimate
    """CPU-seconds per second of all its tasks together."""


class TaskCost(Struct, frozen=True, array_like=True, gc=False):
    """CPU-seconds for each tuple of one task."""

    task: Whole
    component: Name
    cost: Estimate | None
    """None: it received nothing."""
    cores: Estimate
    apart: bool = False
    """Whether its CPU was measured by thread; if not, it was shared out by busy time."""


class Rates(Struct, frozen=True):
    """All that is known of one topology."""

    topology: Name
    run: Name
    """One life of the job's checkpoint: batches are numbered within it."""
    batch: Count
    """The batch that wrote it; the same batch written again changes nothing."""
    written: Time
    """Seconds since the epoch."""
    window: Amount = 0.0
    """Seconds that means, spreads and percentiles are over."""
    lost: Count = 0
    """Reports of any host that are missing in the window: torn by retention, by a Redis that
    forgot, dropped by an agent, or rejected."""
    late: Count = 0
    """Samples of any host that came too late to be used, in the window."""
    troubled: Time = 0.0
    """Seconds since the epoch: when `lost` or `late` was last counted; 0: never."""
    left_out: Count = 0
    """Rows of single tasks that did not fit into a znode."""
    streams: Annotated[tuple[StreamRate, ...], Rows] = ()
    inputs: Annotated[tuple[TaskRate, ...], Rows] = ()
    emissions: Annotated[tuple[Emission, ...], Rows] = ()
    outputs: Annotated[tuple[TaskEmission, ...], Rows] = ()
    costs: Annotated[tuple[ComponentCost, ...], Rows] = ()
    task_costs: Annotated[tuple[TaskCost, ...], Rows] = ()


def six_digits(value: float) -> float:
    """Round to six significant digits: more than any estimate has, and a third of the bytes."""
    return float(f"{value:.6g}")


CODEC: Final = RecordCodec("rates", Rates)
encode_rates: Final = CODEC.encode
decode_rates: Final = CODEC.decode
