from dataclasses import replace

import pytest
from eyewall_papers.experiments.paper_000.failed_worker import fail
from eyewall_sidecar.model import Operator
from eyewall_sidecar.objective import Term
from small_problems import chain_of


def test_a_failed_worker_costs_the_hop_that_its_node_has_no_room_to_avoid() -> None:
    # Five executors of 1 s fill n1: R = 5 s. With one slot gone it holds four, so an end of the
    # chain moves to n2, 10 ms away: 5.01 s.
    chain = chain_of([1, 1, 1, 1], [8, 1])
    problem = replace(chain, operators=tuple(Operator(it, execution_time=1.0) for it in "abcde"))
    failure = fail(problem, Term.R)
    assert (failure.moves, failure.at_least) == (1, 1)
    assert failure.worse == pytest.approx(5.01 / 5)
