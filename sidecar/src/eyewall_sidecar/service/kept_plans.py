"""Plans that are remembered, and the orders among them; used by rounds and by those who ask."""

import threading
from collections.abc import Callable
from dataclasses import replace

from eyewall_sidecar.service.names import UnknownNameError, nearest
from eyewall_sidecar.service.plan import Plan, PlanState, what_changed
from eyewall_sidecar.storm import ClusterState

MOST_PLANS = 100
KEPT_SECONDS = 900.0
"""For which a plan is remembered after it was made, or after something became of it."""
NOT_TAKEN = "Nimbus did not take it; its log says why"

_ORDERED = (PlanState.QUEUED, PlanState.HANDED_OVER)
UNDER_WAY_OR_DONE = (*_ORDERED, PlanState.APPLIED)


class KeptPlans:
    """Remembers; may be used by any thread."""

    def __init__(self, clock: Callable[[], float]) -> None:
        """Forget by `clock`."""
        self._clock = clock
        self._lock = threading.Lock()
        self._plans: dict[str, Plan] = {}

    def add(self, plan: Plan) -> None:
        """Remember a plan; the oldest ones that nobody waits for make room."""
        with self._lock:
            self._forget()
            self._plans[plan.id] = plan
            free = [it for it in self._plans.values() if it.state not in _ORDERED]
            too_many = max(0, len(self._plans) - MOST_PLANS)
            for old in sorted(free, key=lambda it: it.since)[:too_many]:
                del self._plans[old.id]

    def get(self, id_: str) -> Plan:
        """Return a plan; UnknownNameError if it is not there, or not any more."""
        with self._lock:
            return self._get(id_)

    def all(self) -> tuple[Plan, ...]:
        """Return them all, newest first."""
        with self._lock:
            self._forget()
            return tuple(reversed(self._plans.values()))

    def order(self, id_: str) -> Plan:
        """Have the next round apply a plan instead of any other one for the same topology.

        What is under way or done already stays so.
        """
        with self._lock:
            plan = self._get(id_)
            if plan.state in UNDER_WAY_OR_DONE:
                return plan
            for other in self._plans.values():
                if other.state is PlanState.QUEUED and other.topology_id == plan.topology_id:
                    self._turn(other, PlanState.REFUSED, f"plan {id_} was applied after it")
            return self._turn(plan, PlanState.QUEUED)

    def ordered(self) -> frozenset[str]:
        """Return the topologies, by Storm's id, of which a plan is to be applied."""
        with self._lock:
            self._forget()
            queued = (it for it in self._plans.values() if it.state is PlanState.QUEUED)
            return frozenset(it.topology_id for it in queued)

    def due(self, topology: str) -> Plan | None:
        """Return the plan that is to be applied to a topology, by Storm's id."""
        with self._lock:
            self._forget()
            for plan in self._plans.values():
                if plan.state is PlanState.QUEUED and plan.topology_id == topology:
                    return plan
            return None

    def turn(self, plan: Plan, state: PlanState, reason: str = "") -> bool:
        """Note what became of a plan; False if something else became of it meanwhile."""
        with self._lock:
            if self._plans.get(plan.id) is not plan:
                return False
            self._turn(plan, state, reason)
            return True

    def look(self, cluster: ClusterState) -> None:
        """Tell by what Nimbus has now what became of the orders."""
        running = {it.topology.id: set(it.assignment) for it in cluster.topologies}
        with self._lock:
            for plan in [it for it in self._plans.values() if it.state in _ORDERED]:
                handed_over = plan.state is PlanState.HANDED_OVER
                changed = what_changed(plan, cluster)
                if handed_over and running.get(plan.topology_id) == set(plan.assignment):
                    self._turn(plan, PlanState.APPLIED)
                elif changed:
                    self._turn(plan, PlanState.STALE, changed)
                elif handed_over:
                    self._turn(plan, PlanState.REFUSED, NOT_TAKEN)

    def _get(self, id_: str) -> Plan:
        self._forget()
        plan = self._plans.get(id_)
        if plan is not None:
            return plan
        kept = f"they are kept for {KEPT_SECONDS / 60:g} minutes, at most {MOST_PLANS}"
        sentence = f"no plan {id_}, or not any more: {kept}, until the sidecar ends"
        raise UnknownNameError(sentence, nearest(id_, self._plans))

    def _turn(self, plan: Plan, state: PlanState, reason: str = "") -> Plan:
        turned = replace(plan, state=state, reason=reason, since=self._clock())
        self._plans[plan.id] = turned
        return turned

    def _forget(self) -> None:
        now = self._clock()
        for plan in list(self._plans.values()):
            if now - plan.since >= KEPT_SECONDS:
                del self._plans[plan.id]
