"""What crossings cost a topology outlasts its assignment, its submission and the sidecar."""

from dataclasses import replace

import pytest
from eyewall_contracts.crossing_costs import CrossingCostRecord, TopologyCrossingCost
from eyewall_contracts.sample import TaskInput, TaskOutput, TaskSample, ThreadGroup
from eyewall_sidecar.service.crossing_memory import MOST, CrossingMemory
from eyewall_sidecar.storm import HALF_RATE, USUAL_COST, CrossingCost
from eyewall_sidecar.storm.worker_overhead import FARTHEST_FACTOR
from kept_knowledge import Kept
from measured_topologies import rates_of, report
from msgspec import structs
from obedient_nimbus import Clock, Nimbus
from storm_builders import chain, supervisor, worker

NOW = 1_760_000_000.0
DEAR = CrossingCost(worker=0.03, crossing=0.2, per_tuple=8e-6)
KEPT = TopologyCrossingCost("words", NOW - 60.0, 0.03, 0.2, HALF_RATE, 8e-6)


def learned(store: Kept[CrossingCostRecord]) -> list[str]:
    return [it.topology for it in store.record.topologies] if store.record is not None else []


def test_a_topology_that_taught_nothing_begins_with_what_is_usual() -> None:
    memory = CrossingMemory(Kept(CrossingCostRecord()), Clock(NOW))
    memory.read()
    assert memory.prior("words") == USUAL_COST


def test_what_an_earlier_sidecar_kept_counts_as_soon_as_it_is_read() -> None:
    store = Kept[CrossingCostRecord]()
    memory = CrossingMemory(store, Clock(NOW))
    memory.read()
    assert memory.prior("words") == USUAL_COST
    store.before = CrossingCostRecord(NOW - 60.0, (KEPT,))
    memory.read()
    assert memory.prior("words") == DEAR


def test_what_was_learned_meanwhile_counts_more_than_what_is_read_late() -> None:
    store = Kept[CrossingCostRecord]()
    memory = CrossingMemory(store, Clock(NOW))
    memory.learn("words", USUAL_COST._replace(crossing=0.1))
    assert store.record is None  # it would replace what is kept
    other = structs.replace(KEPT, topology="chain")
    store.before = CrossingCostRecord(NOW - 60.0, (KEPT, other))
    assert memory.read()
    assert memory.prior("words").crossing == 0.1
    assert learned(store) == ["chain", "words"]


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
    memory.read()
    for number in range(MOST + 1):
        memory.learn(f"t{number}", DEAR)
    memory.learn("t1", DEAR._replace(crossing=0.1))
    assert len(learned(store)) == MOST
    assert (learned(store)[0], learned(store)[-1]) == ("t2", "t1")


def test_what_is_next_to_what_is_known_is_not_written_again() -> None:
    store = Kept(CrossingCostRecord(NOW - 60.0, (KEPT,)))
    memory = CrossingMemory(store, Clock(NOW))
    memory.read()
    memory.learn("words", DEAR._replace(crossing=0.96 * DEAR.crossing))
    assert store.record is None
    memory.learn("words", DEAR._replace(crossing=0.9 * DEAR.crossing))
    assert learned(store) == ["words"]


class Running:
    """source and sink in a worker each, with 1,000 tuples/s between them in the beginning.

    A worker that 1,000 tuples/s cross usually uses 0.015 + 0.08 · 2/3 + 0.005 = 0.073 cores in no
    executor.
    """

    def __init__(self, store: Kept[CrossingCostRecord]) -> None:
        settings = {"rate.hint": {"source": 1000}, "objective": "L=1"}
        self.topology = chain(("source", 1), ("sink", 1), name="words-1-170", settings=settings)
        self.nimbus = Nimbus([supervisor("a"), supervisor("b")], {("a", "b"): 10})
        self.nimbus.service._crossings = CrossingMemory(store, Clock(NOW))
        self.nimbus.measured.wanted = True
        self.nimbus.running[self.topology.id] = (worker("a", 6700, 1), worker("b", 6700, 2))
        self.sequence = 0

    def reports(self, number: int, rate: float, overhead: float) -> None:
        """So many reports of 5 s from each host, and a round after each."""
        count = round(5 * rate)
        tasks = {
            "a": TaskSample(1, "source", (), (TaskOutput("default", count, count),)),
            "b": TaskSample(2, "sink", (TaskInput("source", "default", count),)),
        }
        measured = rates_of(self.topology, {2: rate}, {1: rate}, until=self.nimbus.clock.now)
        self.nimbus.measured.rates[self.topology.id] = measured
        for _ in range(number):
            self.nimbus.clock.now += 4.0
            for host, task in tasks.items():
                used = {self.topology.id: overhead + 0.1}
                now = self.nimbus.clock.now
                sample = report(host, self.sequence, time=now, busy=0.3, used=used)
                threads = (ThreadGroup((task.task,), 1, 0.5, 0.0),)
                workers = tuple(
                    structs.replace(it, threads=threads, tasks=(task,)) for it in sample.workers
                )
                self.nimbus.measured.hosts[host] = structs.replace(sample, workers=workers)
            self.sequence += 1
            self.nimbus.round(self.topology, obey=False)


def test_a_topology_at_rest_teaches_what_its_crossings_cost() -> None:
    store = Kept(CrossingCostRecord())
    running = Running(store)
    running.reports(3, rate=1000, overhead=0.2)
    assert learned(store) == []  # not at rest yet
    running.reports(6, rate=1000, overhead=0.2)
    assert learned(store) == [running.topology.name]
    assert store.record is not None
    (found,) = store.record.topologies
    assert found.crossing > 1.5 * USUAL_COST.crossing
    assert (found.half_rate, found.time) == (HALF_RATE, NOW)


def test_one_that_idles_before_it_is_killed_is_not_forgotten() -> None:
    store = Kept(CrossingCostRecord())
    running = Running(store)
    running.reports(9, rate=1000, overhead=0.2)
    assert store.record is not None
    (loaded,) = store.record.topologies
    running.reports(20, rate=10, overhead=0.02)  # its sources have ended
    running.nimbus.round()  # it is gone
    (after,) = store.record.topologies
    assert after.crossing == pytest.approx(loaded.crossing, rel=0.05)
    again = replace(running.topology, id="words-2-171")
    running.nimbus.running[again.id] = (worker("a", 6700, 1, 2),)
    running.nimbus.round(again, obey=False)
    began = running.nimbus.service.last_round().records[again.id].crossing_cost
    assert began.crossing == pytest.approx(loaded.crossing, rel=0.05)


def test_its_next_assignment_begins_with_what_it_taught() -> None:
    running = Running(Kept(CrossingCostRecord()))
    running.reports(9, rate=1000, overhead=0.2)
    running.nimbus.running[running.topology.id] = (worker("a", 6701, 1, 2),)
    running.nimbus.round(running.topology, obey=False)
    record = running.nimbus.service.last_round().records[running.topology.id]
    assert record.crossing_cost.crossing > 1.5 * USUAL_COST.crossing


def test_topologies_that_came_before_it_was_read_begin_with_what_is_read() -> None:
    store = Kept[CrossingCostRecord]()
    running = Running(store)
    running.reports(2, rate=1000, overhead=0.07)
    records = running.nimbus.service.last_round().records
    assert records[running.topology.id].crossing_cost == USUAL_COST
    store.before = CrossingCostRecord(NOW, (structs.replace(KEPT, topology=running.topology.name),))
    running.reports(1, rate=1000, overhead=0.07)
    records = running.nimbus.service.last_round().records
    assert records[running.topology.id].crossing_cost == DEAR


def test_an_assignment_in_which_nothing_was_measured_teaches_nothing() -> None:
    store = Kept(CrossingCostRecord())
    topology = chain(("source", 1), ("sink", 1))
    nimbus = Nimbus([supervisor("a"), supervisor("b")], {("a", "b"): 10})
    nimbus.service._crossings = CrossingMemory(store, Clock(NOW))
    nimbus.rounds(topology, 3)
    nimbus.round()
    assert learned(store) == []
