"""What flows in one topology and what it costs, as estimated from its hosts' reports.

Written by the rates job to ROOT/v1/rates/TOPOLOGY, read by the sidecar and the dashboard. Things
that come by the hundred are rows: lists of the values in the order of the class's fields, an
estimate among them likewise.

The reports tell what each task took from each stream and gave out on each, never which task sent
to which: what follows for pairs of tasks is up to who knows the streams' groupings.
Storm's own streams (`__ack_init` …) stand among the others: they carry traffic too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from eyewall_contracts import checked
from eyewall_contracts.znodes import ZnodeError, decode_document, encode_document

if TYPE_CHECKING:
    from collections.abc import Callable

VERSION: Final = 1
FRESH_SECONDS: Final = 15.0
"""An estimate's age up to which nothing is taken from its confidence."""
HALF_LIFE_SECONDS: Final = 30.0
"""In which an older estimate loses half of its confidence."""
_DIGITS: Final = 6


class Estimate(NamedTuple):
    """One quantity over the last samples: where it is now, and how it went in the window.

    Its unit is the quantity's: tuples/s of rates, CPU-seconds per tuple of costs.
    """

    value: float
    """Now, as far as known: what to compute with."""
    error: float
    """Half the width of the 95 % interval of `value`; the step of Storm's sampled counters is in
    it."""
    mean: float
    """Over the window; steps and spikes are in it."""
    spread: float
    """Standard deviation of the samples over the window."""
    p95: float
    """Of the samples over the window."""
    trend: float
    """What `value` gains in a second."""
    samples: int
    until: float
    """Seconds since the epoch: the end of the last sample."""
    confidence: float
    """0 to 1, at `until`: from the error and from how few the samples are."""

    def age(self, now: float) -> float:
        """Seconds since the last sample."""
        return max(0.0, now - self.until)

    def confidence_at(self, now: float) -> float:
        """Confidence, less what the estimate's age takes from it."""
        old = max(0.0, self.age(now) - FRESH_SECONDS)
        return float(self.confidence * 0.5 ** (old / HALF_LIFE_SECONDS))


class StreamRate(NamedTuple):
    """Tuples/s that all tasks of a component take together from one stream of another."""

    source: str
    stream: str
    component: str
    tasks: int
    """That were seen; fewer than the component has: the rest is unknown, not zero."""
    skew: float
    """What the busiest task takes, in multiples of an even share: 1 is even, `tasks` is all."""
    rate: Estimate
    tuple_bytes: float | None
    """None: Storm tells no sizes."""


class TaskRate(NamedTuple):
    """Tuples/s that one task takes from one stream."""

    task: int
    component: str
    source: str
    stream: str
    host: str
    port: int
    """Worker in which the rate was measured: `localOrShuffle` gives another one elsewhere."""
    rate: Estimate


class Emission(NamedTuple):
    """What all tasks of a component give out on one stream."""

    component: str
    stream: str
    tasks: int
    rate: Estimate
    """Tuples/s emitted, each counted once however many tasks get it."""
    copies: float | None
    """Tasks that get a tuple, on average; None: nothing was emitted."""
    selectivity: Estimate | None
    """Tuples emitted for each one taken in, ticks and acks aside; None: unknown, or a spout."""


class TaskEmission(NamedTuple):
    """What one task gives out on one stream."""

    task: int
    component: str
    stream: str
    rate: Estimate
    selectivity: Estimate | None


class Cost(NamedTuple):
    """CPU-seconds for each tuple taken in (of a spout: given out), over all tasks."""

    component: str
    tasks: int
    cost: Estimate
    cores: Estimate
    """CPU-seconds per second of all its tasks together."""


class TaskCost(NamedTuple):
    """CPU-seconds for each tuple of one task."""

    task: int
    component: str
    cost: Estimate | None
    """None: it took nothing in."""
    cores: Estimate
    apart: bool
    """Whether its thread could be told from others; if not, CPU was shared out by busy time."""


@dataclass(frozen=True, slots=True)
class Rates:
    """All that is known of one topology."""

    topology: str
    run: str
    """One life of the job's checkpoint: batches are numbered within it."""
    batch: int
    """The batch that wrote it; the same batch written again changes nothing."""
    written: float
    """Seconds since the epoch."""
    window: float
    """Seconds that means, spreads and percentiles are over."""
    lost: int
    """Reports of any host that are missing in the window: torn by retention, by a Redis that
    forgot, dropped by an agent, or rejected."""
    late: int
    """Samples of any host that came too late to be used, in the window."""
    troubled: float
    """Seconds since the epoch: when `lost` or `late` was last counted; 0: never."""
    streams: tuple[StreamRate, ...] = ()
    inputs: tuple[TaskRate, ...] = ()
    emissions: tuple[Emission, ...] = ()
    outputs: tuple[TaskEmission, ...] = ()
    costs: tuple[Cost, ...] = ()
    task_costs: tuple[TaskCost, ...] = ()
    left_out: int = 0
    """Rows of single tasks that did not fit into a znode."""


def encode(rates: Rates) -> bytes:
    """JSON of a document; ZnodeError if it does not fit into a znode."""
    content: dict[str, Any] = {name: getattr(rates, name) for name in _PLAIN}
    content |= {name: round(content[name], 3) for name in ("written", "troubled")}
    for name in ROWS:
        content[name] = [_rounded(row) for row in getattr(rates, name)]
    return encode_document(content, VERSION)


def decode(data: bytes) -> Rates:
    """Read a document; ZnodeError (of a later version NewerVersionError) names what is wrong."""
    taken = checked.Object(decode_document(data, VERSION), "rates")
    try:
        content: dict[str, Any] = {name: taken(name, check) for name, check in _PLAIN.items()}
        content |= {name: taken(name, checked.rows(check)) for name, check in ROWS.items()}
        return Rates(**content)
    except checked.BadValueError as error:
        raise ZnodeError(str(error)) from None


def _rounded(value: Any) -> Any:
    """Six digits are more than any estimate has; times keep theirs."""
    if isinstance(value, Estimate):
        *figures, until, confidence = value
        return [*map(_rounded, figures), round(until, 3), round(confidence, 3)]
    if isinstance(value, tuple):
        return [_rounded(it) for it in value]
    if isinstance(value, float):
        return float(f"{value:.{_DIGITS}g}")
    return value


def _share(value: object, where: str) -> float:
    found = checked.amount(value, where)
    if found > 1:
        raise checked.BadValueError(f"{where} is {found:g}; it must be a number from 0 to 1")
    return found


def _flag(value: object, where: str) -> bool:
    if not isinstance(value, bool):
        raise checked.BadValueError(f"{where} is {value!r:.80}; it must be true or false")
    return value


_NAME, _COUNT, _AMOUNT, _TASK = checked.name, checked.count, checked.amount, checked.whole
_ESTIMATE: Final = checked.row(Estimate, (*[_AMOUNT] * 5, checked.number, _COUNT, _AMOUNT, _share))
_MAYBE: Final = checked.or_none(_ESTIMATE)
_SIZE: Final = checked.or_none(_AMOUNT)

_PLAIN: Final[dict[str, Callable[[object, str], Any]]] = {
    "topology": _NAME,
    "run": _NAME,
    "batch": _COUNT,
    "written": _AMOUNT,
    "window": _AMOUNT,
    "lost": _COUNT,
    "late": _COUNT,
    "troubled": _AMOUNT,
    "left_out": _COUNT,
}
ROWS: Final[dict[str, Callable[[object, str], Any]]] = {
    "streams": checked.row(StreamRate, (_NAME, _NAME, _NAME, _COUNT, _AMOUNT, _ESTIMATE, _SIZE)),
    "inputs": checked.row(TaskRate, (_TASK, _NAME, _NAME, _NAME, checked.host, _COUNT, _ESTIMATE)),
    "emissions": checked.row(Emission, (_NAME, _NAME, _COUNT, _ESTIMATE, _SIZE, _MAYBE)),
    "outputs": checked.row(TaskEmission, (_TASK, _NAME, _NAME, _ESTIMATE, _MAYBE)),
    "costs": checked.row(Cost, (_NAME, _COUNT, _ESTIMATE, _ESTIMATE)),
    "task_costs": checked.row(TaskCost, (_TASK, _NAME, _MAYBE, _ESTIMATE, _flag)),
}
"""Names of the lists of rows, and how each row is read."""
