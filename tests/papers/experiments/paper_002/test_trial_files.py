"""Table 1's topologies as trials of a real cluster."""

import argparse
from pathlib import Path

import pytest
from eyewall_deploy.trial import trial_file
from eyewall_deploy.trial.load_shapes import operator_work
from eyewall_deploy.trial.trial_checks import find_impossible_rate, find_no_room
from eyewall_papers.experiments.paper_002.reproduce import read_topologies
from eyewall_papers.experiments.paper_002.trial_files import (
    OVERLOAD,
    QUIET,
    add_options,
    run,
    trial_text,
)
from eyewall_papers.instances.ecker_shapes import CYCLIC, TABLE_1

CORES = 2


@pytest.mark.parametrize("topology", TABLE_1)
def test_a_trial_has_the_papers_operations_and_operators_and_needs_half_of_the_cores(
    topology: str,
) -> None:
    trial = trial_file.parse(trial_text(topology), Path("x.toml"), CORES)
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


def test_schedulers_are_storms_the_papers_and_ours() -> None:
    trial = trial_file.parse(trial_text("T-M1"), Path("x.toml"), CORES)
    labels = [it.label for it in trial.schedulers]
    assert labels == ["default", "ras", "hill-climbing", "ants", "hybrid", "eyewall"]


def options(*given: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_options(parser)
    return parser.parse_args(given)


def test_an_hour_has_three_topologies_and_one_repetition(tmp_path: Path) -> None:
    run(options("--hour", "--output", str(tmp_path)))
    files = sorted(tmp_path.iterdir())
    assert [it.name for it in files] == ["t-m1.toml", "t-r3.toml", "t-r7.toml"]
    assert {trial_file.load(str(it), CORES).repetitions for it in files} == {1}
    assert trial_file.parse(trial_text("T-R7"), Path("x.toml"), CORES).repetitions == 3


def test_files_are_written_by_name_and_an_unknown_topology_is_refused(tmp_path: Path) -> None:
    run(options("--topologies", "T-M1,T-R8", "--output", str(tmp_path / "trials")))
    assert sorted(it.name for it in (tmp_path / "trials").iterdir()) == ["t-m1.toml", "t-r8.toml"]
    with pytest.raises(argparse.ArgumentTypeError, match="T-R10: there are T-M1, T-M2"):
        read_topologies("T-M1,T-R10")
