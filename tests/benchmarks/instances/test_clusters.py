"""Clusters read from files in the format of the published ones, with tiny ones made here."""

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks.instances.clusters import large_cluster, real_graphs
from benchmarks.instances.workload import expand, share_of

MEGABYTE = 1024**2


@pytest.fixture
def data(tmp_path: Path) -> Path:
    topologies, latency = tmp_path / "topologies", tmp_path / "latency"
    topologies.mkdir()
    latency.mkdir()

    def write(name: str, content: object) -> None:
        (topologies / f"{name}.json").write_text(json.dumps(content), encoding="utf-8")

    topology = {
        "topology": "T0",
        "components": [
            {"id": "c0", "executors": 2, "cpu_pcore": 50, "onheap_mb": 100, "offheap_mb": 28},
            {"id": "c1", "executors": 3, "cpu_pcore": None, "onheap_mb": None, "offheap_mb": None},
        ],
        "streams": [["c0", "c1", "all"], ["c0", "c1", "none"]],
    }
    write("large_cluster_1", [topology])
    write("large_cluster_3", [topology | {"topology": "T1"}])
    racks = [
        {"rack": "r0", "count": 2, "cpu_pcore": 1100, "memory_mb": 10},
        {"rack": "r1", "count": 1, "cpu_pcore": 1200, "memory_mb": 20},
    ]
    write("large_cluster_1_supervisors", racks)
    write("large_cluster_3_supervisors", racks)
    # The round trip from node i to node j is 1 0 i j ms, as digits: see `ends`.
    place = np.arange(6)
    rows = 1000 + 10 * place[:, None] + place
    text = "\n".join("\t".join(map(str, row)) for row in rows.tolist())
    (latency / "planetlab_490_t1.tsv.gz").write_bytes(gzip.compress(text.encode()))
    return tmp_path


def test_what_a_component_does_not_request_is_storms_default(data: Path) -> None:
    declared, silent = large_cluster(data, seed=0).topologies[0].components
    assert (declared.cpu, declared.memory) == (0.5, 128 * MEGABYTE)
    assert (silent.cpu, silent.memory) == (0.1, 128 * MEGABYTE)


def test_supervisors_of_a_rack_are_a_fifth_of_a_millisecond_apart(data: Path) -> None:
    workload = large_cluster(data, seed=0)
    assert [(it.id, it.cpu) for it in workload.supervisors] == [
        ("r0-0", 11.0),
        ("r0-1", 11.0),
        ("r1-2", 12.0),
    ]
    assert workload.links.delay("r0-0", "r0-1") == 0.0002
    assert workload.links.delay("r0-0", "r0-0") == 0


def ends(delay: float) -> tuple[int, int]:
    """Which two PlanetLab nodes a delay, in seconds one way, is between."""
    sender, receiver = divmod(round(delay * 2 * 1000) - 1000, 10)
    return sender, receiver


@pytest.mark.parametrize("seed", range(4))
def test_racks_are_as_far_apart_as_two_different_nodes_one_way(data: Path, seed: int) -> None:
    workload = large_cluster(data, seed)
    delay = workload.links.delay("r0-0", "r1-2")
    one, other = ends(delay)
    assert one != other
    assert {one, other} <= set(range(6))
    assert workload.links.delay("r0-1", "r1-2") == delay
    assert ends(workload.links.delay("r1-2", "r0-1")) == (other, one)


@pytest.mark.parametrize("seed", range(4))
def test_delays_of_real_graphs_are_a_submatrix(data: Path, seed: int) -> None:
    # Three supervisors are three nodes a, b, c, whichever pair one looks at.
    workload = real_graphs(data, seed)
    names = [it.id for it in workload.supervisors]
    a, b, c = (
        ends(workload.links.delay(one, other))
        for one, other in ((names[0], names[1]), (names[1], names[2]), (names[2], names[0]))
    )
    assert (a[1], b[1], c[1]) == (b[0], c[0], a[0])
    assert len({a[0], b[0], c[0]}) == 3
    assert {a[0], b[0], c[0]} <= set(range(6))


def test_real_graphs_are_those_of_both_clusters_that_are_small_enough(data: Path) -> None:
    assert [it.id for it in real_graphs(data, seed=0).topologies] == [
        "cluster_1/T0",
        "cluster_3/T1",
    ]
    assert not real_graphs(data, seed=0, most_executors=4).topologies


def test_streams_are_spread_over_executors_by_their_grouping(data: Path) -> None:
    # Two streams share c0's rate λ. Each of 2 · 3 pairs: `all` λ/2 · 1/2, `none` λ/2 · 1/6.
    workload = real_graphs(data, seed=0)
    (topology, _) = workload.topologies
    rate = sum(it.rate for it in topology.streams)
    problem = expand(topology, workload)
    assert [it.id for it in problem.operators] == ["c0#1", "c0#2", "c1#1", "c1#2", "c1#3"]
    between = [it.rate for it in problem.streams if (it.source, it.target) == ("c0#2", "c1#3")]
    assert between == [pytest.approx(rate / 4), pytest.approx(rate / 12)]
    assert len(problem.streams) == workload.pairs // 2 == 12


def test_the_same_seed_gives_the_same_workload_and_another_seed_another(data: Path) -> None:
    assert large_cluster(data, seed=4) == large_cluster(data, seed=4)
    assert large_cluster(data, seed=4) != large_cluster(data, seed=5)


def test_a_share_keeps_the_delays_of_the_supervisors_that_it_keeps(data: Path) -> None:
    whole = large_cluster(data, seed=0)
    part = share_of(whole, [], ["r1-2", "r0-1"])
    assert [it.id for it in part.supervisors] == ["r0-1", "r1-2"]
    assert part.links.delay("r1-2", "r0-1") == whole.links.delay("r1-2", "r0-1")
    assert part.executors == 0
