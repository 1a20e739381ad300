"""What people mean by a name, and why a question of theirs has no answer."""

from collections.abc import Collection, Sequence
from difflib import get_close_matches

from eyewall_sidecar.model.errors import listed
from eyewall_sidecar.service.seen import Seen
from eyewall_sidecar.storm import Executor, Topology, TopologyState
from eyewall_sidecar.storm.placement_problem import operator_id

NEAREST = 3
"""As many names are offered for one that is unknown."""
LONGEST_TASK = 10
"""Digits: Storm's tasks are 32-bit numbers."""


class UnanswerableError(Exception):
    """A question that has no answer; one sentence for a person."""


class BadQuestionError(UnanswerableError):
    """It makes no sense; names the offender, its value and what is allowed."""


class NotNowError(UnanswerableError):
    """It may have an answer later; says what it waits for."""


class UnknownNameError(UnanswerableError):
    """It names what is not there.

    `nearest` are the names that were perhaps meant, the nearest first.
    """

    def __init__(self, sentence: str, nearest: Sequence[str] = ()) -> None:
        super().__init__(sentence)
        self.nearest = tuple(nearest)


def require_seen(seen: Seen | None) -> Seen:
    """Return the last round; NotNowError if there was none yet."""
    if seen is None:
        raise NotNowError("no Nimbus has been heard yet: it asks in its first scheduling round")
    return seen


def topology_named(seen: Seen, name: str) -> TopologyState:
    """Find a topology by its name or by Storm's id."""
    states = seen.state.topologies
    for state in states:
        if name in (state.topology.id, state.topology.name):
            return state
    names = [it.topology.name for it in states]
    there = f"topologies are {listed(sorted(names))}" if names else "there are no topologies"
    ids = [it.topology.id for it in states]
    raise UnknownNameError(f"no topology {name}; {there}", nearest(name, [*names, *ids]))


def executor_named(topology: Topology, name: str) -> Executor:
    """Find an executor: `tag[3-4]`, a component that has only one, or the id of a task."""
    names = {operator_id(of, it): it for it, of in topology.executors().items()}
    if name in names:
        return names[name]
    if name.isdecimal() and len(name) <= LONGEST_TASK:
        return _running_task(topology, int(name))
    for component in topology.components:
        if component.id == name:
            if len(component.executors) == 1:
                return component.executors[0]
            mine = [operator_id(component, it) for it in component.executors]
            said = f"{name} has {len(mine)} executors: {listed(mine)}; say which"
            raise UnknownNameError(said)
    components = [it.id for it in topology.components if it.executors]
    raise UnknownNameError(
        f"no executor {name} in {topology.name}; its components are {listed(components)}",
        nearest(name, [*components, *names]),
    )


def nearest(name: str, known: Collection[str]) -> list[str]:
    """Return the names that were perhaps meant, the nearest first."""
    return get_close_matches(name, dict.fromkeys(known), n=NEAREST)


def _running_task(topology: Topology, task: int) -> Executor:
    for executor in topology.executors():
        if executor.first_task <= task <= executor.last_task:
            return executor
    tasks = [it for ex in topology.executors() for it in (ex.first_task, ex.last_task)]
    there = f"tasks are {min(tasks)} to {max(tasks)}" if tasks else "it has none"
    raise UnknownNameError(f"no task {task} in {topology.name}; {there}")
