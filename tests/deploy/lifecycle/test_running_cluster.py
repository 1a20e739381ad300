"""What can be asked of a cluster that is up; Storm's daemons are light fakes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
import yaml

if TYPE_CHECKING:
    from fake_cluster import FakeCluster


def test_another_scheduler_is_written_for_nimbus_which_is_restarted(
    on_loopback: FakeCluster,
) -> None:
    before = on_loopback.program("nimbus")["pid"]
    done = on_loopback.ask("scheduler", "default")
    assert done.returncode == 0, done.stderr
    settings = yaml.safe_load((on_loopback.run.conf("nimbus") / "storm.yaml").read_text())
    assert settings["storm.scheduler"] == "org.apache.storm.scheduler.DefaultScheduler"
    assert on_loopback.program("nimbus")["pid"] != before
    assert on_loopback.status()["scheduler"] == "default"


def test_a_program_can_be_stopped_and_started(on_loopback: FakeCluster) -> None:
    assert on_loopback.ask("stop", "supervisor-h2").returncode == 0
    assert on_loopback.program("supervisor-h2")["state"] == "STOPPED"
    assert on_loopback.ask("start", "supervisor-h2").returncode == 0
    assert on_loopback.program("supervisor-h2")["state"] == "RUNNING"


def test_a_program_that_does_not_exist_is_answered_with_those_that_do(
    on_loopback: FakeCluster,
) -> None:
    for command in (["stop", "nimbos"], ["logs", "nimbos"]):
        done = on_loopback.ask(*command)
        assert done.returncode == 1
        assert "nimbos" in done.stderr
        assert "nimbus" in done.stderr


def test_logs_show_the_end_of_a_programs_log(on_loopback: FakeCluster) -> None:
    done = on_loopback.ask("logs", "redis", "--lines=200")
    assert done.returncode == 0
    assert "Ready to accept connections" in done.stdout


def test_a_program_that_has_not_run_yet_is_said_to_have_no_log(on_loopback: FakeCluster) -> None:
    # Without Eyewall nobody starts the sidecar.
    for more in ([], ["-f"]):
        done = on_loopback.ask("logs", "sidecar", *more)
        assert done.returncode == 1
        assert done.stderr == "logs: sidecar has not run yet\n"


def test_on_loopback_a_delay_is_refused_since_nothing_would_come_of_it(
    on_loopback: FakeCluster,
) -> None:
    done = on_loopback.ask("delay", "west", "east", "80ms")
    assert done.returncode == 1
    assert "not emulated" in done.stderr


def test_on_loopback_there_are_no_true_delays_to_show(on_loopback: FakeCluster) -> None:
    done = on_loopback.ask("delays")
    assert done.returncode == 1
    assert "not emulated" in done.stderr


@pytest.mark.namespaces
def test_delays_cannot_be_shown_where_nothing_measures_them(emulated: FakeCluster) -> None:
    done = emulated.ask("delays")
    assert done.returncode == 1
    assert "brought up without agents" in done.stderr


@pytest.mark.namespaces
def test_a_delay_is_changed_by_one_command_both_ways(emulated: FakeCluster) -> None:
    done = emulated.ask("delay", "west", "east", "80ms")
    assert done.returncode == 0, done.stderr
    assert json.loads(emulated.run.delays.read_text())["delay"] == [[0.0, 0.08], [0.08, 0.0]]
    one_way = emulated.ask("delay", "h1", "h2", "20ms", "--one-direction")
    assert one_way.returncode == 0, one_way.stderr
    assert json.loads(emulated.run.delays.read_text())["delay"] == [[0.0, 0.02], [0.08, 0.0]]


@pytest.mark.namespaces
@pytest.mark.parametrize(
    ("command", "named"),
    [
        (["west", "est", "80ms"], "no host or site est"),
        (["west", "east", "80"], "delay '80': expected a number with us, ms or s"),
        (["west", "east", "61s"], "allowed are 0 to 60000 ms"),
    ],
)
def test_a_delay_that_makes_no_sense_is_refused_with_what_is_allowed(
    emulated: FakeCluster, command: list[str], named: str
) -> None:
    done = emulated.ask("delay", *command)
    assert done.returncode == 1
    assert named in done.stderr


def test_on_loopback_a_hosts_cpu_cannot_be_changed(on_loopback: FakeCluster) -> None:
    done = on_loopback.ask("cpu", "h1", "0.2")
    assert done.returncode == 1
    assert done.stderr == (
        "cpu of h1: on loopback hosts have no control groups that could limit it\n"
    )


@pytest.mark.namespaces
def test_a_hosts_cpu_is_changed_at_once_and_what_makes_no_sense_is_refused(
    emulated: FakeCluster,
) -> None:
    changed = emulated.ask("cpu", "h1", "0.2")
    assert changed.stdout == "h1: 0.2 cores (before: 1)\n", changed.stderr
    again = emulated.ask("cpu", "h1", "1.5")
    assert again.stdout == "h1: 1.5 cores (before: 0.2)\n", again.stderr
    for (host, cores), reason in {
        ("h3", "1"): "cpu of h3: no such host; hosts are h1, h2",
        ("h1", "0"): "cpu of h1: 0 cores; allowed are 0.01 to 1024",
        ("h1", "nan"): "cpu of h1: nan cores; allowed are 0.01 to 1024",
    }.items():
        done = emulated.ask("cpu", host, cores)
        assert done.returncode == 1
        assert reason in done.stderr


@pytest.mark.namespaces
def test_a_command_runs_on_a_host_with_its_name_its_address_and_its_processes(
    emulated: FakeCluster,
) -> None:
    script = (
        "import socket, os; print(socket.gethostname(), socket.gethostbyname('h2'));"
        "print(open('/proc/1/cmdline').read().replace('\\0', ' '))"
    )
    done = emulated.run_command("exec", "h1", "--", "python3", "-c", script)
    assert done.returncode == 0, done.stderr
    name, first_process = done.stdout.splitlines()
    assert name == "h1 10.83.1.2"  # control is 10.83.0.1, hosts follow from 10.83.1.1 on
    assert "supervisord" in first_process
    missing = emulated.run_command("exec", "h3", "--", "true")
    assert missing.returncode == 1
    assert "no host h3; hosts are control, h1, h2" in missing.stderr
    assert emulated.run_command("exec", "h1", "--", "false").returncode == 1


def test_a_cluster_with_one_kind_of_links_says_so(on_loopback: FakeCluster) -> None:
    for command in (["link", "h1", "h2", "3"], ["public", "1"], ["reallocation", "off"]):
        done = on_loopback.ask(*command)
        assert done.returncode == 1
        assert "two kinds of links" in done.stderr
