from dataclasses import replace
from pathlib import Path

import pytest
from eyewall_deploy import state_file
from eyewall_deploy.failure import Failure
from eyewall_deploy.state import LatencyAlgorithm
from eyewall_deploy.trial.plan import (
    fingerprint,
    finished_runs,
    plan_runs,
    plan_searches,
    recorded_runs,
    run_file,
)
from eyewall_deploy.trial.rate_profile import RateProfile
from eyewall_deploy.trial.records import RunSecond, SustainableRate, TrialMove, TrialRun
from eyewall_deploy.trial.trial_event import TrialEvent
from eyewall_deploy.trial.trial_file import Trial, TrialScheduler


def test_each_repetition_begins_with_another_scheduler(trial: Trial) -> None:
    runs = [it for (it,) in plan_runs(trial)]
    order = [it.scheduler.label for it in runs if it.load == 0.5]
    assert order == [
        *("default", "ras", "eyewall"),
        *("ras", "eyewall", "default"),
        *("eyewall", "default", "ras"),
    ]
    assert [it.load for it in runs] == [0.5] * 9 + [1.0] * 9


def test_one_start_has_all_loads_in_their_order(trial: Trial) -> None:
    starts = list(plan_runs(replace(trial, one_start=True)))
    assert [[it.load for it in start] for start in starts] == [[0.5, 1.0]] * 9
    first = [start[0].scheduler.label for start in starts]
    assert first[:6] == ["default", "ras", "eyewall", "ras", "eyewall", "default"]


def test_a_load_after_others_is_another_run_than_alone(trial: Trial) -> None:
    together, shorter = (
        replace(trial, one_start=True, loads=loads) for loads in [(0.5, 1.0), (1.0,)]
    )
    last = next(plan_runs(together))[-1]
    assert fingerprint(together, last) != fingerprint(trial, last)
    assert fingerprint(together, last) != fingerprint(shorter, last)


def test_a_search_is_made_once_for_each_repetition_and_scheduler(trial: Trial) -> None:
    assert [it.name for (it,) in plan_searches(trial, 0.1)][:4] == [
        "sustainable-1-default",
        "sustainable-1-ras",
        "sustainable-1-eyewall",
        "sustainable-2-ras",
    ]


def test_a_search_with_another_resolution_is_another_run(trial: Trial) -> None:
    (coarse,), (fine,) = next(plan_searches(trial, 0.1)), next(plan_searches(trial, 0.05))
    assert fingerprint(trial, coarse) != fingerprint(trial, fine)
    (limited,) = next(plan_searches(trial, 0.1, p99_limit=0.5))
    assert fingerprint(trial, coarse) != fingerprint(trial, limited)


def test_a_finished_run_is_found_again_and_no_other(trial: Trial, tmp_path: Path) -> None:
    (first,), (second,), *_ = plan_runs(trial)
    second_of_run = RunSecond(0, 5, 4, 3, 0, 1, 2, 0.5, 0.02, None, {"h1": 0.25}, 0.01, 1.5)
    run = TrialRun(
        scheduler="default",
        load=0.5,
        repetition=1,
        fingerprint=fingerprint(trial, first),
        began=1790000000.0,
        due=200.0,
        latency={317: 3},
        seconds=(second_of_run,),
        moves=(TrialMove(-2.0, 3, 2),),
        status="placed",
        placement=("h1: sink",),
    )
    file = run_file(tmp_path, first)
    file.parent.mkdir()
    assert finished_runs(trial, [first], tmp_path, TrialRun) is None
    state_file.write(file, run)
    assert finished_runs(trial, [first], tmp_path, TrialRun) == [run]
    assert finished_runs(trial, [second], tmp_path, TrialRun) is None
    assert finished_runs(trial, [first, second], tmp_path, TrialRun) is None
    assert finished_runs(replace(trial, seconds=11.0), [first], tmp_path, TrialRun) is None
    assert finished_runs(replace(trial, repetitions=9), [first], tmp_path, TrialRun) == [run]
    file.write_text(file.read_text()[:100])
    assert finished_runs(trial, [first], tmp_path, TrialRun) is None


def test_a_search_is_kept_apart_from_runs_and_from_those_of_another_resolution(
    trial: Trial, tmp_path: Path
) -> None:
    (run,), (search,) = next(plan_runs(trial)), next(plan_searches(trial, 0.1))
    (tmp_path / "runs").mkdir()
    found = SustainableRate("default", 1, fingerprint(trial, search), 40.0, 0.1, ())
    state_file.write(run_file(tmp_path, search), found)
    assert recorded_runs(trial, [search], tmp_path, SustainableRate) == [found]
    assert recorded_runs(trial, [run], tmp_path, TrialRun) == []
    (fine,) = next(plan_searches(trial, 0.05))
    failure = recorded_runs(trial, [fine], tmp_path, SustainableRate)
    assert isinstance(failure, Failure)
    assert "has 1 run of another version of this trial" in failure.reason


def test_a_run_of_a_scheduler_that_the_trial_no_longer_has_is_of_another_version(
    trial: Trial, tmp_path: Path
) -> None:
    search = next(plan_searches(trial, 0.1))
    (tmp_path / "runs").mkdir()
    found = SustainableRate("default", 1, fingerprint(trial, search[0]), 40.0, 0.1, ())
    state_file.write(run_file(tmp_path, search[0]), found)
    fewer = replace(trial, schedulers=trial.schedulers[1:])
    (other,) = next(plan_searches(fewer, 0.1))
    assert recorded_runs(fewer, [other], tmp_path, SustainableRate) == [found]
    removed = replace(fewer, declared=fewer.schedulers)
    assert isinstance(recorded_runs(removed, [other], tmp_path, SustainableRate), Failure)


@pytest.mark.parametrize(
    "change",
    [
        {"seconds": 11.0},
        {"warm_up": 6.0},
        {"rate": RateProfile(((0.0, 41.0),))},
        {"cores": 1.0},
        {"events": (TrialEvent(1.0, cpu="h1", factor=0.5),)},
        {"topologies": ()},
        {"latency_algorithm": LatencyAlgorithm.PAPER},
    ],
)
def test_a_run_of_another_trial_is_another_run(trial: Trial, change: dict[str, object]) -> None:
    (planned,) = next(plan_runs(trial))
    assert fingerprint(replace(trial, **change), planned) != fingerprint(trial, planned)  # type: ignore[arg-type]


def test_a_run_is_the_same_from_wherever_its_cluster_file_is_read(trial: Trial) -> None:
    (planned,) = next(plan_runs(trial))
    near, far = (
        replace(trial, cluster=replace(trial.cluster, origin=it))
        for it in ("own.toml", "a/own.toml")
    )
    assert fingerprint(near, planned) == fingerprint(far, planned)


def test_a_scheduler_with_other_settings_is_another_run(trial: Trial) -> None:
    (planned,) = next(plan_runs(trial))
    other = replace(planned, scheduler=TrialScheduler("eyewall", "default", policy="greedy"))
    assert fingerprint(trial, other) != fingerprint(trial, planned)


def test_a_scheduler_that_follows_its_policy_is_another_run(trial: Trial) -> None:
    (planned,) = next(plan_runs(trial))
    other = replace(planned, scheduler=replace(planned.scheduler, plan_every=30.0))
    assert fingerprint(trial, other) != fingerprint(trial, planned)


def test_runs_of_earlier_versions_are_not_made_again(trial: Trial) -> None:
    # Fingerprints of these at ee0885bc; events have got further keys since.
    events = (TrialEvent(2.0, cpu="h1", factor=0.5), TrialEvent(4.0, kill="nimbus"))
    of = [trial, replace(trial, events=events)]
    found = [fingerprint(it, next(plan_runs(it))[0]) for it in of]
    assert found == ["887f8101622d453e", "d6c39b32caa31762"]
