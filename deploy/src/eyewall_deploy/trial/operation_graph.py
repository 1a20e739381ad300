"""The load topologies' shape `graph`: operations between a source and a sink."""

from __future__ import annotations

import re
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

SOURCE, SINK = "source", "sink"
USUAL: Final = "source:operator,operator:sink"
MOST_SELECTIVITY = 100.0
_NAME: Final = re.compile(r"[a-z][a-z0-9-]*")
_NUMBER: Final = re.compile(r"[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]{1,3})?")

Stream = tuple[str, str]


class OperationGraphError(ValueError):
    """A text that is no such graph; the message begins with the argument and its value."""


@dataclass(frozen=True, slots=True)
class OperationGraph:
    """Operations, and the streams between them.

    Parameters
    ----------
    streams
        They close no cycle; each operation is on a way from `SOURCE` to `SINK`.
    back
        Streams from an operation to itself or an earlier one, which passes nothing of them on.
    selectivities
        Operation → tuples that it emits for each one, where it is not the usual number.
    """

    streams: tuple[Stream, ...]
    back: tuple[Stream, ...]
    selectivities: Mapping[str, float]

    def tuples(self, selectivity: float) -> dict[str, float]:
        """Return operation → tuples that it gets for each one of the source.

        Parameters
        ----------
        selectivity
            The usual one.
        """
        inputs: dict[str, list[str]] = {}
        for start, end in self.streams:
            inputs.setdefault(end, []).append(start)
        gets: dict[str, float] = {}
        emits = {SOURCE: 1.0}
        for name in TopologicalSorter(inputs).static_order():
            if name != SOURCE:
                gets[name] = sum(emits[it] for it in inputs[name])
                emits[name] = gets[name] * self.selectivities.get(name, selectivity)
        for start, end in self.back:
            gets[end] += emits[start]
        del gets[SINK]
        return gets


def parse_graph(graph: str = USUAL, back: str = "", selectivities: str = "") -> OperationGraph:
    """Read `source:a,a:sink`, the same of streams back, and `a=0.5,b=2`.

    Raises OperationGraphError with the offender, its value and what is allowed.
    """
    streams, closing = tuple(_streams("graph", graph)), tuple(_streams("back", back))
    factors = dict(_factors(selectivities))
    _check(streams, closing, factors)
    return OperationGraph(streams, closing, factors)


def _check(
    streams: tuple[Stream, ...], closing: tuple[Stream, ...], factors: dict[str, float]
) -> None:
    names = dict.fromkeys(name for stream in streams for name in stream)
    operations = [it for it in names if it not in (SOURCE, SINK)]
    for start, end in streams:
        where = f"graph {start}:{end}"
        _require(where, "streams to operations or the sink", end != SOURCE)
        _require(where, "streams from operations or the source", start != SINK)
        _require(where, "each stream once", streams.count((start, end)) == 1)
    behind = _reached(SOURCE, streams)
    before = _reached(SINK, [(end, start) for start, end in streams])
    text = ",".join(f"{start}:{end}" for start, end in streams)
    _require(f"graph {text}", "a way from source to sink", SINK in behind)
    for it in operations:
        on_way = it in behind and it in before
        _require(f"graph {it}", "operations on a way from source to sink", on_way)
    sorter = TopologicalSorter[str]()
    for start, end in streams:
        sorter.add(end, start)
    try:
        sorter.prepare()
    except CycleError as error:
        cycle = " → ".join(reversed(error.args[1]))
        allowed = "streams that close no cycle; those that do are of back"
        raise OperationGraphError(f"graph {cycle}: allowed are {allowed}") from None
    for start, end in closing:
        known = start in operations and end in operations
        closes = known and (start == end or start in _reached(end, streams))
        once = closing.count((start, end)) == 1 and (start, end) not in streams
        allowed = "streams from an operation to itself or one before it, each once"
        _require(f"back {start}:{end}", allowed, closes and once)
    for it in factors:
        _require(f"selectivities {it}", ", ".join(operations), it in operations)


def _reached(name: str, streams: Iterable[Stream]) -> set[str]:
    found: set[str] = set()
    open_names = [name]
    while open_names:
        here = open_names.pop()
        for start, end in streams:
            if start == here and end not in found:
                found.add(end)
                open_names.append(end)
    return found


def _streams(argument: str, text: str) -> Iterator[Stream]:
    for part in _parts(text):
        start, _, end = part.partition(":")
        named = _NAME.fullmatch(start) and _NAME.fullmatch(end)
        _require(f"{argument} {part}", "FROM:TO, names of small letters, digits and -", named)
        yield start, end


def _factors(text: str) -> Iterator[tuple[str, float]]:
    seen = set[str]()
    for part in _parts(text):
        name, _, value = part.partition("=")
        factor = float(value) if _NUMBER.fullmatch(value) else -1.0
        where = f"selectivities {part}"
        _require(where, "OPERATION=NUMBER, from 0 to 100", 0 <= factor <= MOST_SELECTIVITY)
        _require(where, "each operation once", name not in seen)
        seen.add(name)
        yield name, factor


def _parts(text: str) -> list[str]:
    return text.split(",") if text else []


def _require(where: str, allowed: str, holds: object) -> None:
    if not holds:
        raise OperationGraphError(f"{where}: allowed are {allowed}")
