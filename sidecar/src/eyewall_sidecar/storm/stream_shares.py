"""How a stream's tuples are spread over pairs of executors, by its grouping.

What single tasks gave out and took in is used where it is known and uneven by more than chance. Not
so for a problem where shuffles prefer tasks nearby: what tasks get then changes with the placement
that is looked for, so these tuples are spread evenly, and `Stream.shuffle` says the rest.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping

from eyewall_sidecar.storm.cluster import Component, Executor, Grouping, Topology
from eyewall_sidecar.storm.topology_estimates import MeasuredTopology, MeasuredValue

EVEN_WITHIN = 0.25
"""Executors that differ from their mean by less than this part of it, or by less than the error
that they are known with, are taken as even.

Storm counts one tuple in twenty, so alike executors never show alike; and executors that are alike
can be exchanged, which makes problems easier to solve."""


def prefers_near(grouping: Grouping, topology: Topology) -> bool:
    """Return whether tuples go to executors near the sender, if there are any."""
    is_shuffle = grouping is Grouping.SHUFFLE and topology.load_aware
    return is_shuffle or grouping is Grouping.LOCAL_OR_SHUFFLE


def is_shuffled(component: Component, topology: Topology) -> bool:
    """Return whether what its executors get depends on where they are, and on nothing else.

    They are alike then: what was measured of each belongs to where it ran. Where some of its tuples
    come by key, nobody knows which of what was measured is due to that; its shuffles are taken to
    be even.
    """
    own = [it for it in component.inputs if not it.stream.startswith("__")]
    return any(prefers_near(it.grouping, topology) for it in own) and all(
        prefers_near(it.grouping, topology) or it.grouping in (Grouping.ALL, Grouping.NONE)
        for it in own
    )


def spread(
    topology: Topology,
    source: Component,
    target: Component,
    stream: str,
    grouping: Grouping,
    rate: float,
    measured: MeasuredTopology,
) -> Iterator[tuple[Executor, Executor, float]]:
    """Tuples/s from each executor of the source to each of the target, for a problem.

    Parameters
    ----------
    rate
        Tuples/s that the source gives out on the stream, each counted once.
    measured
        What is known of single tasks.
    """
    given, taken = shares(source, target, stream, grouping, measured)
    if is_shuffled(source, topology):
        given = parts_by_tasks(source.executors)
    if is_shuffled(target, topology):
        taken = taken if grouping is Grouping.ALL else parts_by_tasks(target.executors)
    for one, part in given.items():
        for other, its in taken.items():
            yield one, other, rate * part * its


def shares(
    source: Component,
    target: Component,
    stream: str,
    grouping: Grouping,
    measured: MeasuredTopology,
) -> tuple[dict[Executor, float], dict[Executor, float]]:
    """Which part of a stream's tuples each executor of the source gives, which each target's gets.

    The parts of those who give add up to 1; so do those of who gets, but under `all` each task gets
    every tuple. Both are empty if one of the components has no executors.
    """
    receivers = target.executors[:1] if grouping is Grouping.GLOBAL else target.executors
    if not source.executors or not receivers:
        return {}, {}
    given = parts(source.executors, lambda task: measured.emitted.get((task, stream)))
    if grouping is Grouping.ALL:
        return given, {it: float(len(tasks(it))) for it in receivers}
    return given, parts(receivers, lambda task: measured.received.get((task, source.id, stream)))


def parts_by_tasks(executors: tuple[Executor, ...]) -> dict[Executor, float]:
    """Give each executor a part of the whole for each of its tasks: Storm spreads over tasks."""
    whole = sum(len(tasks(it)) for it in executors)
    return {it: len(tasks(it)) / whole for it in executors}


def parts(
    executors: tuple[Executor, ...], of_task: Callable[[int], MeasuredValue | None]
) -> dict[Executor, float]:
    """Each executor's part of the whole: as measured where that is uneven, else the same."""
    known = {it: [of_task(task) for task in tasks(it)] for it in executors}
    sums = even_out({it: add(one for one in found if one) for it, found in known.items()})
    total = sum(sums.values())
    if total <= 0:
        return parts_by_tasks(executors)
    return {it: value / total for it, value in sums.items()}


def add(figures: Iterable[MeasuredValue]) -> MeasuredValue:
    """Add figures up; their errors add up at worst."""
    known = list(figures)
    return MeasuredValue(sum(it.value for it in known), sum(it.error for it in known))


def even_out(figures: Mapping[Executor, MeasuredValue]) -> dict[Executor, float]:
    """Give each executor the mean of the component's tasks, if none is known to be far from it."""
    whole = sum(it.value for it in figures.values())
    means = {it: whole * part for it, part in parts_by_tasks(tuple(figures)).items()}
    if all(
        abs(figure.value - means[it]) <= max(EVEN_WITHIN * means[it], figure.error)
        for it, figure in figures.items()
    ):
        return means
    return {it: figure.value for it, figure in figures.items()}


def tasks(executor: Executor) -> range:
    """Return the ids of the tasks that an executor runs."""
    return range(executor.first_task, executor.last_task + 1)
