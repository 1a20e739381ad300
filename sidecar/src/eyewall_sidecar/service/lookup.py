"""Topologies and executors by the names that people give, and why a request has no answer."""

from collections.abc import Collection, Sequence
from difflib import get_close_matches

from eyewall_sidecar.messages import Code, Message, message
from eyewall_sidecar.storm import ClusterState, Executor, Topology, TopologyState, operator_id

MOST_NEAREST = 3
"""Names that are offered for one that is unknown."""
LONGEST_TASK = 10
"""Digits: Storm's tasks are 32-bit numbers."""


class ServiceError(Exception):
    """A request without an answer; `reason` says why."""

    def __init__(self, reason: Message | str) -> None:
        super().__init__(str(reason))
        self.reason = reason


class InvalidRequestError(ServiceError):
    """It makes no sense; names the offender, its value and what is allowed."""


class UnavailableError(ServiceError):
    """It may have an answer later; says what it waits for."""


class UnknownNameError(ServiceError):
    """It names what does not exist; `nearest` are similar names, the nearest first."""

    def __init__(self, reason: Message | str, nearest: Sequence[str] = ()) -> None:
        super().__init__(reason)
        self.nearest = tuple(nearest)


def find_topology(state: ClusterState, name: str) -> TopologyState:
    """Return a topology by its name or Storm's id; UnknownNameError if there is none."""
    for it in state.topologies:
        if name in (it.topology.id, it.topology.name):
            return it
    names = [it.topology.name for it in state.topologies]
    if not names:
        raise UnknownNameError(message(Code.NO_TOPOLOGIES, name=name))
    ids = [it.topology.id for it in state.topologies]
    unknown = message(Code.NO_TOPOLOGY, name=name, known=sorted(names))
    raise UnknownNameError(unknown, nearest_names(name, [*names, *ids]))


def find_executor(topology: Topology, name: str) -> Executor:
    """Return an executor by `tag[3-4]`, a component that has only one, or the id of a task."""
    names = {operator_id(of, it): it for it, of in topology.executors().items()}
    if name in names:
        return names[name]
    if name.isdecimal() and len(name) <= LONGEST_TASK:
        return _executor_of_task(topology, int(name))
    for component in topology.components:
        if component.id == name:
            if len(component.executors) == 1:
                return component.executors[0]
            mine = [operator_id(component, it) for it in component.executors]
            several = message(Code.SEVERAL_EXECUTORS, name=name, count=len(mine), known=mine)
            raise UnknownNameError(several)
    components = [it.id for it in topology.components if it.executors]
    raise UnknownNameError(
        message(Code.NO_EXECUTOR, name=name, topology=topology.name, known=components),
        nearest_names(name, [*components, *names]),
    )


def nearest_names(name: str, known: Collection[str]) -> list[str]:
    """Return the names that were perhaps meant, the nearest first."""
    return get_close_matches(name, dict.fromkeys(known), n=MOST_NEAREST)


def _executor_of_task(topology: Topology, task: int) -> Executor:
    for executor in topology.executors():
        if executor.first_task <= task <= executor.last_task:
            return executor
    tasks = [it for ex in topology.executors() for it in (ex.first_task, ex.last_task)]
    if not tasks:
        raise UnknownNameError(message(Code.NO_TASKS, name=str(task), topology=topology.name))
    unknown = message(
        Code.NO_TASK, name=str(task), topology=topology.name, first=min(tasks), last=max(tasks)
    )
    raise UnknownNameError(unknown)
