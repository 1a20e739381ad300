"""Waiting for a program, with a clock of our own."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

from eyewall_deploy.processes.control import Control, ProgramState
from eyewall_deploy.processes.readiness import last_lines, wait_until_ready

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from eyewall_deploy.failure import Failure


@dataclass
class Clock:
    now: float = 0.0

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


@dataclass
class Told:
    """Tells one state after the other, the last one for ever."""

    states: list[ProgramState] = field(default_factory=list)

    def state(self, name: str) -> ProgramState:
        return self.states.pop(0) if len(self.states) > 1 else self.states[0]


def state(word: str, pid: int = 7) -> ProgramState:
    return ProgramState("nimbus", word, pid, uptime=1.0)


def wait(
    states: list[ProgramState], answers: Iterable[str | None], logs: Sequence[Path] = ()
) -> tuple[Failure | None, float]:
    clock, given = Clock(), iter(answers)
    failure = wait_until_ready(
        "nimbus",
        lambda: next(given),
        cast("Control", Told(states)),
        logs,
        ending=lambda: "exit status 13",
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
