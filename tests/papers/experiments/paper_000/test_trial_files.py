"""Sections 7.1 and 7.2 as trials of a real cluster."""

import argparse
import json
from pathlib import Path

import numpy as np
import pytest
from eyewall_deploy.trial import trial_file
from eyewall_papers.experiments.paper_000.trial_files import (
    AVAILABILITY,
    HEURISTICS,
    UNSURE,
    add_options,
    availability_trial,
    draw_outages,
    heuristics_trial,
    run,
)

CORES = 2


def test_a_node_is_down_for_what_its_availability_leaves() -> None:
    # A million seconds at 99 %, in outages of 10 s: 10,000 s in 1,000 outages. Lengths and number
    # each deviate by √1,000 · 10 s, 450 s together; 15 % are three times that.
    outages = draw_outages(0.99, 10.0, 1e6, np.random.default_rng(1))
    assert sum(until - at for at, until in outages) == pytest.approx(10_000, rel=0.15)
    assert len(outages) == pytest.approx(1_000, rel=0.1)
    ends = [0.0, *(until for _, until in outages)]
    assert all(before < at for before, (at, _) in zip(ends, outages, strict=False))


def test_only_nodes_that_are_declared_unsure_fail_and_pins_are_on_others() -> None:
    trial = trial_file.parse(availability_trial(6000.0, 10.0, seed=0), Path("x.toml"), CORES)
    declared = {it.name for it in trial.cluster.hosts if it.availability == AVAILABILITY}
    assert declared == set(UNSURE)
    assert {it.fail for it in trial.events} == set(UNSURE)
    (topology,) = trial.topologies
    pins = topology.options["eyewall.pin"]
    assert isinstance(pins, dict)
    pinned = {name for names in pins.values() for name in names}
    assert pinned < set(trial.cluster.host_names) - set(UNSURE)


def test_both_of_the_papers_policies_are_beside_storms_schedulers_and_ours() -> None:
    trial = trial_file.parse(availability_trial(60.0, 10.0, seed=0), Path("x.toml"), CORES)
    labels = [it.label for it in trial.schedulers]
    assert labels == ["default", "ras", "s-odp-r", "s-odp-a", "eyewall"]
    objectives = {it.label: it.settings.get("eyewall.objective") for it in trial.schedulers}
    assert (objectives["s-odp-r"], objectives["s-odp-a"]) == ("R=1", "A=1")


def test_each_heuristic_follows_its_plans_beside_the_optimum_of_what_it_aims_at() -> None:
    trial = trial_file.parse(heuristics_trial(60.0, 50.0), Path("x.toml"), CORES)
    aims = {it.label: it.settings.get("eyewall.objective") for it in trial.schedulers}
    assert list(aims.items()) == [
        ("default", None),
        ("ras", None),
        ("pietzuch", "EE=1"),
        ("s-odp-ee", "EE=1"),
        ("rizou", "N=1"),
        ("s-odp-n", "N=1"),
        ("xu", "T=1"),
        ("s-odp-t", "T=1"),
        ("eyewall", None),
    ]
    every = {it.label: it.plan_every for it in trial.schedulers}
    assert {label for label, seconds in every.items() if seconds == 50} == HEURISTICS.keys()
    assert {label for label, seconds in every.items() if seconds is None} == (
        every.keys() - HEURISTICS.keys()
    )
    early = {it.settings.get("eyewall.early.objective") for it in trial.schedulers}
    assert early == {None, "A=1"}
    # Streamparse would derive hints from the topology's settings, and rates were known at once.
    assert {json.dumps(it.options["eyewall.rate.hint"]) for it in trial.topologies} == {"{}"}
    assert trial.latency_algorithm == "paper"  # whose coordinates have no heights


def test_the_same_seed_gives_the_same_outages_and_another_one_others() -> None:
    assert availability_trial(600.0, 10.0, seed=3) == availability_trial(600.0, 10.0, seed=3)
    events = [availability_trial(600.0, 10.0, seed=it).partition("[[events]]")[2] for it in (3, 4)]
    assert events[0] != events[1]


def test_the_file_is_written_and_seconds_that_make_no_sense_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    parser = argparse.ArgumentParser()
    add_options(parser)
    run(parser.parse_args(["--output", str(tmp_path / "trials"), "--seconds", "120"]))
    for name in ("r-against-a", "heuristics"):
        assert "seconds = 120\n" in (tmp_path / "trials" / f"{name}.toml").read_text()
    for given in ("0", "soon", "1e9"):
        with pytest.raises(SystemExit):
            parser.parse_args(["--seconds", given])
        assert f"{given} seconds: allowed are 1 to 86400" in capsys.readouterr().err
