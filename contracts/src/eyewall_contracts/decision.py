"""What a decision leaves behind: what was decided for a topology, from what, and why.

Written by the sidecar to ROOT/v1/decisions/DAY/ID whenever it decides anything new, read by
`eyewall history` and the dashboard. A record tells of one decision all that was known when it was
made; nothing in it changes later.

An id is MILLISECONDS-RUN-NUMBER: when, and which of the decisions of one life of a sidecar. So ids
sort by time, and a record that is written twice, because an answer got lost, is there once.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from eyewall_contracts import checked
from eyewall_contracts.znodes import ZnodeError, decode_document, encode_document

if TYPE_CHECKING:
    from collections.abc import Callable

VERSION: Final = 1
MOST_MOVES: Final = 2_000
"""That a record names; how many more there were is in `moves_left_out`."""
MOST_ASSUMPTIONS: Final = 20
LONGEST_TEXT: Final = 4_000

_ID: Final = re.compile(r"([0-9]{13})-[0-9a-f]{1,16}-[0-9]{6,9}")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
"""Half of a character, which nobody can print."""
_LAST: Final = 10**13 - 1


class Verdict(StrEnum):
    """What was decided."""

    PLACED = "placed"
    """Executors that had no slot got one."""
    MOVED = "moved"
    """Executors that ran were moved."""
    KEPT = "kept"
    """The topology stays as it is."""
    DECLINED = "declined"
    """Left to the inner scheduler."""


class Metric(NamedTuple):
    """One of a placement's metrics: with what runs, and with what was found."""

    name: str
    """R, A, T, N or EE, or `objective`: what is optimised."""
    before: float | None
    """None: nothing ran, or not all of it."""
    after: float | None
    """In seconds, tuples/s …; None: nothing was found."""


class Move(NamedTuple):
    """One executor's change of host, by the names of hosts."""

    executor: str
    """As people read it: `tag[3-4]`."""
    source: str
    """Empty: it did not run."""
    target: str


class Rejection(NamedTuple):
    """What one constraint forbids, of all moves of one executor."""

    constraint: str
    moves: int


@dataclass(frozen=True, slots=True)
class DecisionRecord:
    """One decision.

    Parameters
    ----------
    id
        When it was made, and which it is.
    topology
        Storm's id of it.
    verdict, said
        What was decided, and the line of the log that tells it.
    base
        Names the assignment that it was computed from.
    policy, objective, seed
        What was asked; empty, or None, where nothing could be asked.
    status, decided_by
        How much is known about the answer (`optimal`, `heuristic` …), and what found it.
    seconds, evaluated
        How long that took, and how many placements were looked at; None: nothing was found.
    bound, gap
        As far as something is proven.
    metrics
        Before and after, by the model.
    moves, moves_left_out
        What would change its host: that was done if the verdict is placed or moved.
    workers_started
        Worker processes that the decision starts; None if it changes nothing.
    possible, rejected
        Moves of one executor alone that no constraint forbids, and what forbids the others; None
        where there was no time to look.
    assumptions
        What was taken for granted, as sentences for a person.
    delays_age, delays_confidence
        Seconds since the oldest delay was measured, and how much the least certain of those is
        worth, 0 to 1, that a stream crosses.
    rates_age
        Seconds since the topology's rates were estimated. None of an input: not known.
    """

    id: str
    topology: str
    verdict: Verdict
    said: str
    base: str = ""
    policy: str = ""
    objective: str = ""
    seed: int | None = None
    status: str = ""
    decided_by: str = ""
    seconds: float | None = None
    evaluated: int | None = None
    bound: float | None = None
    gap: float | None = None
    metrics: tuple[Metric, ...] = ()
    moves: tuple[Move, ...] = ()
    moves_left_out: int = 0
    workers_started: int | None = None
    possible: int | None = None
    rejected: tuple[Rejection, ...] = ()
    assumptions: tuple[str, ...] = ()
    delays_age: float | None = None
    delays_confidence: float | None = None
    rates_age: float | None = None

    @property
    def time(self) -> float:
        """Seconds since the epoch."""
        return time_of(self.id)


def record_id(time: float, run: str, number: int) -> str:
    """Return the id of a decision; `run` is of hexadecimal digits."""
    made = f"{min(max(0, int(time * 1000)), _LAST):013d}-{run}-{number:06d}"
    time_of(made)
    return made


def is_id(text: str) -> bool:
    """Whether this is the id of a decision."""
    return _ID.fullmatch(text) is not None


def time_of(id_: str) -> float:
    """Return when a decision was made, by its id; ZnodeError if it is none."""
    found = _ID.fullmatch(id_)
    if found is None:
        raise ZnodeError(
            f"decision {id_!r:.80}: it must be MILLISECONDS-RUN-NUMBER, "
            "such as 1760000000000-5f1c1a0e-000012"
        )
    return int(found[1]) / 1000


def day_of(time: float) -> str:
    """Return the day, in UTC, under which decisions of that time are kept."""
    return datetime.fromtimestamp(time, UTC).strftime("%Y-%m-%d")


def encode(record: DecisionRecord) -> bytes:
    """JSON of a record, with as many moves as fit into a znode.

    ZnodeError if it does not fit without any, or if nobody could read it.
    """
    short = replace(
        record,
        said=_cut(record.said),
        assumptions=tuple(_cut(it) for it in record.assumptions[:MOST_ASSUMPTIONS]),
    )
    count = min(len(record.moves), MOST_MOVES)
    while True:
        left_out = record.moves_left_out + len(record.moves) - count
        content = replace(short, moves=record.moves[:count], moves_left_out=left_out)
        try:
            data = encode_document({name: getattr(content, name) for name in _FIELDS}, VERSION)
        except ZnodeError:
            if count == 0:
                raise
            count //= 2
            continue
        decode(data)
        return data


def decode(data: bytes) -> DecisionRecord:
    """Read a record; ZnodeError (of a later version NewerVersionError) names what is wrong."""
    taken = checked.Object(decode_document(data, VERSION), "decision")
    try:
        return DecisionRecord(**{name: taken(name, check) for name, check in _FIELDS.items()})
    except checked.BadValueError as error:
        raise ZnodeError(str(error)) from None


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_TEXT else f"{text[: LONGEST_TEXT - 1]}…"


def _text(value: object, where: str) -> str:
    if not isinstance(value, str) or len(value) > LONGEST_TEXT or _SURROGATE.search(value):
        raise checked.BadValueError(f"{where} is {value!r:.80}; it must be text")
    return value


def _id(value: object, where: str) -> str:
    time_of(text := _text(value, where))
    return text


def _verdict(value: object, where: str) -> Verdict:
    try:
        return Verdict(_text(value, where))
    except ValueError:
        allowed = ", ".join(Verdict)
        raise checked.BadValueError(f"{where} is {value!r:.80}; it must be {allowed}") from None


_NUMBER: Final = checked.or_none(checked.number)
_AMOUNT: Final = checked.or_none(checked.amount)
_COUNT: Final = checked.or_none(checked.count)
_FIELDS: Final[dict[str, Callable[[object, str], Any]]] = {
    "id": _id,
    "topology": _text,
    "verdict": _verdict,
    "said": _text,
    "base": _text,
    "policy": _text,
    "objective": _text,
    "seed": _COUNT,
    "status": _text,
    "decided_by": _text,
    "seconds": _AMOUNT,
    "evaluated": _COUNT,
    "bound": _NUMBER,
    "gap": _AMOUNT,
    "metrics": checked.rows(checked.row(Metric, (_text, _NUMBER, _NUMBER))),
    "moves": checked.rows(checked.row(Move, (_text, _text, _text))),
    "moves_left_out": checked.count,
    "workers_started": checked.or_none(checked.count),
    "possible": _COUNT,
    "rejected": checked.rows(checked.row(Rejection, (_text, checked.count))),
    "assumptions": checked.rows(_text),
    "delays_age": _AMOUNT,
    "delays_confidence": _AMOUNT,
    "rates_age": _AMOUNT,
}
