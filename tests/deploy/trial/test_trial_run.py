"""How the runs of one start are measured: a window for each load, on what the topology writes."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from deployments import make_deployment
from eyewall_deploy.failure import Failure
from eyewall_deploy.measure.load_samples import LoadSecond
from eyewall_deploy.measure.measured_cluster import MeasuredCluster
from eyewall_deploy.storm.nimbus import RunningTopology
from eyewall_deploy.trial import session, trial_run
from eyewall_deploy.trial.machine_watch import MachineSecond
from eyewall_deploy.trial.plan import plan_runs
from eyewall_deploy.trial.records import ForecastValue, LoadForecast, TrialMove, TrialRun
from eyewall_deploy.trial.run_watch import RunWatch, WatchedRun
from eyewall_sidecar.messages import Code
from trial_runs import run, second

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eyewall_deploy.trial.plan import PlannedRun
    from eyewall_deploy.trial.topology_runs import TopologyRate
    from eyewall_deploy.trial.trial_file import Trial

START = 1000.0
REPOSITORY = Path(__file__).resolve().parents[3]


class Log:
    def __init__(self) -> None:
        self.lines: list[str] = []

    def show(self, text: str) -> None: ...

    def log(self, text: str) -> None:
        self.lines.append(text)


@pytest.fixture
def cluster(tmp_path: Path) -> MeasuredCluster:
    return MeasuredCluster(make_deployment(tmp_path), Log())


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch) -> list[TopologyRate]:
    """A topology that begins at 1000 and acks a tuple in each second, after as many buckets as
    there were seconds; in the second window something moves."""
    asked: list[TopologyRate] = []

    def submit(*arguments: Any) -> None:
        asked.append(arguments[-1])

    def follow(_watch: Any, began: float, _what: str, _plans: object) -> WatchedRun:
        moves = (TrialMove(3.0, 1, 1),) if began > START + 20 else ()
        return WatchedRun(began, {0: MachineSecond(busy=began)}, moves, {})

    def written(*_: Any) -> list[dict[int, LoadSecond]]:
        return [{at: LoadSecond(acked=1, latency=Counter([at])) for at in range(990, 1100)}]

    nothing = ForecastValue(0.0, 0.0, 0.0)
    forecast = (LoadForecast(1.0, nothing, nothing, {}),)
    monkeypatch.setattr(trial_run, "restore_cluster", lambda *_: None)
    monkeypatch.setattr(trial_run, "submit_topologies", submit)
    monkeypatch.setattr(trial_run, "wait_for_start", lambda *_: START)
    monkeypatch.setattr(trial_run, "read_topologies", written)
    monkeypatch.setattr(trial_run, "ask_forecasts", lambda *_: forecast)
    monkeypatch.setattr(RunWatch, "follow", follow)
    return asked


def made(cluster: MeasuredCluster, trial: Trial, folder: Path) -> list[TrialRun]:
    runs = next(plan_runs(trial))
    found = trial_run.run_trial(cluster, trial, runs, folder)
    assert isinstance(found, list)
    return found


def test_each_load_of_a_start_has_a_window_of_its_own(
    given: list[TopologyRate], cluster: MeasuredCluster, trial: Trial, tmp_path: Path
) -> None:
    # 5 s to warm up, 10 s at half of 40/s, 6 s of pause, 10 s at 40/s.
    half, full = made(cluster, replace(trial, one_start=True), tmp_path)
    assert [it.profile for it in given] == ["0:20,5:20,15:20,15:40"]
    assert (half.load, half.began, half.due) == (0.5, 1005.0, 200.0)
    assert (full.load, full.began, full.due) == (1.0, 1021.0, 400.0)
    assert list(half.latency) == list(range(1005, 1015))
    assert list(full.latency) == list(range(1021, 1031))
    assert [it.seconds[0].busy for it in (half, full)] == [1005.0, 1021.0]
    assert [list(it.seconds[1].latency) for it in (half, full)] == [[1006], [1022]]
    assert [len(it.moves) for it in (half, full)] == [0, 1]
    assert [len(it.forecasts) for it in (half, full)] == [0, 1]


def test_where_sinks_write_parts_of_seconds_a_second_without_a_line_has_none() -> None:
    first, other = LoadSecond(out=2, out_slots=0b01), LoadSecond(out=1, out_slots=0b10)
    loads = [{1000: first}, {1000: other}]
    joined = trial_run.join_seconds(loads, {}, 1000.0, 2)
    assert [it.out_slots for it in joined] == [0b11, 0]
    unknown = trial_run.join_seconds([{1000: LoadSecond(out=2)}], {}, 1000.0, 2)
    assert [it.out_slots for it in unknown] == [None, None]


def test_a_load_that_has_a_start_alone_is_one_run(
    given: list[TopologyRate], cluster: MeasuredCluster, trial: Trial, tmp_path: Path
) -> None:
    (half,) = made(cluster, trial, tmp_path)
    assert [it.profile for it in given] == ["0:20,5:20"]
    assert (half.load, half.began, len(half.forecasts)) == (0.5, 1005.0, 1)


def test_a_start_is_repeated_if_one_of_its_runs_was_disturbed(
    cluster: MeasuredCluster, trial: Trial, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = next(plan_runs(replace(trial, one_start=True)))
    shares = iter([(0.0, 0.2), (0.0, 0.05)])

    def execute(
        _cluster: MeasuredCluster, _runs: Sequence[PlannedRun], folder: Path
    ) -> list[TrialRun]:
        folder.mkdir()
        return [run(seconds=[second(0, stolen=it)]) for it in next(shares)]

    monkeypatch.setattr(MeasuredCluster, "topologies", lambda _cluster: ())
    monkeypatch.setattr(MeasuredCluster, "end_topologies", lambda *_: None)
    kept = session.repeat_calmly(execute)(cluster, runs, tmp_path / "folder")
    assert isinstance(kept, list)
    assert [it.stolen for it in kept] == [0.0, 0.05]
    log = cluster.progress
    assert isinstance(log, Log)
    assert log.lines == [
        "load 1, repetition 1, default: 20% of the machine was stolen; 10% is the most: repeated"
    ]


def test_a_run_of_which_nobody_knows_what_was_stolen_is_not_repeated(
    cluster: MeasuredCluster, trial: Trial, tmp_path: Path
) -> None:
    runs = next(plan_runs(trial))
    unseen = [run(seconds=[second(0, stolen=None)])]
    assert session.repeat_calmly(lambda *_: unseen)(cluster, runs, tmp_path) == unseen


@pytest.fixture
def unwatched(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have nobody ask Nimbus for what runs."""
    monkeypatch.setattr(RunWatch, "look_at_assignment", lambda *_: None)


def placed(cluster: MeasuredCluster, trial: Trial, status: str, folder: Path) -> float | Failure:
    """Look for the start of a topology that has this status text."""
    (folder / "chain").mkdir()
    watch = RunWatch(cluster, trial)
    watch.running["chain"] = RunningTopology("chain-1-1", "chain", "ACTIVE", status, {})
    return trial_run.wait_for_start(cluster, trial, next(plan_runs(trial))[0], folder, watch)


@pytest.mark.usefixtures("unwatched")
@pytest.mark.parametrize(
    "by", ["placed by Inner: ", "not placed by Inner: ", "eyewall: kept; ", ""]
)
def test_a_topology_whose_settings_eyewall_refuses_is_no_run(
    by: str,
    cluster: MeasuredCluster,
    trial: Trial,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(trial_run, "_START_PATIENCE", 0.0)
    bad = 'eyewall.policy is "opd"; it must be odp or greedy'
    assert placed(cluster, trial, by + bad, tmp_path) == Failure(
        f"load 0.5, repetition 1, default: Eyewall does not place chain: {bad}"
    )


def test_status_texts_are_as_the_scheduler_and_the_sidecar_write_them() -> None:
    texts = next(REPOSITORY.glob("storm-scheduler/src/main/**/StatusTexts.java")).read_text()
    for text in ('"placed by %s: %s"', '"not placed by %s: %s"', '"eyewall: kept"', 'KEPT + "; "'):
        assert text in texts
    for code in (Code.BAD_SETTING, Code.NO_COMPONENT, Code.OTHER_OBJECTIVES, Code.NOT_AN_OBJECTIVE):
        assert code.value.startswith("{key}")


@pytest.mark.usefixtures("unwatched")
@pytest.mark.parametrize(
    "status",
    [
        "placed by Inner: eyewall.mode is observe",
        "placed by Inner: still solving; a later round uses the answer if it still fits",
        "eyewall: odp, optimal",
        "",
    ],
)
def test_a_topology_that_eyewall_may_still_place_is_waited_for(
    status: str,
    cluster: MeasuredCluster,
    trial: Trial,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(trial_run, "topology_start", lambda *_: START)
    assert placed(cluster, trial, status, tmp_path) == START
