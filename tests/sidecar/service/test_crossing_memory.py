"""What crossings cost a topology outlasts its assignment, its submission and the sidecar."""

from dataclasses import replace

import pytest
from eyewall_contracts.crossing_costs import CrossingCostRecord, TopologyCrossingCost
from eyewall_contracts.sample import ThreadGroup
from eyewall_sidecar.service.crossing_memory import MOST, CrossingMemory
from eyewall_sidecar.storm import HALF_RATE, USUAL_COST, CrossingCost, Topology
from eyewall_sidecar.storm.worker_overhead import FARTHEST_FACTOR
from measured_topologies import report
from msgspec import structs
from obedient_nimbus import Clock, Nimbus
from storm_builders import chain, supervisor, worker

NOW = 1_760_000_000.0
DEAR = CrossingCost(worker=0.03, crossing=0.2, per_tuple=8e-6)
KEPT = TopologyCrossingCost("words", NOW - 60.0, 0.03, 0.2, HALF_RATE, 8e-6)


class Kept:
    """A store in memory; what an earlier sidecar kept is `before`, None until it is known."""

    def __init__(self, before: CrossingCostRecord | None = None) -> None:
        self.before = before
        self.record: CrossingCostRecord | None = None

    def read(self) -> CrossingCostRecord | None:
        return self.before

    def put(self, record: CrossingCostRecord) -> None:
        self.record = record


def learned(store: Kept) -> list[str]:
    return [it.topology for it in store.record.topologies] if store.record is not None else []


def test_a_topology_that_taught_nothing_begins_with_what_is_usual() -> None:
    memory = CrossingMemory(Kept(CrossingCostRecord()), Clock(NOW))
    memory.read()
    assert memory.prior("words") == USUAL_COST


def test_what_an_earlier_sidecar_kept_counts_as_soon_as_it_is_read() -> None:
    store = Kept()
    memory = CrossingMemory(store, Clock(NOW))
    memory.read()
    assert memory.prior("words") == USUAL_COST
    store.before = CrossingCostRecord(NOW - 60.0, (KEPT,))
    memory.read()
    assert memory.prior("words") == DEAR


def test_what_was_learned_meanwhile_counts_more_than_what_is_read_late() -> None:
    store = Kept()
    memory = CrossingMemory(store, Clock(NOW))
    memory.learn("words", USUAL_COST._replace(crossing=0.1))
    store.before = CrossingCostRecord(NOW - 60.0, (KEPT,))
    memory.read()
    assert memory.prior("words").crossing == 0.1


def test_costs_of_another_form_of_the_term_are_left_out() -> None:
    other = TopologyCrossingCost("words", NOW, 0.03, 0.2, 2 * HALF_RATE, 8e-6)
    memory = CrossingMemory(Kept(CrossingCostRecord(NOW, (other,))), Clock(NOW))
    memory.read()
    assert memory.prior("words") == USUAL_COST


def test_what_is_read_lies_within_what_is_kept_of_any_fit() -> None:
    wild = TopologyCrossingCost("words", NOW, 9.0, 0.0, HALF_RATE, 5e-6)
    memory = CrossingMemory(Kept(CrossingCostRecord(NOW, (wild,))), Clock(NOW))
    memory.read()
    assert memory.prior("words") == pytest.approx(
        (
            FARTHEST_FACTOR * USUAL_COST.worker,
            USUAL_COST.crossing / FARTHEST_FACTOR,
            USUAL_COST.per_tuple,
        )
    )


def test_those_learned_last_are_kept() -> None:
    store = Kept(CrossingCostRecord())
    memory = CrossingMemory(store, Clock(NOW))
    for number in range(MOST + 1):
        memory.learn(f"t{number}", DEAR)
    memory.learn("t1", DEAR)
    assert len(learned(store)) == MOST
    assert (learned(store)[0], learned(store)[-1]) == ("t2", "t1")


def measured(store: Kept, name: str = "words-1-170") -> tuple[Nimbus, Topology]:
    """source and sink in a worker each, 1,000 tuples/s between them, 0.2 cores in no executor.

    Usual are 0.015 + 0.08 · 2/3 + 0.005 = 0.073 cores.
    """
    settings = {"rate.hint": {"source": 1000}, "objective": "L=1"}
    topology = chain(("source", 1), ("sink", 1), name=name, settings=settings)
    nimbus = Nimbus([supervisor("a"), supervisor("b")], {("a", "b"): 10})
    nimbus.service._crossings = CrossingMemory(store, Clock(NOW))
    nimbus.running[topology.id] = (worker("a", 6700, 1), worker("b", 6700, 2))
    nimbus.measured.wanted = True
    for sequence in range(8):
        for host, task in (("a", 1), ("b", 2)):
            sample = report(
                host, sequence, time=nimbus.clock.now, busy=0.3, used={topology.id: 0.3}
            )
            threads = (ThreadGroup((task,), 1, 0.5, 0.0),)
            workers = tuple(structs.replace(it, threads=threads) for it in sample.workers)
            nimbus.measured.hosts[host] = structs.replace(sample, workers=workers)
        nimbus.clock.now += 4.0
        nimbus.round(topology, obey=False)
    return nimbus, topology


def test_an_assignment_that_ends_teaches_the_topology_that_has_the_same_name() -> None:
    store = Kept(CrossingCostRecord())
    nimbus, topology = measured(store)
    assert learned(store) == []  # what runs has not taught all that it can
    nimbus.running[topology.id] = (worker("a", 6701, 1, 2),)
    nimbus.round(topology, obey=False)
    assert learned(store) == [topology.name]
    assert store.record is not None
    (found,) = store.record.topologies
    assert found.crossing > 1.5 * USUAL_COST.crossing
    assert (found.half_rate, found.time) == (HALF_RATE, NOW)


def test_a_topology_that_is_killed_teaches_the_one_that_is_submitted_in_its_place() -> None:
    store = Kept(CrossingCostRecord())
    nimbus, topology = measured(store)
    nimbus.round()
    assert learned(store) == [topology.name]
    assert store.record is not None
    again = replace(topology, id="words-2-171")
    nimbus.running[again.id] = (worker("a", 6700, 1, 2),)
    nimbus.round(again, obey=False)
    began = nimbus.service.last_round().records[again.id].crossing_cost
    assert began.crossing == pytest.approx(store.record.topologies[0].crossing)


def test_an_assignment_in_which_nothing_was_measured_teaches_nothing() -> None:
    store = Kept(CrossingCostRecord())
    topology = chain(("source", 1), ("sink", 1))
    nimbus = Nimbus([supervisor("a"), supervisor("b")], {("a", "b"): 10})
    nimbus.service._crossings = CrossingMemory(store, Clock(NOW))
    nimbus.rounds(topology, 3)
    nimbus.round()
    assert learned(store) == []
