"""A person's order: a plan is queued, and the topology's next round runs exactly that."""

from dataclasses import replace

from eyewall_sidecar.service.decision import Place
from eyewall_sidecar.service.kept_plans import UNDER_WAY_OR_DONE, KeptPlans
from eyewall_sidecar.service.memory import Memory, moving_away
from eyewall_sidecar.service.names import NotNowError
from eyewall_sidecar.service.outcome import Outcome
from eyewall_sidecar.service.plan import Plan, PlanState, what_changed
from eyewall_sidecar.service.seen import Seen
from eyewall_sidecar.storm import ClusterState, TopologyState, why_not_had

UNHEARD_SECONDS = 20.0
"""Without a round, after which that is said: two of the intervals that Storm itself has."""


def as_it_stands(plan: Plan, seen: Seen | None, now: float) -> Plan:
    """Return a plan as it is by now: nobody has to apply it to learn that it is stale."""
    if seen is None:
        return plan
    if plan.state is PlanState.PROPOSED and (changed := what_changed(plan, seen.state)):
        return replace(plan, state=PlanState.STALE, reason=changed)
    silent = now - seen.at
    if plan.state in (PlanState.QUEUED, PlanState.HANDED_OVER) and silent > UNHEARD_SECONDS:
        return replace(plan, reason=f"no round of Nimbus's for {silent:.0f} s; it waits for one")
    return plan


def order(plans: KeptPlans, plan: Plan, seen: Seen, frozen: str, now: float) -> Plan:
    """Have a plan applied in the next round, and return it as it is then; NotNowError says why not.

    What is under way or done already stays so. `frozen` says who froze the topology.
    """
    plan = as_it_stands(plan, seen, now)
    name = plan.topology.topology.name
    if plan.state in UNDER_WAY_OR_DONE:
        if moved_on(plan, seen):
            raise NotNowError(
                f"plan {plan.id} was applied, but {name} no longer runs so; make another one"
            )
        return plan
    if changed := what_changed(plan, seen.state):
        raise NotNowError(f"plan {plan.id} is stale: {changed}; make another one of {name}")
    if plan.changes_nothing:
        raise NotNowError(f"plan {plan.id} changes nothing: {name} stays as it runs")
    if frozen:
        raise NotNowError(f"plan {plan.id} is not applied: {frozen}")
    if why := why_not_had(plan.assignment, plan.topology, seen.state):
        raise NotNowError(f"plan {plan.id} cannot be applied: {why}")
    return plans.order(plan.id)


def moved_on(plan: Plan, seen: Seen) -> bool:
    """Whether a plan was applied, and a later round saw something else run."""
    if plan.state is not PlanState.APPLIED or seen.at < plan.since:
        return False
    running = (it.assignment for it in seen.state.topologies if it.topology.id == plan.topology_id)
    return set(next(running, ())) != set(plan.assignment)


def obeyed(
    plans: KeptPlans,
    topology: TopologyState,
    memory: Memory,
    cluster: ClusterState,
    frozen: str,
    now: float,
) -> Outcome | None:
    """Run what was ordered for a topology; None if nothing was, or if it cannot be done."""
    plan = plans.due(topology.topology.id)
    if plan is None:
        return None
    # Whoever ordered it may have gone by the round before this one.
    if changed := what_changed(plan, cluster):
        plans.turn(plan, PlanState.STALE, changed)
        return None
    if why := frozen or why_not_had(plan.assignment, topology, cluster):
        plans.turn(plan, PlanState.REFUSED, why)
        return None
    if not plans.turn(plan, PlanState.HANDED_OVER):
        return None
    memory = moving_away(memory, topology.assignment, plan.assignment, now)
    memory = replace(memory, decided=plan.assignment, decided_status=plan.status)
    return Outcome(Place(plan.assignment), memory, plan.record.said, order=plan)
