"""When a program is ready: waiting for it, and what counts after a restart."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

import pytest
from deployments import make_deployment
from eyewall_deploy.lifecycle.readiness import last_lines, make_probe, wait_until_ready
from eyewall_deploy.processes.control import Control, ProgramState
from eyewall_deploy.storm.nimbus import NimbusSummary, SupervisorSummary

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from eyewall_deploy.failure import Failure


@dataclass
class ManualClock:
    now: float = 0.0

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


@dataclass
class ScriptedControl:
    """Returns one state after the other, the last one forever."""

    states: list[ProgramState] = field(default_factory=list)

    def state(self, name: str) -> ProgramState:
        return self.states.pop(0) if len(self.states) > 1 else self.states[0]


def state(word: str, pid: int = 7) -> ProgramState:
    return ProgramState("nimbus", word, pid, uptime=1.0)


def wait(
    states: list[ProgramState], answers: Iterable[str | None], logs: Sequence[Path] = ()
) -> tuple[Failure | None, float]:
    clock, given = ManualClock(), iter(answers)
    failure = wait_until_ready(
        "nimbus",
        lambda: next(given),
        cast("Control", ScriptedControl(states)),
        logs,
        read_end=lambda: "exit status 13",
        seconds=10,
        clock=clock,
        sleep=clock.sleep,
    )
    return failure, clock.now


def test_it_returns_as_soon_as_nothing_is_missing() -> None:
    failure, _ = wait([state("STARTING"), state("RUNNING")], ["no answer", "no answer", None])
    assert failure is None


def test_a_program_that_has_ended_is_not_waited_for() -> None:
    failure, waited = wait([state("RUNNING"), state("BACKOFF", pid=0)], ["no answer"] * 100)
    assert failure is not None
    assert failure.reason == "nimbus ended while it was starting (exit status 13)"
    assert waited < 1


def test_a_program_that_was_started_again_meanwhile_has_ended_too() -> None:
    failure, _ = wait([state("RUNNING", pid=7), state("RUNNING", pid=8)], ["no answer"] * 100)
    assert failure is not None
    assert "ended while it was starting" in failure.reason


def test_when_time_is_up_it_says_what_is_missing_and_shows_the_first_log_that_has_lines(
    tmp_path: Path,
) -> None:
    empty, full = tmp_path / "nimbus.log", tmp_path / "nimbus.out"
    empty.touch()
    full.write_text("".join(f"line {number}\n" for number in range(100)))
    failure, _ = wait([state("RUNNING")], ["it does not lead"] * 100, [empty, full])
    assert failure is not None
    first, second, *shown = failure.reason.splitlines()
    assert first == "nimbus: not ready after 10 s: it does not lead"
    assert second == f"last lines of {full}:"
    assert shown == [f"  line {number}" for number in range(88, 100)]  # the last twelve


def test_a_log_that_is_not_there_has_no_lines(tmp_path: Path) -> None:
    assert last_lines(tmp_path / "none", 5) == []


def test_as_many_lines_are_shown_as_are_asked_for(tmp_path: Path) -> None:
    log = tmp_path / "nimbus.log"
    lines = [f"line {number} \u2028 {'x' * 100}" for number in range(2000)]  # 200 kB
    log.write_text("".join(f"{line}\n" for line in lines))
    for count in (0, 1, 1500, 2000, 3000):
        assert last_lines(log, count) == lines[max(0, 2000 - count) :]


READY = "eyewall monitor ready on 127.0.0.1:2003 (host edge-1)\n"


def test_a_line_of_an_earlier_run_does_not_make_an_agent_ready(tmp_path: Path) -> None:
    deployment = make_deployment(tmp_path)
    output = deployment.run.output("monitor-edge-1")
    output.write_text(READY)
    probe = make_probe(deployment, "monitor-edge-1", runs=False)
    assert probe() == f"no line in {output} that it is ready"
    with output.open("a") as file:
        file.write(READY)
    assert probe() is None


def test_an_agent_that_runs_already_is_ready_by_what_it_wrote(tmp_path: Path) -> None:
    deployment = make_deployment(tmp_path)
    deployment.run.output("monitor-edge-1").write_text(READY)
    assert make_probe(deployment, "monitor-edge-1", runs=True)() is None


def test_a_line_in_a_new_log_file_counts(tmp_path: Path) -> None:
    deployment = make_deployment(tmp_path)
    output = deployment.run.output("monitor-edge-1")
    output.write_text("an old line\n" * 100)
    probe = make_probe(deployment, "monitor-edge-1", runs=False)
    output.write_text(READY)
    assert probe() is None


def test_a_file_of_an_earlier_run_does_not_make_the_router_ready(tmp_path: Path) -> None:
    deployment = make_deployment(tmp_path)
    file = deployment.run.ready_file("router")
    file.touch()
    assert make_probe(deployment, "router", runs=True)() is None
    probe = make_probe(deployment, "router", runs=False)
    assert probe() == f"{file} is missing"
    file.touch()
    assert probe() is None


@pytest.mark.parametrize(
    ("uptime", "runs", "missing"),
    [
        (300, False, "Nimbus knows only the former supervisor of host fog-1"),
        (300, True, None),
        (1, False, None),  # seconds, rounded
    ],
)
def test_nimbus_may_still_know_a_supervisor_that_has_ended(
    uptime: int, runs: bool, missing: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    supervisor = SupervisorSummary("fog-1", slots_used=0, uptime=uptime)
    summary = NimbusSummary("2.8.3", has_leader=True, supervisors=(supervisor,), topologies=())
    monkeypatch.setattr("eyewall_deploy.lifecycle.readiness.read_summary", lambda *_, **__: summary)
    probe = make_probe(make_deployment(tmp_path), "supervisor-fog-1", runs=runs)
    assert probe() == missing
