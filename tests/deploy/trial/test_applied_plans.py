"""Topologies whose policy is followed: which of its plans are applied, and when."""

from __future__ import annotations

import json
import subprocess
import sys
from concurrent.futures import Future
from dataclasses import replace
from typing import TYPE_CHECKING

from deployments import make_deployment
from eyewall_deploy.endpoint import Endpoint
from eyewall_deploy.failure import Failure
from eyewall_deploy.trial import applied_plans
from eyewall_deploy.trial.applied_plans import AppliedPlans, Ended, follow_policy, run_command
from trial_texts import TRIAL, refusal

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import pytest
    from eyewall_deploy.trial.trial_file import Trial


WITHIN = "--timeout=45"


class Sidecar:
    """Answers commands from a list, and has those that it was given; `now` is the time."""

    def __init__(self, *answers: Ended) -> None:
        self.answers = list(answers)
        self.asked: list[tuple[str, ...]] = []
        self.under_way = Future[Ended]()
        self.now = 1_000.0

    def begin(self, command: Sequence[str]) -> Future[Ended]:
        """Begin a command, which ends at once unless it has no answer."""
        self.asked.append(tuple(command))
        self.under_way = Future[Ended]()
        if self.answers:
            self.under_way.set_result(self.answers.pop(0))
        return self.under_way

    def follow(self, *topologies: str, every: float = 30.0) -> AppliedPlans:
        return AppliedPlans(topologies, every, self.begin, lambda: self.now)


def plan(moves: int, name: str = "p1") -> Ended:
    return Ended([], 0, json.dumps({"id": name, "moves": [{}] * moves}), "")


def applied(code: int = 0, said: str = "") -> Ended:
    return Ended([], code, "", said)


def go_on(plans: AppliedPlans) -> list[Failure]:
    """Have all that is due end, and return what was said."""
    said = [plans.go_on() for _ in range(6)]
    return [it for it in said if it is not None]


def test_a_plan_that_moves_something_is_applied_and_the_next_is_made_when_it_is_due() -> None:
    sidecar = Sidecar(plan(2), applied(), plan(1, "p2"), applied())
    plans = sidecar.follow("chain")
    assert go_on(plans) == []
    assert sidecar.asked == [("plan", "chain"), ("apply", "p1", WITHIN)]
    sidecar.now += 29.9
    go_on(plans)
    assert len(sidecar.asked) == 2
    sidecar.now += 0.2
    go_on(plans)
    assert sidecar.asked[2:] == [("plan", "chain"), ("apply", "p2", WITHIN)]


def test_a_plan_that_moves_nothing_is_not_applied() -> None:
    sidecar = Sidecar(plan(0))
    plans = sidecar.follow("chain")
    assert go_on(plans) == []
    assert sidecar.asked == [("plan", "chain")]


def test_each_topologys_plan_is_applied_before_the_next_ones_is_made() -> None:
    sidecar = Sidecar(plan(1, "of-a"), applied(), plan(1, "of-b"), applied())
    plans = sidecar.follow("a", "b")
    go_on(plans)
    assert sidecar.asked == [
        ("plan", "a"),
        ("apply", "of-a", WITHIN),
        ("plan", "b"),
        ("apply", "of-b", WITHIN),
    ]


def test_what_has_moved_since_is_no_failure_and_anything_else_is_said_once() -> None:
    sidecar = Sidecar(plan(1), applied(4, "stale"), plan(1, "p2"), applied(5, "it is frozen"))
    plans = sidecar.follow("chain")
    assert go_on(plans) == []
    sidecar.now += 30
    assert go_on(plans) == [Failure("eyewall apply p2: it is frozen")]


def test_where_there_is_no_plan_the_reason_is_said_and_the_next_one_is_made_all_the_same() -> None:
    sidecar = Sidecar(Ended([], 3, "infeasible", ""), plan(0))
    plans = sidecar.follow("chain")
    assert go_on(plans) == [Failure("eyewall plan chain: infeasible")]
    sidecar.now += 30
    assert go_on(plans) == []
    assert len(sidecar.asked) == 2


def test_a_plan_that_takes_longer_than_the_interval_is_waited_for() -> None:
    sidecar = Sidecar()
    plans = sidecar.follow("chain", every=5.0)
    assert plans.go_on() is None
    sidecar.now += 100
    assert plans.go_on() is None
    assert sidecar.asked == [("plan", "chain")]
    sidecar.answers.append(plan(0))
    sidecar.under_way.set_result(plan(0))
    go_on(plans)
    # One more, not twenty to make up for those that were due meanwhile.
    assert sidecar.asked == [("plan", "chain")] * 2


def test_once_it_has_ended_nothing_is_asked_any_more() -> None:
    sidecar = Sidecar(plan(1))
    plans = sidecar.follow("chain")
    assert plans.go_on() is None
    plans.end()
    sidecar.now += 100
    assert go_on(plans) == []
    assert sidecar.asked == [("plan", "chain")]


def test_the_command_is_a_process_that_gets_the_sidecars_address(tmp_path: Path) -> None:
    program = tmp_path / "echo"
    program.write_text(f"#!{sys.executable}\nimport sys\nprint(sys.argv[1:])\nsys.exit(3)\n")
    program.chmod(0o755)
    ended = run_command(program, Endpoint("10.0.0.1", 7077), ("plan", "chain"))
    assert ended.returncode == 3
    assert ended.stdout == "['plan', 'chain', '--sidecar=10.0.0.1:7077', '--json']\n"


def test_a_command_that_does_not_end_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "sleep"
    program.write_text("#!/bin/sh\nexec sleep 60\n")
    program.chmod(0o755)
    monkeypatch.setattr(applied_plans, "_TIMEOUT", 0.2)
    ended = run_command(program, Endpoint("10.0.0.1", 7077), ("plan", "chain"))
    assert isinstance(ended, subprocess.CompletedProcess)
    assert (ended.returncode, ended.stderr) == (1, "no answer within 0.2 s")


def test_a_command_that_cannot_begin_says_why(tmp_path: Path) -> None:
    ended = run_command(tmp_path / "none", Endpoint("10.0.0.1", 7077), ("plan", "chain"))
    assert ended.returncode == 1
    assert "No such file" in ended.stderr


def test_only_a_scheduler_that_says_so_follows_its_policy(tmp_path: Path, trial: Trial) -> None:
    deployment = make_deployment(tmp_path, sidecar=Endpoint("10.0.0.1", 7077))
    scheduler = trial.schedulers[0]
    assert follow_policy(deployment, trial, scheduler) is None
    plans = follow_policy(deployment, trial, replace(scheduler, plan_every=30.0))
    assert plans is not None
    plans.end()


def test_only_eyewall_has_plans_and_none_more_often_than_they_can_be_made() -> None:
    said = refusal(TRIAL.replace('"ras"', '{ scheduler = "ras", plan_every = 30 }'))
    assert said.endswith("schedulers (ras).plan_every: only the scheduler eyewall has plans")
    said = refusal(TRIAL.replace('"ras"', '{ scheduler = "eyewall", plan_every = 1 }'))
    assert said.endswith("schedulers[0].plan_every = 1: input should be greater than or equal to 5")


def test_latency_agents_have_one_of_two_algorithms() -> None:
    said = refusal(TRIAL.replace("[rate]", "latency_algorithm = 'vivaldi'\n[rate]"))
    assert said.endswith("latency_algorithm = 'vivaldi': input should be 'springs' or 'paper'")
