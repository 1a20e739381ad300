"""What a trial leaves behind: topologies, and what it says of a cluster on loopback."""

from __future__ import annotations

import zipfile
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import pytest
from deployments import make_deployment
from eyewall_deploy.failure import Failure
from eyewall_deploy.measure.measured_cluster import MeasuredCluster
from eyewall_deploy.run_dir import RunDir
from eyewall_deploy.state import ClusterMode, LatencyAlgorithm, SchedulerChoice
from eyewall_deploy.storm import nimbus
from eyewall_deploy.trial import session, trial_file
from eyewall_deploy.trial.plan import fingerprint, plan_runs
from eyewall_deploy.trial.records import TrialRun
from eyewall_deploy.trial.session import TrialSession
from eyewall_deploy.trial.trial_file import TrialScheduler, TrialTopology
from trial_runs import run

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from eyewall_deploy.lifecycle.preparation import UpOptions
    from eyewall_deploy.trial.plan import PlannedRun
    from eyewall_deploy.trial.trial_file import Trial

TRIAL = trial_file.restrict(
    trial_file.load("demo-fast", cores=2), schedulers=["default"], repetitions=2
)


@dataclass
class Log:
    """Progress whose results are looked at."""

    lines: list[str] = field(default_factory=list)

    def show(self, text: str) -> None: ...

    def log(self, text: str) -> None:
        self.lines.append(text)


@dataclass
class Storm:
    """A running cluster that is up already, and what happens on it."""

    trial: Trial = TRIAL
    topologies: list[str] = field(default_factory=list)
    happened: list[str] = field(default_factory=list)

    def names(self) -> tuple[str, ...]:
        return tuple(self.topologies)

    def end(self, names: Sequence[str]) -> Failure | None:
        self.happened += [f"end {name}" for name in names if name in self.topologies]
        self.topologies = [name for name in self.topologies if name not in names]
        return None

    def execute(
        self, _cluster: MeasuredCluster, start: Sequence[PlannedRun], _folder: Path
    ) -> list[TrialRun]:
        self.topologies.append("chain")
        self.happened.append(f"run {' '.join(it.name for it in start)}")
        return [
            run(
                planned.scheduler.label,
                load=planned.load or 0.0,
                repetition=planned.repetition,
                of=fingerprint(self.trial, planned),
            )
            for planned in start
        ]


@pytest.fixture
def storm(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Storm:
    storm = Storm()
    (tmp_path / "run").mkdir()
    deployment = make_deployment(
        tmp_path / "run", mode=ClusterMode.LOOPBACK, scheduler=SchedulerChoice.DEFAULT
    )
    monkeypatch.setattr(RunDir, "keeper", lambda _run: 1)
    monkeypatch.setattr(session, "read_deployment", lambda _run: deployment)
    monkeypatch.setattr(MeasuredCluster, "topologies", storm.names)
    monkeypatch.setattr(MeasuredCluster, "end_topologies", storm.end)
    return storm


def collect(storm: Storm, folder: Path, *, keep: bool) -> list[str]:
    """Run the trial; return what it logged."""
    log = Log()
    held = TrialSession(TRIAL, folder / "out", folder / "run", log, keep)
    assert len(found(held.collect(plan_runs(TRIAL), TrialRun, storm.execute))) == 2
    return log.lines


def found(results: Any) -> list[TrialRun]:
    assert isinstance(results, list), results
    return results


def test_a_cluster_with_another_latency_algorithm_is_not_measured(
    storm: Storm, tmp_path: Path
) -> None:
    # It has the agents' default, of which nothing is said.
    trial = replace(TRIAL, latency_algorithm=LatencyAlgorithm.PAPER)
    asked = TrialSession(trial, tmp_path / "out", tmp_path / "run", Log(), keep=False)
    refused = asked.collect(plan_runs(trial), TrialRun, storm.execute)
    assert isinstance(refused, Failure)
    assert "is up with another latency algorithm than the trial's paper" in refused.reason
    assert storm.happened == []


def test_each_run_begins_without_topologies_and_the_last_ones_are_ended(
    storm: Storm, tmp_path: Path
) -> None:
    collect(storm, tmp_path, keep=False)
    assert storm.happened == [
        *("run load-1-1-default", "end chain"),
        *("run load-1-2-default", "end chain"),
    ]


def test_what_is_kept_runs_the_topologies_of_the_last_run(storm: Storm, tmp_path: Path) -> None:
    collect(storm, tmp_path, keep=True)
    assert storm.happened == ["run load-1-1-default", "end chain", "run load-1-2-default"]


def test_loads_of_one_start_are_kept_or_repeated_together(storm: Storm, tmp_path: Path) -> None:
    chain = trial_file.load("constant-chain", cores=2)
    storm.trial = trial_file.restrict(
        chain, schedulers=["default"], repetitions=1, loads=[0.5, 1], one_start=True
    )
    held = TrialSession(storm.trial, tmp_path / "out", tmp_path / "run", Log(), keep=False)

    def collect_loads() -> list[float]:
        results = held.collect(plan_runs(storm.trial), TrialRun, storm.execute)
        return [it.load for it in found(results)]

    both = ["run load-0.5-1-default load-1-1-default", "end chain"]
    assert collect_loads() == [0.5, 1.0]
    assert storm.happened == both
    assert collect_loads() == [0.5, 1.0]
    assert storm.happened == both
    (tmp_path / "out" / "runs" / "load-1-1-default.json").unlink()
    assert collect_loads() == [0.5, 1.0]
    assert storm.happened == both * 2


@dataclass
class Folder:
    """An output folder, and the calls that write to it, each with its options."""

    storm: Storm
    folder: Path

    def call(self, **options: Any) -> list[str] | str:
        """Return the runs that the results are of, or why there are none."""
        self.storm.trial = trial_file.restrict(
            trial_file.load("constant-chain", cores=2), **options
        )
        held = TrialSession(
            self.storm.trial, self.folder / "out", self.folder / "run", Log(), keep=False
        )
        made = held.collect(plan_runs(self.storm.trial), TrialRun, self.storm.execute)
        if isinstance(made, Failure):
            return made.reason
        return [f"{it.load:g}-{it.repetition}-{it.scheduler}" for it in made]

    def files(self) -> dict[str, str]:
        return {it.name: it.read_text() for it in (self.folder / "out" / "runs").iterdir()}


@pytest.fixture
def folder(storm: Storm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Folder:
    monkeypatch.setattr(MeasuredCluster, "use_scheduler", lambda cluster, _scheduler: cluster)
    return Folder(storm, tmp_path)


def test_results_cover_what_the_folder_has_of_the_whole_trial(folder: Folder) -> None:
    folder.call(schedulers=["ras"], loads=[1], repetitions=2)
    assert folder.call(schedulers=["default"], loads=[0.5], repetitions=1) == [
        "0.5-1-default",
        *("1-1-ras", "1-2-ras"),
    ]
    assert folder.call(schedulers=["default", "ras"], loads=[1], repetitions=1) == [
        "0.5-1-default",
        *("1-1-default", "1-1-ras", "1-2-ras"),
    ]


@pytest.mark.parametrize(
    "changed", [{"seconds": 20}, {"loads": [0.25], "seconds": 20}, {"one_start": True}]
)
def test_runs_of_another_version_of_the_trial_are_not_replaced(
    folder: Folder, changed: dict[str, Any]
) -> None:
    folder.call(schedulers=["ras"], loads=[0.5], repetitions=2)
    before, happened = folder.files(), list(folder.storm.happened)
    reason = folder.call(**{"schedulers": ["ras"], "loads": [0.5], "repetitions": 1} | changed)
    out = folder.folder / "out"
    said = f"{out} has 2 runs of another version of this trial; give --output, or remove {out}/runs"
    assert reason == said
    assert (folder.files(), folder.storm.happened) == (before, happened)


def test_a_run_that_cannot_be_read_is_not_replaced(folder: Folder) -> None:
    folder.call(schedulers=["ras"], loads=[0.5], repetitions=1)
    file = folder.folder / "out" / "runs" / "load-0.5-1-ras.json"
    file.write_text("{")
    reason = folder.call(schedulers=["ras"], loads=[0.5], repetitions=1)
    assert isinstance(reason, str)
    assert reason.startswith(f"run {file}: ")
    assert reason.endswith("; give --output, or remove it")
    assert file.read_text() == "{"


def test_a_load_that_is_printed_like_another_one_does_not_replace_it(folder: Folder) -> None:
    folder.call(schedulers=["ras"], loads=[0.5], repetitions=1)
    reason = folder.call(schedulers=["ras"], loads=[0.50000001], repetitions=1)
    assert isinstance(reason, str)
    assert "has 1 run of another version of this trial" in reason


def test_a_nimbus_that_is_lost_is_a_failure_with_its_reason(
    storm: Storm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lost(_cluster: MeasuredCluster, _names: Sequence[str]) -> None:
        raise nimbus.NimbusUnreachableError("no answer from Nimbus")

    monkeypatch.setattr(MeasuredCluster, "end_topologies", lost)
    log = Log()
    held = TrialSession(TRIAL, tmp_path / "out", tmp_path / "run", log, keep=False)
    failure = held.collect(plan_runs(TRIAL), TrialRun, storm.execute)
    assert not isinstance(failure, list)
    assert failure.reason == "no answer from Nimbus"


def test_on_loopback_one_line_says_that_no_delay_rises(storm: Storm, tmp_path: Path) -> None:
    lines = collect(storm, tmp_path, keep=False)
    said = [line for line in lines if "not emulated here" in line]
    assert said == [
        "delays and hosts are not emulated here, so these do not happen: edge-1 ↔ edge-2 +200 ms"
    ]


@pytest.mark.parametrize("keep", [False, True])
def test_a_cluster_that_is_kept_has_the_dashboard(
    keep: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[UpOptions] = []

    def refuse(options: UpOptions, _progress: Log) -> Failure:
        asked.append(options)
        return Failure("not today")

    monkeypatch.setattr(session, "up", refuse)
    held = TrialSession(TRIAL, tmp_path / "out", tmp_path / "run", Log(), keep)
    assert held.collect(plan_runs(TRIAL), TrialRun, Storm().execute) == Failure("not today")
    assert [options.dashboard for options in asked] == [keep]


def test_a_streamparse_topology_needs_its_project_before_anything_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    demo = trial_file.restrict(trial_file.load("demo", cores=2), schedulers=["ras"])
    held = TrialSession(demo, tmp_path / "out", tmp_path / "run", Log(), keep=False)
    failure = held.collect(plan_runs(demo), TrialRun, Storm().execute)
    assert not isinstance(failure, list)
    assert failure.reason.startswith("topologies: no streamparse project there")


def test_a_jar_needs_its_class_before_anything_starts(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "mine.jar", "w") as jar:
        jar.writestr("org/example/Main.class", b"")
    own = TrialTopology("mine", jar="mine.jar", main_class="org.example.Man")
    trial = replace(TRIAL, topologies=(own,), folder=tmp_path)
    held = TrialSession(trial, tmp_path / "out", tmp_path / "run", Log(), keep=False)
    failure = held.collect(plan_runs(trial), TrialRun, Storm().execute)
    assert not isinstance(failure, list)
    assert failure.reason.startswith(f"jar {tmp_path / 'mine.jar'}: no class org.example.Man; ")
    assert "org.example.Main" in failure.reason


def test_a_policy_that_the_sidecar_lacks_is_refused_before_anything_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "find_jar", lambda _jar: tmp_path)
    monkeypatch.setattr(session, "up", lambda *_: Failure("too late"))
    wrong = TrialScheduler("eyewall", "quick", policy="gredy")
    trial = replace(TRIAL, schedulers=(wrong,))
    held = TrialSession(trial, tmp_path / "out", tmp_path / "run", Log(), keep=False)
    failure = held.collect(plan_runs(trial), TrialRun, Storm().execute)
    assert not isinstance(failure, list)
    assert failure.reason.startswith(
        "demo-fast: schedulers (quick): eyewall.policy = 'gredy': no such policy; policies are "
    )
    assert failure.reason.endswith("(did you mean greedy?)")
    assert not (tmp_path / "out").exists()
