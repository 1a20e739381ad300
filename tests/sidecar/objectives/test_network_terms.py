import pytest
from eyewall_sidecar.model import Link, Node, Operator, Placement, PlacementProblem, Stream
from eyewall_sidecar.objectives.elastic_energy import elastic_energy
from eyewall_sidecar.objectives.inter_node_traffic import inter_node_traffic
from eyewall_sidecar.objectives.network_usage import network_usage

# a ─10/s─▶ b ─30/s─▶ c, and acks c ─2/s─▶ a; 20 ms from n1 to n2, 40 ms back.
PROBLEM = PlacementProblem(
    operators=(Operator("a"), Operator("b"), Operator("c")),
    streams=(Stream("a", "b", 10), Stream("b", "c", 30), Stream("c", "a", 2, system=True)),
    nodes=(Node("n1"), Node("n2")),
    links={("n1", "n2"): Link(0.02), ("n2", "n1"): Link(0.04)},
)
SPLIT = {"a": "n1", "b": "n1", "c": "n2"}
TOGETHER = dict.fromkeys("abc", "n2")


def test_inter_node_traffic_is_what_leaves_a_node_acks_included() -> None:
    assert inter_node_traffic(PROBLEM, SPLIT) == pytest.approx(30 + 2)


def test_network_usage_is_rate_times_delay_in_the_direction_of_the_stream() -> None:
    assert network_usage(PROBLEM, SPLIT) == pytest.approx(30 * 0.02 + 2 * 0.04)


def test_elastic_energy_is_rate_times_delay_squared() -> None:
    assert elastic_energy(PROBLEM, SPLIT) == pytest.approx(30 * 0.02**2 + 2 * 0.04**2)


@pytest.mark.parametrize("placement", [TOGETHER])
def test_on_one_node_nothing_is_on_the_network(placement: Placement) -> None:
    assert inter_node_traffic(PROBLEM, placement) == 0
    assert network_usage(PROBLEM, placement) == 0
    assert elastic_energy(PROBLEM, placement) == 0
