"""A topology's rates document, merged with the figures of a batch."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeVar

from eyewall_contracts.errors import ContractError
from eyewall_contracts.rates import (
    ComponentCost,
    Emission,
    Estimate,
    Rates,
    StreamRate,
    TaskCost,
    TaskEmission,
    TaskRate,
    encode_rates,
    six_digits,
)
from msgspec import Struct
from msgspec.structs import replace

from eyewall_monitor.rates.figures import Figures, figures, join
from eyewall_monitor.rates.rows import RowKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from eyewall_monitor.rates.figures import WindowGroup

_Row = TypeVar("_Row", bound=Struct)

_KEYS: Final[Mapping[type, tuple[str, ...]]] = {
    StreamRate: ("source", "stream", "component"),
    TaskRate: ("task", "source", "stream"),
    Emission: ("component", "stream"),
    TaskEmission: ("task", "stream"),
    ComponentCost: ("component",),
    TaskCost: ("task",),
}
_OF_TASKS: Final = ("task_costs", "outputs", "inputs")
"""What is left out first when a document gets too large."""


@dataclass(frozen=True, slots=True)
class Batch:
    """The figures of one batch.

    Parameters
    ----------
    hosts_lost
        Reports that are missing or rejected, by host and reason.
    """

    run: str
    number: int
    time: float
    topologies: Mapping[str, Figures]
    hosts_lost: Mapping[tuple[str, str], int]
    late: int

    @property
    def lost(self) -> int:
        """Reports that are missing or rejected."""
        return sum(self.hosts_lost.values())


def batch_of(run: str, number: int, time: float, found: Iterable[WindowGroup]) -> Batch:
    """Figures of a batch's windows, the fullest of each thing."""
    lists: defaultdict[str, list[Figures]] = defaultdict(list)
    lost: defaultdict[tuple[str, str], int] = defaultdict(int)
    late = 0
    for group in found:
        if group.kind == RowKind.LOST:
            for it in group.samples:
                lost[it.host, group.stream] += round(it.amount)
        elif group.kind == RowKind.LATE:
            late += len(group.samples)
        else:
            lists[group.topology].append(figures(group))
    topologies = {name: join(of) for name, of in lists.items()}
    return Batch(run, number, time, topologies, dict(lost), late)


def merge_batch(
    before: Rates | None, topology: str, batch: Batch, window: float, forget: float
) -> Rates | None:
    """Return the document after a batch; None if the one before has it already.

    Parameters
    ----------
    forget
        Seconds after which a row without new samples is left out.
    """
    if before is not None and before.run == batch.run and before.batch >= batch.number:
        return None
    found = batch.topologies.get(topology, Figures())
    content: dict[str, Any] = {}
    for name in Figures._fields:
        rows = {} if before is None else {_key(it): it for it in getattr(before, name)}
        for row in getattr(found, name):
            known = rows.get(_key(row))
            if known is None or _estimate(row).until >= _estimate(known).until:
                rows[_key(row)] = _round_row(row)
        content[name] = tuple(
            rows[key] for key in sorted(rows) if _estimate(rows[key]).age(batch.time) <= forget
        )
    trouble = batch.lost + batch.late > 0
    if before is None or trouble or batch.time - before.troubled >= window:
        lost, late, troubled = batch.lost, batch.late, round(batch.time, 3) if trouble else 0.0
    else:
        lost, late, troubled = before.lost, before.late, before.troubled
    return Rates(
        topology=topology,
        run=batch.run,
        batch=batch.number,
        written=round(batch.time, 3),
        window=window,
        lost=lost,
        late=late,
        troubled=troubled,
        **content,
    )


def encode_fitting(rates: Rates) -> bytes:
    """Encode; rows of single tasks are left out as far as they do not fit."""
    for names in ((), _OF_TASKS[:1], _OF_TASKS[:2], _OF_TASKS):
        left_out = sum(len(getattr(rates, name)) for name in names)
        nothing: dict[str, Any] = dict.fromkeys(names, ())
        shorter = replace(rates, left_out=left_out, **nothing)
        try:
            return encode_rates(shorter)
        except ContractError as error:
            refused = error
    raise refused


def _key(row: Any) -> tuple[Any, ...]:
    return tuple(getattr(row, name) for name in _KEYS[type(row)])


def _estimate(row: Any) -> Estimate:
    """The latest of a row: a ratio waits for enough tuples to be over."""
    values = (getattr(row, name) for name in row.__struct_fields__)
    return max((it for it in values if isinstance(it, Estimate)), key=lambda it: it.until)


def _round_row(row: _Row) -> _Row:
    """Round numbers to six digits, more than any estimate has; times and shares to three places."""
    places = {"until": 3, "confidence": 3}
    changes: dict[str, Any] = {}
    for name in row.__struct_fields__:
        value = getattr(row, name)
        if isinstance(value, Estimate):
            changes[name] = _round_row(value)
        elif isinstance(value, float):
            changes[name] = round(value, places[name]) if name in places else six_digits(value)
    return replace(row, **changes)
