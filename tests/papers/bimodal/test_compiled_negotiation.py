"""Compiled agents answer as agents do, message for message."""

import pytest
from eyewall_papers.bimodal.compiled_negotiation import balanced_mapper, run_negotiation
from eyewall_papers.bimodal.mapping import Resources
from eyewall_papers.bimodal.mapping_arrays import free_arrays, network_arrays, task_arrays
from eyewall_papers.bimodal.metric import Balanced
from eyewall_papers.bimodal.negotiation import negotiate
from eyewall_papers.bimodal.network import TwoKindNetwork
from eyewall_papers.bimodal.partial_map import PartialMap
from eyewall_papers.bimodal.pruning import LeastCostMap
from eyewall_papers.bimodal.task import Task
from two_kind_networks import random_case


def by_agents(
    network: TwoKindNetwork, free: Resources, task: Task
) -> tuple[PartialMap | None, int]:
    negotiation = negotiate(network, free, task, LeastCostMap(), Balanced())
    assert negotiation.outcome is not None
    return negotiation.outcome.accepted, negotiation.traffic.maps


@pytest.mark.parametrize("first", range(0, 100, 25))
def test_compiled_agents_settle_on_the_same_map_after_as_many_messages(first: int) -> None:
    for seed in range(first, first + 25):
        case = random_case(seed, nodes=6, components=4)
        free = Resources.of(case.network)
        agents, sent = by_agents(case.network, free, case.task)
        arrays = (
            network_arrays(case.network),
            free_arrays(case.network, free),
            task_arrays(case.network, case.task),
        )
        assert run_negotiation(*arrays, 1 << 12).sent == sent, seed
        compiled = balanced_mapper(case.network)(free, case.task)
        if agents is None:
            assert compiled is None, seed
        else:
            assert compiled is not None, seed
            assert compiled.visits == agents.visits, seed
            assert compiled.loads == agents.loads, seed


def test_too_little_room_for_maps_is_an_error() -> None:
    case = random_case(1, nodes=6, components=4)
    ended = run_negotiation(
        network_arrays(case.network),
        free_arrays(case.network, Resources.of(case.network)),
        task_arrays(case.network, case.task),
        4,
    )
    assert not ended.finished
