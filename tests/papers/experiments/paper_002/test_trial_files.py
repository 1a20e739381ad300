"""Table 1's topologies as trials of a real cluster."""

import argparse
from pathlib import Path

import pytest
from eyewall_deploy import cluster_file
from eyewall_deploy.trial import trial_file
from eyewall_deploy.trial.load_shapes import operator_work
from eyewall_deploy.trial.trial_checks import find_impossible_rate, find_no_room
from eyewall_deploy.trial.trial_file import Trial
from eyewall_papers.experiments.paper_002.reproduce import read_topologies
from eyewall_papers.experiments.paper_002.trial_files import (
    OVERLOAD,
    QUIET,
    add_options,
    run,
)
from eyewall_papers.instances.ecker_shapes import CYCLIC, TABLE_1

CORES = 2


def options(*given: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_options(parser)
    return parser.parse_args(given)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    written = tmp_path_factory.mktemp("trials")
    run(options("--output", str(written)))
    return written


def load(folder: Path, topology: str) -> Trial:
    return trial_file.load(str(folder / f"{topology.lower()}.toml"), CORES)


@pytest.mark.parametrize("topology", TABLE_1)
def test_a_trial_has_the_papers_operations_and_operators_and_needs_half_of_the_cores(
    topology: str, folder: Path
) -> None:
    trial = load(folder, topology)
    (it,) = trial.topologies
    assert it.shape == "graph"
    assert isinstance(it.arguments, dict)
    work = operator_work(it.shape, it.arguments)
    operations, operators = TABLE_1[topology]
    assert (len(work) + 2, sum(each.executors for each in work) + 2) == (operations, operators)
    assert ("back" in it.arguments) == (topology in CYCLIC)
    assert trial.rate.first is not None
    used = sum(each.seconds for each in work) * trial.rate.first
    # The operations of the three manual ones have too few threads for as much.
    less = {"T-M1": 0.682, "T-M3": 0.170}
    assert used == pytest.approx(less.get(topology, 0.75), rel=0.01)
    assert find_impossible_rate(trial) is None
    assert find_no_room(trial) is None
    assert trial.loads == (QUIET, OVERLOAD)


def test_hosts_declare_the_papers_ratios_of_what_the_machine_gives_them(folder: Path) -> None:
    # 1.5 of the paper's 6.6 cores: w1 has 0.341 in place of 1.5, the small ones 0.068 of 0.3.
    trial = load(folder, "T-M1")
    cores = {it.name: it.cpu for it in trial.cluster.hosts}
    assert sum(cores.values()) == pytest.approx(1.5, abs=0.001)
    assert trial.host_cores() == cores
    assert cores["w1"] / cores["w3"] == pytest.approx(5.0, abs=0.01)
    shipped = cluster_file.load("ecker11")
    assert trial.cluster.delays == shipped.delays
    assert [it.memory for it in trial.cluster.hosts] == [it.memory for it in shipped.hosts]


def test_schedulers_are_storms_the_papers_and_ours(folder: Path) -> None:
    labels = [it.label for it in load(folder, "T-M1").schedulers]
    assert labels == ["default", "ras", "hill-climbing", "ants", "hybrid", "eyewall"]


def test_an_hour_is_one_topology_once_and_takes_no_longer(tmp_path: Path, folder: Path) -> None:
    run(options("--hour", "--output", str(tmp_path)))
    assert sorted(it.name for it in tmp_path.glob("t-*")) == ["t-r3.toml"]
    trial = load(tmp_path, "T-R3")
    starts = trial.repetitions * len(trial.schedulers)
    # Six starts with two loads, 40 and 180 s each, are 44 minutes; half a minute more for each.
    assert starts * (len(trial.loads) * (trial.warm_up + trial.seconds) + 60) <= 3600
    assert load(folder, "T-R3").repetitions == 3


def test_a_twin_in_python_is_a_trial_of_the_same_schedulers_with_a_start_for_each_load(
    folder: Path,
) -> None:
    trial, java = load(folder, "T-M1-python"), load(folder, "T-M1")
    assert trial.topologies[0].streamparse == "relay"
    assert not trial.one_start
    assert (trial.loads, trial.schedulers) == (java.loads, java.schedulers)
    # Half of 1.5 cores, by five operators of 2.2 ms: 68.2 tuples/s.
    assert trial.rate.first == pytest.approx(68.2)


def test_files_are_written_by_name_and_an_unknown_topology_is_refused(tmp_path: Path) -> None:
    run(options("--topologies", "T-M1,T-R8", "--output", str(tmp_path / "trials")))
    written = (tmp_path / "trials").iterdir()
    names = ["ecker11-small.toml", "t-m1-python.toml", "t-m1.toml", "t-r8.toml"]
    assert sorted(it.name for it in written) == names
    with pytest.raises(argparse.ArgumentTypeError, match="T-R10: there are T-M1, T-M2"):
        read_topologies("T-M1,T-R10")
