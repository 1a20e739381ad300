"""What a decision leaves behind: what was decided for a topology, from what, and why.

Written by the sidecar to ROOT/v1/decisions/DAY/ID for each new decision, read by `eyewall history`
and the dashboard. A record holds all that was known when the decision was made; nothing in it
changes later.

An id is MILLISECONDS-RUN-NUMBER: when, and which of the decisions of one life of a sidecar. Ids
sort by time, and a record that is written twice, because an answer was lost, is there once.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated, Final

from msgspec import Meta, Struct
from msgspec.structs import replace

from eyewall_contracts.codec import RecordCodec
from eyewall_contracts.errors import ContractError
from eyewall_contracts.field_types import Amount, Count, Number, Rows

MOST_MOVES: Final = 2_000
"""That a record names; `moves_left_out` counts the others."""
MOST_ASSUMPTIONS: Final = 20
LONGEST_TEXT: Final = 4_000

_ID: Final = re.compile(r"([0-9]{13})-[0-9a-f]{1,16}-[0-9]{6,9}")
_LAST: Final = 10**13 - 1

DecisionId = Annotated[
    str,
    Meta(
        pattern=rf"^{_ID.pattern}\Z",
        description="MILLISECONDS-RUN-NUMBER, such as 1760000000000-5f1c1a0e-000012",
    ),
]
Text = Annotated[str, Meta(max_length=LONGEST_TEXT, description="text of at most 4000 characters")]


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

    @property
    def is_executed(self) -> bool:
        """Whether the decision's moves were made."""
        return self in (Verdict.PLACED, Verdict.MOVED)


class MetricChange(Struct, frozen=True, array_like=True, gc=False):
    """One metric of a placement: of what runs, and of what was found."""

    name: Text
    """A term's letter, or `objective`: what is optimised."""
    before: Number | None = None
    """None: nothing ran, or not all of it."""
    after: Number | None = None
    """In seconds, tuples/s …; None: nothing was found."""
    unit: Text = ""
    """Of both: `bytes/s`. Empty: the term's own, in which T, N and EE count tuples."""


class ExecutorMove(Struct, frozen=True, array_like=True, gc=False):
    """One executor's change of host, by the names of hosts."""

    executor: Text
    """As people read it: `tag[3-4]`."""
    source: Text
    """Empty: it did not run."""
    target: Text


class RejectedMoves(Struct, frozen=True, array_like=True, gc=False):
    """How many of all moves of one executor a constraint forbids."""

    constraint: Text
    moves: Count


class DecisionRecord(Struct, frozen=True):
    """One decision.

    Parameters
    ----------
    id
        When it was made, and which it is.
    topology
        Storm's id of it.
    verdict, said
        What was decided, and the log's line of it.
    base
        Names the assignment that it was computed from.
    policy, objective, seed
        The request to the policy; empty, or None, where there was none.
    status, decided_by
        How much is known about the answer (`optimal`, `heuristic` …), and what found it.
    seconds, evaluated
        How long that took, and how many placements were evaluated; None: nothing was found.
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
        What was assumed, as sentences for a person.
    delays_age, delays_confidence
        Seconds since the oldest delay was measured, and the confidence, 0 to 1, of the least
        certain one that a stream crosses; None: not known.
    rates_age
        Seconds since the topology's rates were estimated; None: not known.
    price
        Seconds by which tuples are later while the move's workers start, for each tuple/s; None:
        nothing moves, or a person ordered it.
    gain_least, gain_greatest
        Seconds by which a tuple was predicted to arrive earlier; None: the objective predicts none.
    outcome_of, outcome
        The move that this decision looks back on, by its id, and what was measured of it; empty:
        it looks back on none.
    overlaps
        Whether the old workers of a move serve on until its new ones carry tuples.
    """

    id: DecisionId
    topology: Text
    verdict: Verdict
    said: Text = ""
    base: Text = ""
    policy: Text = ""
    objective: Text = ""
    seed: Count | None = None
    status: Text = ""
    decided_by: Text = ""
    seconds: Amount | None = None
    evaluated: Count | None = None
    bound: Number | None = None
    gap: Amount | None = None
    metrics: Annotated[tuple[MetricChange, ...], Rows] = ()
    moves: Annotated[tuple[ExecutorMove, ...], Rows] = ()
    moves_left_out: Count = 0
    workers_started: Count | None = None
    possible: Count | None = None
    rejected: Annotated[tuple[RejectedMoves, ...], Rows] = ()
    assumptions: Annotated[tuple[Text, ...], Rows] = ()
    delays_age: Amount | None = None
    delays_confidence: Amount | None = None
    rates_age: Amount | None = None
    price: Amount | None = None
    gain_least: Number | None = None
    gain_greatest: Number | None = None
    outcome_of: Text = ""
    outcome: Text = ""
    overlaps: bool = False

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
    """Return when a decision was made, by its id; ContractError if it is none."""
    found = _ID.fullmatch(id_)
    if found is None:
        raise ContractError(
            f"decision {id_!r:.80}: it must be MILLISECONDS-RUN-NUMBER, "
            "such as 1760000000000-5f1c1a0e-000012"
        )
    return int(found[1]) / 1000


def day_of(time: float) -> str:
    """Return the day, in UTC, under which decisions of that time are kept."""
    return datetime.fromtimestamp(time, UTC).strftime("%Y-%m-%d")


def encode_decision(record: DecisionRecord) -> bytes:
    """Return a record as JSON, with as many moves as fit into a znode.

    ContractError if it does not fit without any, or if it could not be read again.
    """
    short = replace(
        record,
        said=_shorten(record.said),
        assumptions=tuple(_shorten(it) for it in record.assumptions[:MOST_ASSUMPTIONS]),
    )
    count = min(len(record.moves), MOST_MOVES)
    while True:
        left_out = record.moves_left_out + len(record.moves) - count
        try:
            return CODEC.encode(replace(short, moves=record.moves[:count], moves_left_out=left_out))
        except ContractError:
            if count == 0:
                raise
            count //= 2


def _shorten(text: str) -> str:
    return text if len(text) <= LONGEST_TEXT else f"{text[: LONGEST_TEXT - 1]}…"


CODEC: Final = RecordCodec("decision", DecisionRecord, printable=False)
decode_decision: Final = CODEC.decode
