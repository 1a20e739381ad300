"""What a trial sees of where topologies run, and of the machine, while Nimbus is slow to answer."""

from __future__ import annotations

import time
from concurrent.futures import Future
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from deployments import make_deployment
from eyewall_deploy.failure import Failure
from eyewall_deploy.measure.host_use import HostMeter, HostUse
from eyewall_deploy.measure.measured_cluster import MeasuredCluster
from eyewall_deploy.storm import nimbus
from eyewall_deploy.storm.nimbus import (
    NimbusUnreachableError,
    RunningExecutor,
    RunningTopology,
    WorkerSlot,
)
from eyewall_deploy.trial.applied_plans import AppliedPlans
from eyewall_deploy.trial.machine_watch import MachineWatch
from eyewall_deploy.trial.records import TrialMove
from eyewall_deploy.trial.run_watch import RunWatch
from recorded_progress import RecordedProgress

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from eyewall_deploy.trial.trial_file import Trial

SINK = RunningExecutor("sink", 1, 1)


@pytest.fixture
def cluster(tmp_path: Path) -> MeasuredCluster:
    return MeasuredCluster(make_deployment(tmp_path), RecordedProgress())


LEAD = 10.0
"""Seconds that a busy machine may take until what watches the first second runs."""


def runs_on(host: str) -> RunningTopology:
    return RunningTopology("chain-1-1", "chain", "ACTIVE", "", {SINK: WorkerSlot(host, 6700)})


def test_every_second_is_known_though_nimbus_does_not_answer(
    cluster: MeasuredCluster, trial: Trial, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unanswered(_address: object) -> None:
        time.sleep(1.6)
        raise NimbusUnreachableError

    monkeypatch.setattr(nimbus, "connect", unanswered)
    began = time.time() + LEAD
    watched = RunWatch(cluster, replace(trial, seconds=4.0)).follow(began, "a run")
    assert {0, 1, 2, 3} <= watched.machine.keys()
    assert all(it.busy is not None for it in watched.machine.values())


class SlowMeter(HostMeter):
    """Reads at the start, then with pauses: the n-th time n CPU-seconds."""

    def __init__(self, pause: float = 2.2) -> None:
        self.readings = 0
        self.pause = pause

    def read(self) -> dict[str, HostUse]:
        self.readings += 1
        if self.readings > 1:
            time.sleep(self.pause)
        return {"h1": HostUse(float(self.readings), 1 << 30, self.readings)}


def test_a_reading_that_is_late_stands_for_all_seconds_since_the_one_before() -> None:
    meter = SlowMeter()
    with MachineWatch(meter, time.time()) as machine:
        while meter.readings < 4:
            time.sleep(0.1)
    known = sorted(machine.seconds)
    assert known == list(range(known[0], known[0] + len(known)))
    # The second reading ends in the third second or later, and is of all until then: 2 CPU-seconds
    # in more than 2 s.
    workers = [machine.seconds[at].workers["h1"] for at in known]
    assert workers.count(2) >= 2
    assert 0 < machine.seconds[known[0]].cpu["h1"] < 1


def test_what_a_meter_cannot_read_ends_the_measurement(
    cluster: MeasuredCluster, trial: Trial, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_meter: HostMeter) -> dict[str, HostUse]:
        raise OSError("no control group")

    monkeypatch.setattr(HostMeter, "read", broken)
    monkeypatch.setattr(RunWatch, "look_at_assignment", lambda *_: None)
    began = time.time()
    with pytest.raises(OSError, match="no control group"):
        RunWatch(cluster, replace(trial, seconds=600.0)).follow(began, "a run")


def test_the_second_that_ends_as_the_measurement_does_is_known() -> None:
    began = time.time() + LEAD
    with MachineWatch(SlowMeter(pause=0.0), began) as machine:
        # It ends before the watch wakes up for the second that ends then.
        time.sleep(began + 0.9 - time.time())
    assert 0 in machine.seconds


def test_a_move_was_not_yet_there_when_nimbus_was_last_asked_for_an_answer_without_it(
    cluster: MeasuredCluster, trial: Trial, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Asked 10.0, 11.0 and 16.0 s after the start. The second one is never answered; the third is at
    # 17.5 s, with the sink on another host.
    moments = iter([1010.0, 1011.0, 1016.0, 1017.5])
    answers = iter([runs_on("h1"), None, runs_on("h2")])

    @contextmanager
    def connect(_address: object) -> Iterator[Any]:
        answer = next(answers)
        if answer is None:
            raise NimbusUnreachableError
        yield answer

    monkeypatch.setattr(time, "time", lambda: next(moments))
    monkeypatch.setattr(nimbus, "connect", connect)
    monkeypatch.setattr(nimbus, "running_topology", lambda answer, _name: answer)
    watch = RunWatch(cluster, trial)
    for _ in range(3):
        watch.look_at_assignment(1000.0)
    assert watch.moves == [
        TrialMove(17.5, 1, 1, assigned=1, unseen_since=10.0, placement=("h2: sink",))
    ]


def test_a_runs_first_placement_is_what_was_seen_before_any_move_of_its(
    cluster: MeasuredCluster, trial: Trial, monkeypatch: pytest.MonkeyPatch
) -> None:
    hosts = iter(["h1"])
    monkeypatch.setattr(nimbus, "connect", lambda _address: nullcontext())
    monkeypatch.setattr(nimbus, "running_topology", lambda *_: runs_on(next(hosts, "h2")))
    watch = RunWatch(cluster, replace(trial, seconds=5.0))
    watch.look_at_assignment(None)
    watched = watch.follow(time.time(), "a run")
    assert watched.first_placement == ("h1: sink",)
    assert [it.placement for it in watched.moves] == [("h2: sink",)]


def test_plans_are_made_from_the_start_of_the_measurement_to_its_end(
    cluster: MeasuredCluster, trial: Trial, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[float] = []

    class Plans(AppliedPlans):
        def go_on(self) -> Failure | None:
            asked.append(time.time())
            return Failure("no plan")

        def end(self) -> None:
            asked.append(float("inf"))

    monkeypatch.setattr(RunWatch, "look_at_assignment", lambda *_: None)
    began = time.time() + 2.5
    plans = Plans([], 30.0, lambda _: Future())
    watched = RunWatch(cluster, replace(trial, seconds=5.0)).follow(began, "a run", plans)
    assert asked[0] >= began
    assert asked[-1] == float("inf")
    assert watched.failed_events == ("no plan",) * (len(asked) - 1)


def test_what_is_not_placed_anywhere_is_watched_for_why(
    cluster: MeasuredCluster, trial: Trial, monkeypatch: pytest.MonkeyPatch
) -> None:
    status = 'not placed by Inner: eyewall.policy is "opd"; it must be odp or greedy'
    waiting = RunningTopology("chain-1-1", "chain", "ACTIVE", status, {})
    monkeypatch.setattr(nimbus, "connect", lambda _address: nullcontext())
    monkeypatch.setattr(nimbus, "running_topology", lambda *_: waiting)
    watch = RunWatch(cluster, trial)
    watch.look_at_assignment(None)
    assert watch.running == {"chain": waiting}
