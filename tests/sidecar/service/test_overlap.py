"""Moves whose old workers serve on until new ones carry tuples: when, at what price, why not."""

from dataclasses import replace

import pytest
from eyewall_contracts.decision import Verdict
from eyewall_contracts.sample import OVERLAP_CONTRACT
from eyewall_sidecar.messages import Code, Message
from eyewall_sidecar.service.decision import Place
from eyewall_sidecar.service.move_price import OVERLAP_GAP, least_price, price_move
from eyewall_sidecar.service.movement_rules import price_of
from eyewall_sidecar.service.overlap import CHECKPOINTS, restart_reason
from eyewall_sidecar.service.planner import PlanOptions
from eyewall_sidecar.service.problem_cache import PlacementRequest
from eyewall_sidecar.service.worker_starts import WorkerStarts
from eyewall_sidecar.storm import Assignment, Topology
from measured_topologies import report
from msgspec import structs
from obedient_nimbus import Nimbus
from said import codes, values
from storm_builders import MEGABYTE, chain, supervisor, worker

USUAL = 8.0
"""Seconds that a JVM takes to start, while no start was seen."""
REPLAYED = 1.5 * 30.0
"""Seconds that a tuple is late that is lost and replayed, with Storm's timeout."""
TOGETHER = (worker("a", 6701, 1, 2),)
"""Both executors in a new worker on a: the worker on b ends, and so does that in slot 6700 on a."""


def pair(moves: object = "overlap", **settings: object) -> Topology:
    """source and sink, an executor each of 128 MB."""
    return chain(("source", 1), ("sink", 1), settings={"moves": moves, **settings})


def report_workers(
    nimbus: Nimbus, topology: Topology, *, used: float = 0.1, **agent: object
) -> None:
    """The worker in the first slot of a and of b, of one core each, as hosts' agents report."""
    nimbus.measured.wanted = True
    for host in ("a", "b"):
        before = nimbus.measured.hosts.get(host)
        sequence = before.sequence + 1 if before else 0
        sample = report(host, sequence, time=nimbus.clock.now, used={topology.id: used})
        workers = tuple(structs.replace(it, **agent) for it in sample.workers)
        nimbus.measured.hosts[host] = structs.replace(sample, workers=workers)


def running(
    topology: Topology,
    *,
    agents: bool | None = True,
    contract: int = OVERLAP_CONTRACT,
    used: float = 0.1,
) -> Nimbus:
    """source on a and sink on b; agents None: their workers are not reported."""
    nimbus = Nimbus([supervisor("a"), supervisor("b")], {("a", "b"): 10})
    nimbus.running[topology.id] = (worker("a", 6700, 1), worker("b", 6700, 2))
    nimbus.measured.wanted = True
    if agents is not None:
        about = {"overlaps": agents, "agent_contract": contract, "agent_version": "0.0.9"}
        report_workers(nimbus, topology, used=used, **about)
    nimbus.round(topology, obey=False)
    return nimbus


def request(nimbus: Nimbus, topology: Topology) -> PlacementRequest:
    return nimbus.context.running_problem(topology.id).request


def price(nimbus: Nimbus, topology: Topology) -> float:
    return price_move(request(nimbus, topology), TOGETHER, WorkerStarts()).seconds


OTHERS = [chain(("x", 1), name=f"o-{it}", settings={"moves": "overlap"}) for it in (1, 2)]
"""That ask for it, too."""


def reason(nimbus: Nimbus, topology: Topology, after: Assignment = TOGETHER) -> Message | None:
    """Why this move restarts, by what the next round knows."""
    nimbus.round(topology, *OTHERS, obey=False)
    return restart_reason(request(nimbus, topology), after)


def test_with_agents_a_move_costs_what_a_second_without_output_does() -> None:
    topology = pair()
    nimbus = running(topology)
    assert OVERLAP_GAP == 1.0
    assert price(nimbus, topology) == pytest.approx(REPLAYED * 1.0)
    assert least_price(request(nimbus, topology), WorkerStarts()) == pytest.approx(REPLAYED * 1.0)


@pytest.mark.parametrize(
    ("moves", "agents"), [("restart", True), ("overlap", False), ("overlap", None)]
)
def test_where_workers_restart_it_costs_their_start(moves: str, agents: bool | None) -> None:
    topology = pair(moves)
    assert price(running(topology, agents=agents), topology) == pytest.approx(REPLAYED * USUAL)


def test_a_move_of_a_component_that_must_not_run_twice_costs_the_workers_start() -> None:
    topology = pair(exclusive=["sink"])
    assert price(running(topology), topology) == pytest.approx(REPLAYED * USUAL)


def test_a_worker_that_is_not_reported_is_not_known_to_serve_on() -> None:
    topology = pair()
    nimbus = running(topology)
    del nimbus.measured.hosts["b"]
    found = reason(nimbus, topology)
    assert values(found, Code.NO_OVERLAP_AGENT) == {"slot": "b:6700"}


@pytest.mark.parametrize("contract", [0, OVERLAP_CONTRACT + 1])
def test_an_agent_of_another_contract_is_named_with_its_version(contract: int) -> None:
    topology = pair()
    found = reason(running(topology, contract=contract), topology)
    assert values(found, Code.OTHER_OVERLAP_AGENT) == {
        "slot": "a:6700",
        "version": "0.0.9",
        "contract": contract,
        "allowed": OVERLAP_CONTRACT,
    }


def test_only_moves_of_workers_with_an_exclusive_component_restart() -> None:
    topology = pair(exclusive="sink")
    nimbus = running(topology)
    found = reason(nimbus, topology)
    assert values(found, Code.EXCLUSIVE_MOVES) == {"components": ["sink"]}
    only_source = (worker("a", 6701, 1), worker("b", 6700, 2))
    assert reason(nimbus, topology, only_source) is None


def test_a_topology_with_stateful_bolts_restarts() -> None:
    topology = chain((CHECKPOINTS, 1), ("sink", 1), settings={"moves": "overlap"})
    found = reason(running(topology), topology)
    assert values(found, Code.STATEFUL) == {"topology": "chain-1"}


def test_a_new_worker_in_the_slot_of_an_old_one_restarts() -> None:
    topology = pair()
    found = reason(running(topology), topology, (worker("a", 6700, 1, 2),))
    assert values(found, Code.NO_FRESH_SLOTS) == {"slots": ["a:6700"]}


def test_a_new_worker_in_a_slot_in_which_another_topologys_old_worker_runs_restarts() -> None:
    # By the last report: it serves on there, though Nimbus takes the slot for free.
    topology = pair()
    nimbus = running(topology)
    add_worker(nimbus, "a", port=6701, topology="other-1")
    found = reason(nimbus, topology)
    assert values(found, Code.NO_FRESH_SLOTS) == {"slots": ["a:6701"]}


def test_a_slot_in_which_an_old_worker_runs_is_taken_last() -> None:
    topology = pair(pin={"sink": ["a"]})
    nimbus = running(topology)
    nimbus.hosts[0] = supervisor("a", slots=3)
    add_worker(nimbus, "a", port=6701, topology="other-1")
    placed = move(nimbus, topology, drained="b").assignment
    assert sorted(it.slot.port for it in placed) == [6700, 6702]


@pytest.mark.parametrize(("overlaps", "said"), [(True, []), (False, [Code.NO_OVERLAP_AGENT])])
def test_a_host_of_which_a_worker_is_known_to_have_no_agent_gets_none_that_hands_over(
    overlaps: bool, said: list[Code]
) -> None:
    # Its new worker would have no agent either, and would not wait for its turn.
    topology = pair()
    nimbus = running(topology)
    nimbus.hosts.append(supervisor("c"))
    add_worker(nimbus, "c", port=6700, topology="o-1", overlaps=overlaps)
    assert codes(reason(nimbus, topology, (worker("c", 6701, 1, 2),))) == said


def test_a_worker_that_is_just_starting_is_not_taken_for_one_without_the_agent() -> None:
    # A second old, it has no file of its agent yet; 31 s old, it would have one.
    topology = pair()
    nimbus = running(topology)
    nimbus.hosts.append(supervisor("c"))
    started = nimbus.clock.now - 1.0
    add_worker(nimbus, "c", port=6700, topology="o-1", overlaps=False, started=started)
    assert reason(nimbus, topology, (worker("c", 6701, 1, 2),)) is None
    sample = nimbus.measured.hosts["c"]
    aged = tuple(structs.replace(it, started=started - 30.0) for it in sample.workers)
    nimbus.measured.hosts["c"] = structs.replace(sample, workers=aged, sequence=9)
    found = reason(nimbus, topology, (worker("c", 6701, 1, 2),))
    assert codes(found) == [Code.NO_OVERLAP_AGENT]


def test_workers_of_topologies_that_do_not_ask_for_it_have_no_agent_and_say_nothing() -> None:
    topology = pair()
    nimbus = running(topology)
    nimbus.hosts.append(supervisor("c"))
    add_worker(nimbus, "c", port=6700, topology="plain-1", overlaps=False)
    assert reason(nimbus, topology, (worker("c", 6701, 1, 2),)) is None


def test_of_a_host_with_old_workers_without_the_agent_the_youngest_counts() -> None:
    topology = pair()
    nimbus = running(topology)
    nimbus.hosts.append(supervisor("c", slots=3))
    add_worker(nimbus, "c", port=6700, topology="o-1", overlaps=False, started=-7200.0)
    add_worker(nimbus, "c", port=6701, topology="o-2", overlaps=True)
    assert reason(nimbus, topology, (worker("c", 6702, 1, 2),)) is None


def test_a_host_whose_agent_does_not_report_gets_none_that_hands_over() -> None:
    topology = pair()
    nimbus = running(topology)
    nimbus.hosts.append(supervisor("c"))
    found = reason(nimbus, topology, (worker("c", 6701, 1, 2),))
    assert values(found, Code.HOST_NOT_REPORTED) == {"host": "c"}


@pytest.mark.parametrize(
    ("used", "starting", "behind"),
    [(0.5, 1, 0.0), (0.8, 1, 3.0), (0.9, 1, 3.6), (0.33, 2, 0.0), (0.44, 2, 2.9), (0.5, 2, 4.0)],
)
def test_old_workers_may_fall_behind_by_three_seconds_while_others_start_beside_them(
    used: float, starting: int, behind: float
) -> None:
    # Of one core each process has an equal share: next to one that starts half, to two a third. Of
    # 0.8 cores that are needed 0.3 are missing for the 4 / 0.5 = 8 s of a start: 8 · 0.3 / 0.8 s.
    topology = pair()
    nimbus = running(topology, used=used)
    nimbus.hosts[0] = supervisor("a", slots=3)
    apart = (worker("a", 6701, 1), worker("a", 6702, 2))
    found = reason(nimbus, topology, TOGETHER if starting == 1 else apart)
    assert codes(found) == ([Code.NO_CPU_FOR_BOTH] if behind > 3.0 else [])
    if found is not None:
        assert values(found, Code.NO_CPU_FOR_BOTH) == {
            "host": "a",
            "cores": 1.0,
            "used": used,
            "seconds": pytest.approx(behind, abs=0.05),
        }


def test_where_old_workers_need_the_cores_a_move_costs_the_workers_start() -> None:
    topology = pair()
    assert price(running(topology, used=0.9), topology) == pytest.approx(REPLAYED * USUAL)


def test_on_a_host_that_other_workers_fill_a_move_takes_as_much_in_either_way() -> None:
    # 0.8 of a's core are another topology's, which loses the same to an ordinary move. Of the 0.2
    # that it leaves a worker that starts takes half, and the old one needs the other half.
    topology = pair()
    nimbus = running(topology)
    add_worker(nimbus, "a", port=6702, topology="o-1", used=0.8)
    assert reason(nimbus, topology) is None


def test_where_none_of_its_workers_ends_a_move_takes_as_much_in_either_way() -> None:
    # b's worker stays and needs 0.9 of one core; one that starts there may take half of it.
    topology = pair()
    nimbus = running(topology, used=0.9)
    assert reason(nimbus, topology, (worker("b", 6701, 1), worker("b", 6700, 2))) is None


def test_a_host_of_many_cores_has_two_for_each_that_starts() -> None:
    # 16 cores, of which old workers use 9: those that start need two at most.
    topology = pair()
    nimbus = running(topology, used=9.0)
    have_cores(nimbus, 16.0)
    assert reason(nimbus, topology) is None


@pytest.mark.parametrize(
    ("cores", "starting", "restarts"),
    [(0.14, 1, False), (0.13, 1, True), (0.27, 2, False), (0.26, 2, True)],
)
def test_where_starts_take_half_a_minute_workers_restart(
    cores: float, starting: int, restarts: bool
) -> None:
    # 4 core-seconds take 28.6 s on 0.14 cores, 30.8 s on 0.13; 8 take 29.6 on 0.27, 30.8 on 0.26.
    topology = pair()
    nimbus = running(topology, used=0.01)
    nimbus.hosts[0] = supervisor("a", slots=3)
    have_cores(nimbus, cores)
    apart = (worker("a", 6701, 1), worker("a", 6702, 2))
    found = reason(nimbus, topology, TOGETHER if starting == 1 else apart)
    assert codes(found) == ([Code.SLOW_START] if restarts else [])


def test_a_host_needs_memory_for_old_and_new_workers() -> None:
    # a: 128 MB of the old worker and 256 of the new one; b keeps its 128 until they carry tuples.
    topology = pair()
    nimbus = running(topology)
    for megabytes, restarts in ((384, False), (383, True)):
        nimbus.hosts[0] = replace(nimbus.hosts[0], memory_bytes=megabytes * MEGABYTE)
        found = reason(nimbus, topology)
        assert codes(found) == ([Code.NO_MEMORY_FOR_BOTH] if restarts else [])
    assert values(found, Code.NO_MEMORY_FOR_BOTH) == {
        "host": "a",
        "needed": 384.0,
        "available": 383.0,
    }


def test_a_host_that_is_only_left_needs_no_more_memory() -> None:
    # a has less than its worker declares, as placed by a scheduler that does not look.
    topology = pair()
    nimbus = running(topology)
    nimbus.hosts[0] = replace(nimbus.hosts[0], memory_bytes=100 * MEGABYTE)
    assert reason(nimbus, topology, (worker("b", 6701, 1), worker("b", 6700, 2))) is None


def test_a_host_that_only_gets_workers_needs_no_more_than_those() -> None:
    # b has a worker before and the same one after; a new one with the source of 128 MB joins it.
    topology = pair()
    nimbus = running(topology)
    nimbus.hosts[1] = replace(nimbus.hosts[1], memory_bytes=256 * MEGABYTE)
    after = (worker("b", 6700, 2), worker("b", 6701, 1))
    assert reason(nimbus, topology, after) is None


@pytest.mark.parametrize(
    ("moves", "agents", "said"),
    [("overlap", True, 0), ("overlap", False, 1), ("restart", False, 0)],
)
def test_a_topology_that_asks_for_it_in_vain_is_named(moves: str, agents: bool, said: int) -> None:
    topology = pair(moves)
    nimbus = running(topology, agents=agents)
    found = nimbus.context.running_problem(topology.id)
    named = [codes(it) for it in found.assumptions]
    assert named.count([Code.MOVES_RESTART, Code.NO_OVERLAP_AGENT]) == said


def add_worker(
    nimbus: Nimbus,
    host: str,
    *,
    port: int,
    topology: str,
    overlaps: bool = True,
    started: float = -3600.0,
    used: float = 0.1,
) -> None:
    """One more in a host's report."""
    now = nimbus.clock.now
    added = report(host, time=now, used={topology: used}, port=port, started=started)
    (one,) = added.workers
    one = structs.replace(one, overlaps=overlaps, agent_contract=OVERLAP_CONTRACT)
    own = nimbus.measured.hosts.get(host, structs.replace(added, workers=()))
    workers = (*own.workers, one)
    nimbus.measured.hosts[host] = structs.replace(
        own, workers=workers, sequence=own.sequence + 1, time=nimbus.clock.now
    )


def have_cores(nimbus: Nimbus, cores: float) -> None:
    """So many on each host, by its next report."""
    for host, sample in nimbus.measured.hosts.items():
        assert sample.machine is not None
        machine = structs.replace(sample.machine, cpus=max(1, int(cores)), quota=cores)
        after = structs.replace(sample, machine=machine, sequence=sample.sequence + 1)
        nimbus.measured.hosts[host] = after


def move(nimbus: Nimbus, topology: Topology, drained: str = "a") -> Place:
    """What is decided once a host has to be left."""
    nimbus.switches.turn(drained=[drained])
    (only,) = (it.verdict for it in nimbus.rounds(topology, 3) if isinstance(it.verdict, Place))
    return only


def test_a_move_overlaps_where_nothing_is_against_it() -> None:
    topology = pair(pin={"sink": ["b"]})
    nimbus = running(topology)
    assert move(nimbus, topology).overlaps
    (record,) = [it for it in nimbus.recorded.records if it.verdict is Verdict.MOVED]
    assert record.overlaps


def test_a_move_that_restarts_though_its_owner_wants_it_to_overlap_says_why() -> None:
    topology = pair(pin={"sink": ["b"]}, exclusive=["source"])
    nimbus = running(topology)
    assert not move(nimbus, topology).overlaps
    (record,) = [it for it in nimbus.recorded.records if it.verdict is Verdict.MOVED]
    assert not record.overlaps
    assert "source must not run twice (eyewall.exclusive)" in record.said


@pytest.mark.parametrize("later", [True, False])
def test_a_plans_record_says_what_was_done_when_it_was_applied(later: bool) -> None:
    # The agents appear, or vanish, between plan and order.
    topology = pair("overlap", mode="observe", objective="R=1")
    nimbus = running(topology, agents=not later)
    plan = nimbus.planner.make(PlanOptions(topology.name), lambda: True)
    assert plan.record.overlaps is not later
    report_workers(
        nimbus, topology, overlaps=later, agent_contract=OVERLAP_CONTRACT, agent_version="0.0.9"
    )
    nimbus.planner.apply(plan.id)
    verdict = nimbus.round(topology)[topology.id].verdict
    assert isinstance(verdict, Place)
    assert verdict.overlaps is later
    (record,) = [it for it in nimbus.recorded.records if it.verdict is Verdict.MOVED]
    assert record.overlaps is later
    assert ("not known to have the overlap agent" in record.said) is not later


def test_a_plan_that_changes_nothing_does_not_overlap() -> None:
    topology = pair(objective="A=1", pin={"source": ["a"], "sink": ["b"]})
    nimbus = running(topology)
    plan = nimbus.planner.make(PlanOptions(topology.name), lambda: True)
    assert plan.changes_nothing
    assert not plan.record.overlaps


def test_the_price_follows_what_workers_are_able_to() -> None:
    # The move is found while no agent is known, and judged again once there are.
    topology = pair("overlap", objective="R=1", **{"rate.hint": {"source": 10}})
    nimbus = running(topology, agents=False)
    nimbus.rounds(topology, 2)
    before = nimbus.service.last_round().records[topology.id].candidate
    report_workers(nimbus, topology, overlaps=True, agent_contract=OVERLAP_CONTRACT)
    nimbus.rounds(topology, 1)
    after = nimbus.service.last_round().records[topology.id].candidate
    assert before is not None
    assert after is not None
    assert price_of(before, WorkerStarts()).gap == USUAL
    assert price_of(after, WorkerStarts()).gap == OVERLAP_GAP


def test_a_first_placement_does_not_overlap() -> None:
    topology = pair()
    nimbus = Nimbus([supervisor("a"), supervisor("b")], {("a", "b"): 10})
    decision = nimbus.round(topology)[topology.id]
    assert isinstance(decision.verdict, Place)
    assert not decision.verdict.overlaps


@pytest.mark.parametrize(
    ("settings", "remark"),
    [
        ({}, [Code.OVERLAPS]),
        ({"exclusive": ["source", "sink"]}, [Code.MOVES_RESTART, Code.EXCLUSIVE_MOVES]),
    ],
)
def test_a_plan_says_whether_its_workers_overlap(
    settings: dict[str, object], remark: list[Code]
) -> None:
    topology = pair("overlap", objective="R=1", **settings)
    nimbus = running(topology)
    plan = nimbus.planner.make(PlanOptions(topology.name), lambda: True)
    assert remark in [codes(it) for it in plan.remarks]
    assert plan.record.overlaps == (remark == [Code.OVERLAPS])
