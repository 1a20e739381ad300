"""The connection file: which worker-to-worker connections were promised a rate, and their budget.

What a topology is promised and what it may pay are settings of its own; where its executors run,
and so which connections carry its streams, Nimbus knows.
"""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from eyewall_deploy.choices import choices
from eyewall_deploy.wan import state_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from eyewall_deploy.measure.nimbus import Executor, RunningTopology, Stream

VERSION: Final = 1
PROMISED: Final = "eyewall.rate.promised.mbit"
"""Component → Mbit/s that each of its streams carries, over all executors."""
BUDGET: Final = "eyewall.budget.per.mb"
"""What may be paid for carrying a megabyte over dedicated links; without it, whatever it takes."""

MOST: Final = 1_000_000
"""Of the Mbit/s that are promised, and of a budget: more than any link of a cluster file."""

_BYTES_PER_SECOND: Final = 1e6 / 8
_MEGABYTE: Final = 1e6


class PromiseError(ValueError):
    """A promise that cannot be kept track of; names key, value and what is allowed."""


@dataclass(frozen=True, slots=True)
class Promise:
    """What a topology was promised.

    Parameters
    ----------
    rates
        Component → bytes/s of each of its streams.
    budget
        What may be paid for a byte; None is unlimited.
    """

    rates: Mapping[str, float]
    budget: float | None


@dataclass(frozen=True, slots=True, order=True)
class Connection:
    """From a host to a worker on another host, and its share of its topology's promise."""

    topology: str
    source: str
    target: str
    port: int
    promised: float
    """Bytes/s."""
    budget: float | None
    """Of one byte."""


def read_promise(conf: Mapping[str, Any]) -> Promise | None:
    """Read a topology's promise from its configuration; None where it has none."""
    given = conf.get(PROMISED)
    if given is None:
        return None
    if isinstance(given, str):
        given = _from_text(given)
    if not isinstance(given, dict) or not all(_is_amount(it) for it in given.values()):
        raise PromiseError(
            f"{PROMISED} is {given!r}; it must be a map from components to Mbit/s, "
            f"each from 0 to {MOST}"
        )
    budget = conf.get(BUDGET)
    if budget is not None and not _is_amount(budget):
        raise PromiseError(f"{BUDGET} is {budget!r}; it must be a number from 0 to {MOST}")
    return Promise(
        rates={component: mbit * _BYTES_PER_SECOND for component, mbit in given.items()},
        budget=None if budget is None else budget / _MEGABYTE,
    )


def connections_of(
    topology: RunningTopology, streams: Iterable[Stream], promise: Promise
) -> tuple[Connection, ...]:
    """The connections that carry promised streams from host to host, with what each has to carry.

    A stream's rate is divided evenly among the executors at both ends; with an `all` grouping
    each executor at the target has the whole of it. Between executors of one host nothing is
    needed.
    """
    executors: dict[str, list[Executor]] = defaultdict(list)
    for executor in topology.slots:
        executors[executor.component].append(executor)
    streams = tuple(streams)
    # Not those that have an executor: for a while, a component may have none that is placed.
    components = sorted({end for it in streams for end in (it.source, it.target)} | {*executors})
    for component in promise.rates:
        if component not in components:
            known = choices("components", components, component)
            raise PromiseError(f"{topology.name}: {PROMISED}: no component {component}; {known}")
    rates: dict[tuple[str, str, int], float] = defaultdict(float)
    for stream in streams:
        sources, targets = executors[stream.source], executors[stream.target]
        shares = len(sources) * (1 if stream.grouping == "all" else len(targets))
        rate = promise.rates.get(stream.source, 0.0)
        for source in sources if rate else ():
            for target in targets:
                here, there = topology.slots[source], topology.slots[target]
                if here.host != there.host:
                    rates[here.host, there.host, there.port] += rate / shares
    return tuple(
        Connection(topology.name, *ends, rate, promise.budget)
        for ends, rate in sorted(rates.items())
    )


def write(path: Path, connections: Sequence[Connection], *, as_of: float) -> None:
    """Put the connections in place of the file; `as_of` in seconds since the epoch."""
    rows = [
        {
            "topology": it.topology,
            "source": it.source,
            "target": it.target,
            "port": it.port,
            "promised": it.promised,
            "budget": it.budget,
        }
        for it in connections
    ]
    state_file.put(path, {"version": VERSION, "as_of": as_of, "connections": rows})


def _from_text(given: str) -> object:
    """A map that came as text, since streamparse's own `-o` has no maps; else the text itself."""
    try:
        found: object = json.loads(given)
    except ValueError:
        return given
    return found


def _is_amount(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= MOST
