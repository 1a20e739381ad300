"""Operators that stand for several executors: spread out, with their streams, by the grouping."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import fsum

from eyewall_sidecar.model import Operator, ProblemError, Stream
from eyewall_sidecar.model.errors import unknown
from eyewall_sidecar.problem_file.schema import (
    MOST_EXECUTORS,
    MOST_PAIRS,
    Grouping,
    OperatorEntry,
    ProblemEntry,
    StreamEntry,
)

ASSUMED_SHUFFLE = frozenset({Grouping.DIRECT, Grouping.CUSTOM})
PREFER_NEAR = frozenset({Grouping.SHUFFLE, Grouping.LOCAL_OR_SHUFFLE})
"""Groupings by which tuples go to executors on the sender's node, if there are any."""
UNSHARED = frozenset({Grouping.ALL, Grouping.GLOBAL})


@dataclass(frozen=True, slots=True)
class Expansion:
    """A file's application, executor by executor.

    Parameters
    ----------
    operators, streams
        Of the problem.
    executors
        Operator of the file → its executors' ids: `tag#1`, `tag#2`, or just `tag` for one.
    assumptions
        Sentences on what the file did not say.
    """

    operators: tuple[Operator, ...]
    streams: tuple[Stream, ...]
    executors: Mapping[str, tuple[str, ...]]
    assumptions: tuple[str, ...]


def expand(file: ProblemEntry) -> Expansion:
    """Spread every operator and stream of the file over executors."""
    _check_executors(file)
    executors = {entry.id: _ids(entry) for entry in file.operators}
    streams: list[Stream] = []
    assumptions: list[str] = []
    for entry in file.streams:
        for end in (entry.source, entry.target):
            if end not in executors:
                raise ProblemError(f"{_name(entry)}: {unknown('operator', end, executors)}")
        receivers = executors[entry.target]
        streams += _expand_stream(entry, executors[entry.source], receivers, len(streams))
        if entry.grouping in ASSUMED_SHUFFLE and entry.shares is None and len(receivers) > 1:
            assumptions.append(
                f"{_name(entry)}: no shares are given for its {entry.grouping} grouping; "
                "assumed that it spreads its tuples evenly"
            )
    operators = [_operator(entry, name) for entry in file.operators for name in executors[entry.id]]
    return Expansion(tuple(operators), tuple(streams), executors, tuple(assumptions))


def _check_executors(file: ProblemEntry) -> None:
    total = sum(entry.executors for entry in file.operators)
    if total > MOST_EXECUTORS:
        raise ProblemError(
            f"operators have {total} executors together; they may have {MOST_EXECUTORS} at most"
        )


def _ids(entry: OperatorEntry) -> tuple[str, ...]:
    if entry.executors == 1:
        return (entry.id,)
    return tuple(f"{entry.id}#{number}" for number in range(1, entry.executors + 1))


def _operator(entry: OperatorEntry, name: str) -> Operator:
    if entry.pinned_to and entry.candidates:
        raise ProblemError(f"operator {entry.id}: give pinned_to or candidates, not both")
    candidates = entry.pinned_to or entry.candidates
    return Operator(
        name,
        entry.cpu,
        entry.memory,
        entry.execution_time,
        None if candidates is None else tuple(candidates),
        entry.demand,
        entry.demand_error,
        entry.reserved,
        tuple((entry.resources or {}).items()),
    )


def _expand_stream(
    entry: StreamEntry, senders: tuple[str, ...], receivers: tuple[str, ...], before: int
) -> list[Stream]:
    """Return the streams between executors that carry something under the grouping.

    `before` of them were there already.
    """
    if entry.shuffle is not None and (entry.grouping is not None or entry.system):
        other = "system is true" if entry.system else f"its grouping is {entry.grouping}"
        raise ProblemError(
            f"{_name(entry)}: shuffle is {entry.shuffle!r}, but {other}; give shuffle only for "
            "streams without a grouping, and none for system streams"
        )
    if entry.grouping is None and len(senders) * len(receivers) > 1:
        raise ProblemError(
            f"{_name(entry)}: an operator with executors needs a grouping; "
            f"groupings are {', '.join(Grouping)}"
        )
    shares = zip(receivers, _shares(entry, len(receivers)), strict=True)
    reached = [(receiver, share) for receiver, share in shares if share > 0]
    if before + len(senders) * len(reached) > MOST_PAIRS:
        raise ProblemError(
            f"{_name(entry)}: {len(senders)} senders and {len(reached)} receivers; "
            f"all streams together may join {MOST_PAIRS} pairs of executors at most"
        )
    shuffle = entry.shuffle
    if entry.grouping in PREFER_NEAR and entry.shares is None and not entry.system:
        shuffle = entry.target
    return [
        Stream(
            sender,
            receiver,
            entry.rate / len(senders) * share,
            entry.tuple_bytes,
            entry.system,
            shuffle,
        )
        for sender in senders
        for receiver, share in reached
    ]


def _shares(entry: StreamEntry, receivers: int) -> list[float]:
    """Return the fraction of a sender's tuples that each receiving executor gets."""
    if entry.shares is not None:
        _check_shares(entry, entry.shares, receivers)
        return entry.shares
    if entry.grouping is Grouping.ALL:
        return [1.0] * receivers
    if entry.grouping is Grouping.GLOBAL:
        return [1.0] + [0.0] * (receivers - 1)
    return [1.0 / receivers] * receivers


def _check_shares(entry: StreamEntry, shares: list[float], receivers: int) -> None:
    if entry.grouping in UNSHARED:
        raise ProblemError(f"{_name(entry)}: a stream grouped as {entry.grouping} has no shares")
    if len(shares) != receivers:
        raise ProblemError(
            f"{_name(entry)}: {len(shares)} shares for {receivers} executors of {entry.target}; "
            "give one for each"
        )
    if abs(fsum(shares) - 1) > 1e-6:
        raise ProblemError(f"{_name(entry)}: shares sum to {fsum(shares):g}; they must sum to 1")


def _name(entry: StreamEntry) -> str:
    return f"stream {entry.source} → {entry.target}"
