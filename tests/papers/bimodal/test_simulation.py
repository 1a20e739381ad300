"""A platform under a stream of tasks: what is accepted, delivered, used, and late."""

from dataclasses import replace
from math import inf, sqrt
from statistics import fmean, stdev

import numpy as np
import pytest
from eyewall_papers.bimodal.compiled_negotiation import balanced_mapper
from eyewall_papers.bimodal.mapping import Resources
from eyewall_papers.bimodal.network import DedicatedLink, TwoKindNetwork
from eyewall_papers.bimodal.simulation import SimulationResult, TaskArrival, simulate
from eyewall_papers.bimodal.task import Task
from eyewall_papers.bimodal.variability import Ratios, WindowMean, draw_by_window, draw_each_step
from eyewall_sidecar.model import LinkMatrix, Node, ProblemError
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.random import Generator, default_rng
from two_kind_networks import random_case

NODES = ("a", "b")


def half(ratios: Ratios, _steps: int, _rng: Generator) -> float:
    """Deliver half of the target wherever there is a public hop."""
    return 0.5 if ratios else 1.0


def dedicated_pair() -> TwoKindNetwork:
    """Join two nodes by a dedicated link of 10 bytes/s."""
    return TwoKindNetwork(
        nodes=(Node("a", cpu=0.0), Node("b", cpu=4.0)),
        dedicated=(DedicatedLink("a", "b", bandwidth=10.0),),
        services={"b": frozenset({"encode"})},
    )


def public_pair() -> TwoKindNetwork:
    return TwoKindNetwork(
        nodes=(Node("a", cpu=0.0), Node("b", cpu=4.0)),
        public=LinkMatrix.from_delays(NODES, np.full((len(NODES),) * 2, 0.05)),
        uplinks=dict.fromkeys(NODES, 10.0),
        downlinks=dict.fromkeys(NODES, 10.0),
        services={"b": frozenset({"encode"})},
    )


def encoded(name: str, at: float, *, volume: float = 1000.0) -> TaskArrival:
    """Ask for a stream of 10 bytes/s from a to b that takes a core of b."""
    task = Task.of_services(name, ("a", "b"), ["encode"], [1.0], [10.0, 10.0])
    return TaskArrival(at, task, volume)


def run(
    network: TwoKindNetwork,
    *arrivals: TaskArrival,
    draw: WindowMean = half,
    interval: float = inf,
    seed: int = 0,
) -> SimulationResult:
    return simulate(
        network, arrivals, balanced_mapper(network), draw, default_rng(seed), interval=interval
    )


def test_a_task_on_dedicated_links_takes_its_volume_over_its_rate() -> None:
    # 1000 bytes at 10 bytes/s from second 3: until 103.
    (done,) = run(dedicated_pair(), encoded("t", 3.0)).runs
    assert done.finished == pytest.approx(103.0)
    assert done.deviation == pytest.approx(0.0, abs=1e-12)
    assert done.elongation == pytest.approx(0.0, abs=1e-12)


def test_half_the_rate_takes_twice_the_time_and_deviates_by_half() -> None:
    (done,) = run(public_pair(), encoded("t", 3.0)).runs
    assert done.finished == pytest.approx(203.0)
    assert done.deviation == pytest.approx(0.5)
    assert done.elongation == pytest.approx(1.0)


def test_a_task_that_finds_no_bandwidth_is_turned_away_and_one_that_comes_later_is_not() -> None:
    found = run(dedicated_pair(), *(encoded(str(at), at) for at in (0.0, 99.0, 101.0)))
    assert [it.arrival.at for it in found.runs] == [0.0, 101.0]
    assert found.acceptance == pytest.approx(2 / 3)


def test_utilisation_and_throughput_are_means_until_the_last_arrival() -> None:
    # Until 400 one task runs for 100 s: 1 of 4 cores, 10 of 2·10 bytes/s of the link, 1000 bytes.
    found = run(dedicated_pair(), encoded("t", 50.0), encoded("u", 400.0))
    assert found.horizon == 400.0
    assert found.server_utilisation == pytest.approx(100 / 400 * 1 / 4)
    assert found.link_utilisation == pytest.approx(100 / 400 * 10 / 20)
    assert found.throughput == pytest.approx(1000 / 400)


def test_re_allocation_lets_two_tasks_take_turns_on_the_dedicated_link() -> None:
    # Both kinds: the first task has the dedicated link, the second comes at 5 and gets half its
    # rate. At 60 the second is 27.5 s behind, and they change places; at 120 the first is 30 s
    # behind, the second 27.5, and they change back. The first has 90 s of its 100 s by then, and
    # ends at 130; the second has 87.5, and the rest at half the rate ends at 145. Without
    # re-allocation it is 205.
    pair = dedicated_pair()
    both = TwoKindNetwork(
        pair.nodes,
        pair.dedicated,
        LinkMatrix.from_delays(NODES, np.full((len(NODES),) * 2, 0.05)),
        dict.fromkeys(NODES, 10.0),
        dict.fromkeys(NODES, 10.0),
        pair.services,
    )
    arrivals = encoded("first", 0.0), encoded("second", 5.0)
    assert [it.finished for it in run(both, *arrivals).runs] == pytest.approx([100.0, 205.0])
    moved = run(both, *arrivals, interval=60.0)
    assert [it.finished for it in moved.runs] == pytest.approx([130.0, 145.0])


def test_re_allocation_without_a_public_network_is_refused() -> None:
    with pytest.raises(ProblemError, match="without a public network there is nothing"):
        run(dedicated_pair(), encoded("t", 0.0), interval=60.0)


def test_an_interval_shorter_than_a_window_is_refused() -> None:
    with pytest.raises(ProblemError, match="interval is 1 s; it must be at least a window, 10 s"):
        run(public_pair(), encoded("t", 0.0), interval=1.0)


def random_network(seed: int) -> TwoKindNetwork:
    """Draw one whose uplinks and downlinks are above 0: re-allocation may put streams there."""
    network = random_case(seed, nodes=6, components=3).network
    lasts = {name: 1.0 + limit for name, limit in network.uplinks.items()}
    return replace(network, uplinks=lasts, downlinks=lasts)


def random_run(seed: int, draw: WindowMean = draw_by_window) -> SimulationResult:
    """Send twelve tasks to a random network, most of them while others run."""
    network = random_network(seed)
    rng = default_rng(seed)
    arrivals = [
        TaskArrival(
            float(40 * place),
            random_case(7919 * seed + place, nodes=6, components=3).task,
            float(rng.uniform(20, 300)),
        )
        for place in range(12)
    ]
    interval = 20.0 if network.public is not None and seed % 2 else inf
    return run(network, *arrivals, draw=draw, interval=interval, seed=seed)


@settings(max_examples=25)
@given(seed=st.integers(0, 60))
def test_when_all_is_delivered_the_whole_network_is_free_again(seed: int) -> None:
    network = random_network(seed)
    found, whole = random_run(seed).free, Resources.of(network)
    assert found.cpu == pytest.approx(whole.cpu)
    assert found.dedicated == pytest.approx(whole.dedicated)
    assert found.uplinks == pytest.approx(whole.uplinks)
    assert found.downlinks == pytest.approx(whole.downlinks)


@settings(max_examples=25)
@given(seed=st.integers(0, 60))
def test_each_accepted_task_delivers_all_its_bytes_and_never_early(seed: int) -> None:
    for it in random_run(seed).runs:
        assert it.delivered == pytest.approx(it.arrival.volume)
        assert it.finished >= it.arrival.at + it.arrival.nominal - 1e-6


@settings(max_examples=25)
@given(seed=st.integers(0, 60))
def test_without_a_public_network_nothing_deviates(seed: int) -> None:
    if random_network(seed).public is None:
        assert all(it.deviation == pytest.approx(0.0, abs=1e-9) for it in random_run(seed).runs)


@settings(max_examples=25)
@given(seed=st.integers(0, 60))
def test_no_more_cores_and_links_are_used_than_there_are(seed: int) -> None:
    found = random_run(seed)
    assert 0.0 <= found.server_utilisation <= 1.0 + 1e-9
    assert 0.0 <= found.link_utilisation <= 1.0 + 1e-9


def test_the_exact_process_and_window_means_give_the_same_deviation() -> None:
    # The same tasks with both ways to draw: what each deviates by differs by chance alone, with a
    # mean difference of 0 within four standard errors.
    exact, means = (
        run(public_pair(), *(encoded(str(at), 300.0 * at) for at in range(40)), draw=draw)
        for draw in (draw_each_step, draw_by_window)
    )
    differences = [
        one.deviation - other.deviation for one, other in zip(exact.runs, means.runs, strict=True)
    ]
    assert abs(fmean(differences)) < 4 * stdev(differences) / sqrt(len(differences))
