from collections import defaultdict
from math import fsum

import pytest
from eyewall_papers.instances.ecker_shapes import CYCLIC, SOURCE, TABLE_1, shape_of
from eyewall_papers.instances.ecker_testbed import MEGABYTE, ecker_problem, workers
from eyewall_sidecar.objectives.ecker import with_headroom


def test_the_workers_are_those_of_section_6_1_1() -> None:
    nodes, links = workers()
    offered = {it.id: (it.cpu, it.memory / MEGABYTE) for it in nodes}
    small = ("w3", "w4", "w5", "w8", "w9", "w10", "w11")
    expected = {"w1": (1.5, 2048)}
    expected |= dict.fromkeys(("w2", "w6", "w7"), (1.0, 1024))
    expected |= dict.fromkeys(small, (0.3, 768))
    assert offered == expected
    assert {it.delay for it in links.values()} == {0.001, 0.003, 0.004, 0.005, 0.006}


@pytest.mark.parametrize("topology", TABLE_1)
def test_operators_need_a_tenth_of_a_core_in_the_mean(topology: str) -> None:
    operators = ecker_problem(topology, 0.1).operators
    assert len(operators) == TABLE_1[topology][1]
    assert fsum(it.cpu for it in operators) == pytest.approx(0.1 * len(operators))


@pytest.mark.parametrize("topology", ["T-M1", "T-M2", "T-M3"])
def test_each_of_the_three_small_ones_fits_on_the_greatest_worker(topology: str) -> None:
    problem = with_headroom(ecker_problem(topology))
    greatest = problem.node("w1")
    assert fsum(it.cpu for it in problem.operators) <= greatest.cpu
    assert fsum(it.memory for it in problem.operators) <= greatest.memory


def test_ten_instances_share_what_the_source_sends() -> None:
    # 1000/s shuffled over 10 operators: 100/s each way to the sink; selectivity is 1.
    problem = ecker_problem("T-M2")
    assert {it.rate for it in problem.streams} == {100.0}
    assert len(problem.streams) == 20


def test_an_operator_s_cores_go_with_the_tuples_that_it_handles() -> None:
    # T-M2: source and sink handle 1000/s each, ten others 100/s: shares of 1.2 cores are 0.4, 0.4
    # and ten times 0.04.
    cores = [it.cpu for it in ecker_problem("T-M2", 0.1).operators]
    assert cores == pytest.approx([0.4, 0.4, *[0.04] * 10])


@pytest.mark.parametrize("topology", CYCLIC)
def test_an_operation_emits_its_selectivity_of_what_arrives_but_a_stream_back_brings_nothing(
    topology: str,
) -> None:
    shape = shape_of(topology)
    rates: defaultdict[tuple[str, str], float] = defaultdict(float)
    for stream in ecker_problem(topology).streams:
        rates[stream.source.split("#")[0], stream.target.split("#")[0]] += stream.rate
    for operation in range(2, len(shape.instances)):
        into = [_name(source) for source, target in shape.edges if target == operation]
        arriving = sum(rates[it, str(operation)] for it in into)
        emitted = {rate for (source, _), rate in rates.items() if source == str(operation)}
        expected = shape.selectivities[operation] * arriving
        assert emitted, "streams back are among them"
        assert sorted(emitted) == pytest.approx([expected] * len(emitted))
    assert shape.back is not None
    assert rates[_name(shape.back[0]), _name(shape.back[1])] > 0


def _name(operation: int) -> str:
    return "source" if operation == SOURCE else str(operation)
