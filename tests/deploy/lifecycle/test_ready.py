"""Readiness after a stop: what an earlier life of a program said tells nothing of the new one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from deploy_plans import make_plan
from eyewall_deploy.lifecycle.ready import probe_before_start
from eyewall_deploy.processes.supervisord import output_file
from eyewall_deploy.storm.nimbus import ClusterView, SupervisorView

if TYPE_CHECKING:
    from pathlib import Path

READY = "eyewall monitor ready on 127.0.0.1:2003 (host edge-1)\n"


def test_a_line_of_an_earlier_life_does_not_make_an_agent_ready(tmp_path: Path) -> None:
    plan = make_plan(tmp_path)
    output = output_file(plan.run.logs(), "monitor-edge-1")
    output.write_text(READY)
    probe = probe_before_start(plan, "monitor-edge-1", runs=False)
    assert probe() == f"nothing of being ready in {output}"
    with output.open("a") as file:
        file.write(READY)
    assert probe() is None


def test_an_agent_that_runs_already_is_ready_by_what_it_said(tmp_path: Path) -> None:
    plan = make_plan(tmp_path)
    output_file(plan.run.logs(), "monitor-edge-1").write_text(READY)
    assert probe_before_start(plan, "monitor-edge-1", runs=True)() is None


def test_a_line_in_a_log_that_has_been_begun_anew_counts(tmp_path: Path) -> None:
    plan = make_plan(tmp_path)
    output = output_file(plan.run.logs(), "monitor-edge-1")
    output.write_text("a long story\n" * 100)
    probe = probe_before_start(plan, "monitor-edge-1", runs=False)
    output.write_text(READY)
    assert probe() is None


def test_a_file_of_an_earlier_life_does_not_make_the_router_ready(tmp_path: Path) -> None:
    plan = make_plan(tmp_path)
    file = plan.run.ready_file("router")
    file.touch()
    assert probe_before_start(plan, "router", runs=True)() is None
    probe = probe_before_start(plan, "router", runs=False)
    assert probe() == f"{file} is not there"
    file.touch()
    assert probe() is None


@pytest.mark.parametrize(
    ("uptime", "runs", "missing"),
    [
        (300, False, "Nimbus knows host fog-1 only as it was before"),
        (300, True, None),
        (1, False, None),  # seconds, rounded
    ],
)
def test_nimbus_may_still_know_a_supervisor_that_has_ended(
    uptime: int, runs: bool, missing: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = SupervisorView("fog-1", "id", slots=4, slots_used=0, uptime=uptime)
    view = ClusterView("2.8.3", has_leader=True, supervisors=(seen,), topologies=())
    monkeypatch.setattr("eyewall_deploy.storm.nimbus.look", lambda *_, **__: view)
    probe = probe_before_start(make_plan(tmp_path), "supervisor-fog-1", runs=runs)
    assert probe() == missing
