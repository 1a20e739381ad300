"""Topologies on three hosts, of which plans are made and applied."""

from eyewall_sidecar.messages import Message
from eyewall_sidecar.service.planner import PlanOptions
from eyewall_sidecar.service.plans import Plan, PlanState
from eyewall_sidecar.storm import Topology
from obedient_nimbus import Nimbus
from storm_builders import chain, supervisor, worker

TRIANGLE = {("a", "b"): 10, ("b", "c"): 10, ("a", "c"): 50}
"""a and c are nearer by way of b."""


def topology(name: str = "word-1", **settings: object) -> Topology:
    """source on a, sink on c, and one bolt between them."""
    pins = {"pin": {"source": ["a"], "sink": ["c"]}, "rate.hint": {"source": 10}}
    return chain(("source", 1), ("tag", 1), ("sink", 1), name=name, settings=pins | settings)


def nimbus_with(*running: Topology, **limits: float | bool | None) -> Nimbus:
    """Each topology's tag runs on a, next to its source; Nimbus was heard once."""
    nimbus = Nimbus([supervisor(it, 4) for it in "abc"], TRIANGLE, **limits)
    for number, it in enumerate(running):
        nimbus.running[it.id] = (worker("a", 6700 + number, 1, 2), worker("c", 6700 + number, 3))
    nimbus.round(*running)
    return nimbus


def planned(nimbus: Nimbus, of: Topology, **wanted: object) -> Plan:
    """What comes of asking for a plan, while somebody waits for it."""
    return nimbus.planner.make(PlanOptions(of.name, **wanted), lambda: True)  # type: ignore[arg-type]


def state_of(nimbus: Nimbus, plan: Plan) -> tuple[PlanState, Message | None]:
    """What has become of a plan by now, and why."""
    now = nimbus.planner.get(plan.id)
    return now.state, now.reason
