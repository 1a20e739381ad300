"""Whatever runs where: a plan is an assignment that can be run, and its parts add up."""

from eyewall_sidecar.service.decision import Place
from eyewall_sidecar.service.planner import PlanOptions
from eyewall_sidecar.storm import Assignment, ChangeKind, Executor, Slot, Topology, Worker, slots_of
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from obedient_nimbus import Nimbus
from storm_builders import chain, supervisor

HOSTS = ("a", "b", "c")
PORTS = 3
EPS = 3


@st.composite
def running(draw: st.DrawFn) -> tuple[Topology, Assignment]:
    """A chain of up to nine executors, in any slots, however many share one."""
    sizes = draw(st.lists(st.integers(1, 3), min_size=2, max_size=3))
    topology = chain(
        *((f"c{n}", size) for n, size in enumerate(sizes)),
        settings={"executors.per.slot": EPS, "rate.hint": {"c0": 10}, "mode": "observe"},
    )
    slots = [Slot(f"sup-{host}", 6700 + port) for host in HOSTS for port in range(PORTS)]
    placed: dict[Slot, set[Executor]] = {}
    for executor in topology.executors():
        placed.setdefault(draw(st.sampled_from(slots)), set()).add(executor)
    return topology, tuple(Worker(it, frozenset(ex)) for it, ex in sorted(placed.items()))


@given(
    running(),
    st.lists(st.integers(1, 100), min_size=3, max_size=3),
    st.sampled_from(["R=1", "T=1", "N=1", "R=0.5,N=0.5"]),
    st.sampled_from(["odp", "hill_climbing", "round_robin", "greedy"]),
)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_a_plan_is_an_assignment_that_can_be_run_and_its_parts_add_up(
    runs: tuple[Topology, Assignment], delays: list[int], objective: str, policy: str
) -> None:
    topology, before = runs
    links = dict(zip((("a", "b"), ("b", "c"), ("a", "c")), map(float, delays), strict=True))
    nimbus = Nimbus([supervisor(it, PORTS) for it in HOSTS], links)
    nimbus.running[topology.id] = before
    nimbus.round(topology)
    plan = nimbus.planner.make(
        PlanOptions(topology.name, policy=policy, objective=objective), lambda: True
    )
    after = plan.assignment

    # Every executor once, every slot once and offered.
    executors = [it for worker in after for it in worker.executors]
    assert sorted(executors) == sorted(topology.executors())
    slots = [worker.slot for worker in after]
    assert len(set(slots)) == len(slots)
    offered = {Slot(it.id, port) for it in nimbus.hosts for port in it.ports}
    assert set(slots) <= offered
    # What starts holds at most EPS_max executors.
    assert all(len(it.executors) <= EPS for it in set(after) - set(before))

    # The diff of the workers is the difference of the assignments.
    workers = plan.workers()
    assert {it.slot for it in workers if it.before} == {it.slot for it in before}
    assert {it.slot for it in workers if it.after} == {it.slot for it in after}
    started = [it for it in workers if it.change in (ChangeKind.STARTED, ChangeKind.RESTARTED)]
    assert plan.record.workers_started == len(started)
    for it in workers:
        assert (it.change is ChangeKind.UNCHANGED) == (it.before == it.after)
    # The moves are the executors whose slot changes.
    was, will = slots_of(before), slots_of(after)
    assert len(plan.moves()) == sum(was[it] != will[it] for it in was)

    if plan.changes_nothing:
        return
    # And what is applied is this and nothing else.
    nimbus.planner.apply(plan.id)
    assert nimbus.round(topology)[topology.id].verdict == Place(after)
