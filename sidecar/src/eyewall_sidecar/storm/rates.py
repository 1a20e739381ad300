"""How many tuples per second flow from executor to executor: measured, declared or assumed.

Each of n × m pairs of executors carries its share of what the component as a whole emits, as
the stream's grouping spreads it. A measured rate takes precedence over a hint; a rate that
neither gives is assumed, and the assumption is reported.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import isnan, nan

from eyewall_sidecar.messages import Code, Message, message
from eyewall_sidecar.model.path_order import path_order
from eyewall_sidecar.storm.cluster import (
    Component,
    ComponentKind,
    Executor,
    Grouping,
    Input,
    Topology,
)
from eyewall_sidecar.storm.stream_shares import is_shuffled, prefers_near, shares, spread, tasks
from eyewall_sidecar.storm.topology_estimates import MeasuredTopology, MeasuredValue

ASSUMED_RATE = 1.0
"""Tuples/s of a stream without a measured or hinted rate."""
SYSTEM_TUPLE_BYTES = 50.0
"""Of an ack or a metric: two numbers of eight bytes, ids of stream and task, and Netty's frame."""
METRICS_RATE = 1 / 60
"""Tuples/s of metrics from one executor: topology.builtin.metrics.bucket.size.secs is 60."""

ACKER = "__acker"
INIT = "__ack_init"
ACK = "__ack_ack"
SILENT = frozenset({"__ack_fail", "__ack_reset_timeout", "__eventlog", "__tick", "__system"})
"""Storm's streams that carry nothing while all goes well; they decide no placement."""
GUESSED = frozenset({Grouping.DIRECT, Grouping.CUSTOM})
"""Groupings that choose who sends to whom, which the tuples that each received do not show."""
NOTHING_MEASURED = MeasuredTopology()

StreamId = tuple[str, str]
"""Component and stream."""


@dataclass(frozen=True, slots=True)
class Flow:
    """What goes from one executor to another, all streams of the pair that spread alike together.

    Parameters
    ----------
    rate
        Tuples/s.
    system
        Whether these are acks and metrics rather than the topology's own tuples.
    tuple_bytes
        Their mean size; None where a stream's is unknown.
    shuffle
        What the source's tuples are shuffled to: the target's component. None: they are not.
    """

    source: Executor
    target: Executor
    rate: float
    system: bool
    tuple_bytes: float | None = None
    shuffle: str | None = None


@dataclass(frozen=True, slots=True)
class ComponentStream:
    """A stream that one component subscribes to from another, as a whole.

    Parameters
    ----------
    source, target
        Between which components.
    stream, grouping
        As the target subscribes to it.
    rate
        Tuples/s that the source gives out, each counted once however many get it.
    system
        Carries acks or metrics.
    error
        Half the width of the 95 % interval of a measured rate; None: it is hinted, derived or
        assumed.
    """

    source: Component
    target: Component
    stream: str
    grouping: Grouping
    rate: float
    system: bool
    error: float | None

    @property
    def measured(self) -> bool:
        """Whether the rate was measured."""
        return self.error is not None

    def between(
        self, where: Mapping[Executor, str], measured: MeasuredTopology = NOTHING_MEASURED
    ) -> dict[tuple[str, str], float]:
        """Return (host, host) → tuples/s, for executor → host; the same host twice included."""
        given, taken = shares(self.source, self.target, self.stream, self.grouping, measured)
        giving, getting = _summed_by_host(given, where), _summed_by_host(taken, where)
        return {
            (one, other): self.rate * part * its
            for one, part in giving.items()
            for other, its in getting.items()
        }

    @property
    def received_rate(self) -> float:
        """Tuples/s that all executors of the target get together."""
        return self.rate * self._copies

    @property
    def received_error(self) -> float | None:
        """Half the width of its 95 % interval; None: it was not measured."""
        return None if self.error is None else self.error * self._copies

    @property
    def _copies(self) -> int:
        return _copies(self.target, self.grouping)


def flows(
    topology: Topology,
    hints: Mapping[str, float],
    measured: MeasuredTopology = NOTHING_MEASURED,
    sizes: Mapping[str, float] | None = None,
) -> tuple[tuple[Flow, ...], tuple[Message, ...]]:
    """Return the flows between executors, and what was assumed.

    Parameters
    ----------
    hints
        Component or `component:stream` → tuples/s that it emits.
    sizes
        Component or `component:stream` → mean bytes of the tuples that it emits.
    """
    streams, assumptions = component_streams(topology, hints, measured)
    rates: dict[tuple[Executor, Executor, bool, str | None], float] = {}
    bytes_per_second: dict[tuple[Executor, Executor, bool, str | None], float] = {}
    evenly: dict[str, None] = {}
    guessed: dict[str, None] = {}
    for it in streams:
        if it.grouping in GUESSED and not it.system and len(it.target.executors) > 1:
            seen = (it.source.id, it.stream, it.target.id) in measured.streams
            named = guessed if seen else evenly
            named[f"{it.source.id} → {it.target.id} ({it.grouping})"] = None
        near = prefers_near(it.grouping, topology) and is_shuffled(it.target, topology)
        shuffle = it.target.id if near else None
        for one, other, share in spread(
            topology, it.source, it.target, it.stream, it.grouping, it.rate, measured
        ):
            if one != other:
                pair = (one, other, it.system, shuffle)
                rates[pair] = rates.get(pair, 0.0) + share
                size = _tuple_bytes(it, sizes or {})
                bytes_per_second[pair] = bytes_per_second.get(pair, 0.0) + share * size
    if evenly:
        assumptions += (message(Code.SPREAD_EVENLY, streams=list(evenly)),)
    if guessed:
        assumptions += (message(Code.SPREAD_GUESSED, streams=list(guessed)),)
    found = (
        Flow(one, other, rate, sys, _mean_size(bytes_per_second[one, other, sys, to], rate), to)
        for (one, other, sys, to), rate in rates.items()
    )
    return tuple(found), assumptions


def _tuple_bytes(stream: ComponentStream, sizes: Mapping[str, float]) -> float:
    """Return the mean size of a stream's tuples; nan where it is unknown."""
    if not sizes:
        return nan
    if stream.system:
        return SYSTEM_TUPLE_BYTES
    source = stream.source.id
    return sizes.get(f"{source}:{stream.stream}", sizes.get(source, nan))


def _mean_size(bytes_per_second: float, rate: float) -> float | None:
    if isnan(bytes_per_second):
        return None
    return bytes_per_second / rate if rate > 0 else 0.0


def component_streams(
    topology: Topology, hints: Mapping[str, float], measured: MeasuredTopology = NOTHING_MEASURED
) -> tuple[tuple[ComponentStream, ...], tuple[Message, ...]]:
    """Return the streams between components with their rates, and what was assumed."""
    components = {it.id: it for it in topology.components}
    known = _measured(topology, measured)
    rates = {name: figure.value for name, figure in known.items()}
    emitted, assumptions = emitted_rates(topology, {**hints, **rates})
    received = {
        it.id: sum(_arriving(it, wanted, emitted) for wanted in _own_inputs(components, it))
        for it in topology.components
    }
    found: list[ComponentStream] = []
    for target in topology.components:
        for wanted in target.inputs:
            source = components.get(wanted.source)
            if source is None or wanted.stream in SILENT:
                continue
            system = _is_system(components, target, wanted)
            seen = measured.streams.get((source.id, wanted.stream, target.id))
            figure = seen if system else known.get(f"{wanted.source}:{wanted.stream}")
            if seen is not None and wanted.grouping in GUESSED:
                figure = min(figure or seen, seen, key=_part_of_error)
            error = None if figure is None else figure.error
            if figure is not None:
                rate = figure.value
            elif system:
                rate = _system_rate(source, target, wanted.stream, emitted, received)
            else:
                rate = emitted[wanted.source, wanted.stream]
            found.append(
                ComponentStream(source, target, wanted.stream, wanted.grouping, rate, system, error)
            )
    return tuple(found), assumptions


def _summed_by_host(
    parts: Mapping[Executor, float], where: Mapping[Executor, str]
) -> dict[str, float]:
    """Add up what executors that run give or get, host by host."""
    summed: dict[str, float] = {}
    for executor, part in parts.items():
        if (host := where.get(executor)) is not None:
            summed[host] = summed.get(host, 0.0) + part
    return summed


def unknown_streams(
    topology: Topology, hints: Mapping[str, float], measured: MeasuredTopology
) -> tuple[str, ...]:
    """Name the topology's own streams whose rate is neither measured nor hinted."""
    known = _measured(topology, measured)
    components = {it.id: it for it in topology.components}
    return tuple(
        dict.fromkeys(
            name
            for component in topology.components
            for wanted in _own_inputs(components, component)
            if (name := f"{wanted.source}:{wanted.stream}") not in known
            and name not in hints
            and wanted.source not in hints
        )
    )


def _measured(topology: Topology, measured: MeasuredTopology) -> dict[str, MeasuredValue]:
    """`component:stream` → tuples/s emitted, by the measurement that is known best.

    A receiver counts what it took from each of its inputs; one with a single input counts it more
    exactly than the emitter, whose sampler has streams to the acker, too
    (docs/design/metrics.md). One that hangs takes nothing, and knows that exactly: errors count by
    the size of what they are of. A grouping that chooses who gets what may send a tuple to several
    tasks, or to none: what its receiver took says nothing of others, and counts where all else is
    unknown.
    """
    found: dict[str, list[MeasuredValue]] = {}
    chosen: dict[str, list[MeasuredValue]] = {}
    for (component, stream), figure in measured.emissions.items():
        found.setdefault(f"{component}:{stream}", []).append(figure)
    components = {it.id: it for it in topology.components}
    for target in topology.components:
        for wanted in _own_inputs(components, target):
            seen = measured.streams.get((wanted.source, wanted.stream, target.id))
            if seen is not None and wanted.grouping is not Grouping.ALL:
                known = chosen if wanted.grouping in GUESSED else found
                known.setdefault(f"{wanted.source}:{wanted.stream}", []).append(seen)
    return {name: min(figures, key=_part_of_error) for name, figures in {**chosen, **found}.items()}


def _part_of_error(figure: MeasuredValue) -> float:
    return figure.error / (figure.value + 1)


def emitted_rates(
    topology: Topology, hints: Mapping[str, float]
) -> tuple[dict[StreamId, float], tuple[Message, ...]]:
    """Tuples/s that each component emits on each of its own streams, and what was assumed.

    Without any hint all rates are equal. Otherwise a component without one emits as much as it
    receives (selectivity 1), divided equally among its streams.
    """
    components = {it.id: it for it in topology.components}
    streams: dict[str, list[str]] = {name: [] for name in components}
    for component in topology.components:
        for wanted in _own_inputs(components, component):
            if wanted.stream not in streams[wanted.source]:
                streams[wanted.source].append(wanted.stream)
    if not hints:
        equal = {(name, it): ASSUMED_RATE for name, known in streams.items() for it in known}
        return equal, (message(Code.RATES_EQUAL),)
    emitted: dict[StreamId, float] = {}
    selective: list[str] = []
    assumed: list[str] = []
    for name in _upstream_first(components):
        receiver = components[name]
        inputs = list(_own_inputs(components, receiver))
        for wanted in inputs:
            if (wanted.source, wanted.stream) not in emitted:
                emitted[wanted.source, wanted.stream] = _hint(hints, wanted, ASSUMED_RATE)
                assumed.append(f"feedback from {wanted.source} to {name}")
        arriving = sum(_arriving(receiver, wanted, emitted) for wanted in inputs)
        if not inputs and streams[name] and not _is_hinted(name, streams[name], hints):
            assumed.append(name)
            arriving = ASSUMED_RATE
        elif streams[name] and not _is_hinted(name, streams[name], hints):
            selective.append(name)
        emitted |= _divided(name, streams[name], arriving, hints)
    assumptions = []
    if assumed:
        assumptions.append(message(Code.RATE_ASSUMED, streams=assumed, rate=ASSUMED_RATE))
    if selective:
        assumptions.append(message(Code.SELECTIVITY_ASSUMED, components=selective))
    return emitted, tuple(assumptions)


def _own_inputs(components: Mapping[str, Component], component: Component) -> Iterator[Input]:
    """Inputs that carry the topology's own tuples."""
    return (
        wanted
        for wanted in component.inputs
        if wanted.source in components and not _is_system(components, component, wanted)
    )


def _is_system(components: Mapping[str, Component], target: Component, wanted: Input) -> bool:
    ends = (target.kind, components[wanted.source].kind)
    return ComponentKind.SYSTEM in ends or wanted.stream.startswith("__")


def _upstream_first(components: Mapping[str, Component]) -> list[str]:
    edges = [
        (wanted.source, it.id)
        for it in components.values()
        for wanted in _own_inputs(components, it)
    ]
    return path_order(list(components), edges)


def _arriving(receiver: Component, wanted: Input, emitted: Mapping[StreamId, float]) -> float:
    """Tuples/s that all executors of the receiver get together from one input."""
    return emitted[wanted.source, wanted.stream] * _copies(receiver, wanted.grouping)


def _copies(receiver: Component, grouping: Grouping) -> int:
    """How often the receiver gets each tuple."""
    return sum(len(tasks(it)) for it in receiver.executors) if grouping is Grouping.ALL else 1


def _is_hinted(component: str, streams: list[str], hints: Mapping[str, float]) -> bool:
    return component in hints or all(f"{component}:{stream}" in hints for stream in streams)


def _hint(hints: Mapping[str, float], wanted: Input, otherwise: float) -> float:
    return hints.get(f"{wanted.source}:{wanted.stream}", hints.get(wanted.source, otherwise))


def _divided(
    component: str, streams: list[str], arriving: float, hints: Mapping[str, float]
) -> dict[StreamId, float]:
    """Divide what a component emits among its streams; hinted streams get their hint."""
    hinted = {it: hints[f"{component}:{it}"] for it in streams if f"{component}:{it}" in hints}
    others = [it for it in streams if it not in hinted]
    if component in hints and others:
        share = (hints[component] - sum(hinted.values())) / len(others)
    else:
        share = arriving / max(len(streams), 1)
    return {(component, it): hinted.get(it, max(share, 0.0)) for it in streams}


def _system_rate(
    source: Component,
    target: Component,
    stream: str,
    emitted: Mapping[StreamId, float],
    received: Mapping[str, float],
) -> float:
    """An ack for each tuple that a bolt gets, one note at its start and one at its end."""
    if stream == INIT:
        return _emitted_by(source.id, emitted)
    if stream == ACK and source.id == ACKER:
        return _emitted_by(target.id, emitted)
    if stream == ACK:
        return received[source.id]
    return METRICS_RATE * len(source.executors)


def _emitted_by(component: str, emitted: Mapping[StreamId, float]) -> float:
    return sum(rate for (source, _), rate in emitted.items() if source == component)
