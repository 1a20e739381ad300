"""A plan: an exact assignment that somebody may have applied, and what has become of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from eyewall_contracts.decision import DecisionRecord

from eyewall_sidecar.service.overview import StepThere
from eyewall_sidecar.storm import (
    Assignment,
    Change,
    ClusterState,
    Executor,
    Slot,
    TopologyState,
    operator_id,
    slot_moves,
    worker_changes,
)

MOST_CHANGES_NAMED = 3


class PlanState(StrEnum):
    """What has become of a plan."""

    PROPOSED = "proposed"
    """Nothing was done about it."""
    QUEUED = "queued"
    """It goes to Nimbus with its next round."""
    HANDED_OVER = "handed over"
    """Nimbus has it; the next round tells whether it runs."""
    APPLIED = "applied"
    """Nimbus's assignment is exactly the plan."""
    REFUSED = "refused"
    """Nothing was changed."""
    STALE = "stale"
    """What runs is no longer what it was computed from."""


class HostSlot(NamedTuple):
    """A slot as people say it."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"


class PlannedMove(NamedTuple):
    """An executor that changes its worker process."""

    executor: str
    component: str
    source: HostSlot
    target: HostSlot


class PlannedWorker(NamedTuple):
    """A worker process, with its executors before and after."""

    slot: HostSlot
    change: Change
    before: tuple[str, ...]
    after: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """One plan; what becomes of it makes another value.

    Parameters
    ----------
    id
        Short enough to be typed.
    topology
        As it ran when the plan was asked for: its assignment is the plan's base.
    hosts
        Supervisor id → host.
    assignment
        What would run; the base itself if the plan changes nothing.
    record
        The decision that it is once it is applied, but for its id. All that was found is in it,
        also where nothing was.
    status
        What Storm UI then shows.
    gain
        By which part of its value the objective gets better; None if nothing was found.
    slowest_path
        With the plan, from its source to its end.
    remarks
        What was assumed, what binds, what ended the search: sentences.
    held_back
        What the rules would say to the move; empty if it would be made unasked.
    made, since, state, reason
        When it was made, what became of it when, and why. Times are on the service's clock.
    """

    id: str
    topology: TopologyState
    hosts: Mapping[str, str]
    assignment: Assignment
    record: DecisionRecord
    made: float
    since: float
    status: str = ""
    gain: float | None = None
    slowest_path: tuple[StepThere, ...] = ()
    remarks: tuple[str, ...] = ()
    held_back: str = ""
    state: PlanState = PlanState.PROPOSED
    reason: str = ""

    @property
    def topology_id(self) -> str:
        """Storm's id of the topology."""
        return self.topology.topology.id

    @property
    def base(self) -> bytes:
        """Names the assignment that it was computed from."""
        return self.topology.assignment_digest

    @property
    def changes_nothing(self) -> bool:
        """Whether all runs as planned already, or nothing was found."""
        return set(self.assignment) == set(self.topology.assignment)

    def workers(self) -> tuple[PlannedWorker, ...]:
        """Return every worker process that runs or would."""
        names = names_of(self.topology)

        def named(executors: tuple[Executor, ...]) -> tuple[str, ...]:
            return tuple(names.get(it, str(it)) for it in executors)

        return tuple(
            PlannedWorker(
                host_slot(it.slot, self.hosts), it.change, named(it.before), named(it.after)
            )
            for it in worker_changes(self.topology.assignment, self.assignment)
        )

    def moves(self) -> tuple[PlannedMove, ...]:
        """Return every executor that changes its worker process."""
        executors = self.topology.topology.executors()
        return tuple(
            PlannedMove(
                operator_id(executors[it.executor], it.executor),
                executors[it.executor].id,
                host_slot(it.before, self.hosts),
                host_slot(it.after, self.hosts),
            )
            for it in slot_moves(self.topology.assignment, self.assignment)
            if it.before is not None and it.after is not None and it.executor in executors
        )


def names_of(topology: TopologyState) -> Mapping[Executor, str]:
    """Executor → its name as people read it."""
    return {it: operator_id(of, it) for it, of in topology.topology.executors().items()}


def host_slot(slot: Slot, hosts: Mapping[str, str]) -> HostSlot:
    """Return a slot as people say it; by the supervisor's id if its host is not known."""
    return HostSlot(hosts.get(slot.supervisor, slot.supervisor), slot.port)


def what_changed(plan: Plan, cluster: ClusterState) -> str:
    """Say what runs otherwise than the plan was computed from; empty if nothing does."""
    now = next((it for it in cluster.topologies if it.topology.id == plan.topology_id), None)
    name = plan.topology.topology.name
    if now is None:
        return f"{name} is not there any more"
    if now.assignment_digest == plan.base:
        return ""
    hosts = {**plan.hosts, **{it.id: it.host for it in cluster.supervisors}}
    names = {**names_of(plan.topology), **names_of(now)}
    changes = []
    for it in slot_moves(plan.topology.assignment, now.assignment):
        executor = names.get(it.executor, str(it.executor))
        if it.after is None:
            changes.append(f"{executor} has no slot now")
        elif it.before is None:
            changes.append(f"{executor} runs on {host_slot(it.after, hosts)} now")
        else:
            here, there = host_slot(it.after, hosts), host_slot(it.before, hosts)
            changes.append(f"{executor} runs on {here} now, not on {there}")
    if not changes:
        return f"the workers of {name} were started anew"
    more = len(changes) - MOST_CHANGES_NAMED
    rest = f" and {more} more" if more > 0 else ""
    return f"{'; '.join(changes[:MOST_CHANGES_NAMED])}{rest}"
