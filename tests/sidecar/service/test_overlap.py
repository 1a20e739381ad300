"""Moves whose old workers serve on until new ones carry tuples: when, at what price, why not."""

from dataclasses import replace

import pytest
from eyewall_contracts.decision import Verdict
from eyewall_contracts.sample import OVERLAP_CONTRACT
from eyewall_sidecar.messages import Code
from eyewall_sidecar.service.decision import Place
from eyewall_sidecar.service.move_price import OVERLAP_GAP, least_price
from eyewall_sidecar.service.move_value import price_of
from eyewall_sidecar.service.overlap import CHECKPOINTS
from eyewall_sidecar.service.planner import PlanOptions
from eyewall_sidecar.service.worker_starts import WorkerStarts
from msgspec import structs
from obedient_nimbus import Nimbus
from overlapping_moves import (
    REPLAYED,
    USUAL,
    add_worker,
    move,
    pair,
    price,
    reason,
    report_workers,
    request,
    running,
)
from said import codes, values
from storm_builders import MEGABYTE, chain, supervisor, worker


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


def test_a_move_overlaps_where_nothing_is_against_it() -> None:
    topology = pair(pin={"sink": ["b"]})
    nimbus = running(topology)
    assert move(nimbus, topology).overlaps
    (record,) = [it for it in nimbus.recorded.records if it.verdict is Verdict.MOVED]
    assert record.overlaps


def test_where_the_agent_does_not_know_storms_code_its_release_is_named() -> None:
    topology = pair()
    nimbus = running(topology, agents=False)
    report_workers(nimbus, topology, unknown_storm="2.9.0")
    found = reason(nimbus, topology)
    assert values(found, Code.UNKNOWN_STORM) == {"slot": "a:6700", "release": "2.9.0"}


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
