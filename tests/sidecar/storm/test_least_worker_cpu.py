"""What each worker counts for at least, by storm.worker.min.cpu.pcore.percent."""

from dataclasses import replace

import pytest
from eyewall_sidecar.messages import Code, message
from eyewall_sidecar.model import ProblemError
from eyewall_sidecar.storm import (
    choose_slots,
    supervisor_capacities,
)
from storm_builders import (
    ask,
    capacity,
    chain,
    cluster,
    state,
    supervisor,
    worker,
)


def test_a_supervisor_holds_so_many_workers_as_it_has_cpu_for_at_least() -> None:
    # A worker counts 3 cores: of 8 there is room for two, of 2 for none. Four executors a worker.
    hosts = [supervisor("a", 4), supervisor("b", 4, cpu=2.0)]
    problem = ask(hosts, chain(("source", 1)), least_worker_cores=3.0).problem
    assert capacity(problem) == {"a": 8}


def test_where_no_supervisor_has_cpu_for_a_worker_it_is_said_so() -> None:
    with pytest.raises(ProblemError) as refused:
        ask([supervisor("a", cpu=0.2)], chain(("source", 1)), least_worker_cores=0.3)
    assert refused.value.args == (message(Code.NO_WORKER_FITS, least=0.3, unreadable=[]),)


def test_where_a_worker_runs_one_more_has_room_for_what_is_left() -> None:
    # Of 8 cores the running worker counts 3, and 3 are left for one more.
    problem = ask(
        [supervisor("a", 4)], chain(("source", 2)), worker("a", 6700, 1), least_worker_cores=3.0
    ).problem
    assert capacity(problem) == {"a": 1 + 4}


def test_workers_of_others_count_at_least_that_cpu() -> None:
    # Of 8 cores the other's worker counts 3, though its executor requests 0.1.
    other = state(chain(("x", 1), name="other-1"), worker("a", 6700, 1))
    hosts, topology = [supervisor("a", 4)], chain(("source", 1))
    problem = ask(hosts, topology, others=[other], least_worker_cores=3.0).problem
    assert problem.nodes[0].cpu == 5.0


def test_what_runs_may_stay_where_the_least_cpu_of_its_worker_does_not_fit_any_more() -> None:
    # The other's worker counts 6 of 8 cores and ours 6: it stays, and nothing joins it.
    other = state(chain(("x", 1), name="other-1"), worker("a", 6700, 1))
    problem = ask(
        [supervisor("a", 4), supervisor("b", 4)],
        chain(("source", 1)),
        worker("a", 6701, 1),
        others=[other],
        moving=True,
        least_worker_cores=6.0,
    ).problem
    assert capacity(problem) == {"a": 4, "b": 4}


def test_too_little_cpu_for_so_many_workers_is_refused_and_what_runs_stays() -> None:
    # Each worker counts 0.5 cores at least, of 1.2; executors request 0.1.
    topology = state(
        chain(("source", 3)),
        worker("a", 6700, 1),
        worker("a", 6701, 2),
        worker("a", 6702, 3),
    )
    seen = replace(cluster([supervisor("a", 4, cpu=1.2)], topology), least_worker_cores=0.5)
    capacities = supervisor_capacities(seen, topology)
    everything = dict.fromkeys(topology.topology.executors(), "sup-a")
    stays = choose_slots(everything, topology, capacities, 1, {})
    assert stays.assignment == topology.assignment
    with pytest.raises(ProblemError) as refused:
        choose_slots(everything, replace(topology, assignment=()), capacities, 1, {})
    assert str(refused.value) == (
        "a: 3 workers need 1.5 cores of 1.2, each 0.5 at least (storm.worker.min.cpu.pcore.percent)"
    )
