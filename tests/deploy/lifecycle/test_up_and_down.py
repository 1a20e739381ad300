"""Real keeper, supervisord, Redis and commands; Storm's daemons are light fakes."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
from typing import TYPE_CHECKING

import psutil
import pytest
from fake_cluster import PATIENCE

if TYPE_CHECKING:
    from fake_cluster import FakeCluster

# A shell shows both as 130. CPython ends itself with the signal, though the interrupt was handled,
# where it hit code that a library runs through exec (`unhandled_keyboard_interrupt`, pythonrun.c).
INTERRUPTED = (130, -signal.SIGINT)


def test_up_ends_with_every_program_running_and_every_host_registered(running: FakeCluster) -> None:
    seen = running.status()
    programs = {"zookeeper", "redis", "nimbus", "supervisor-h1", "supervisor-h2"}
    if running.mode == "namespaces":
        programs |= {"router", "forwarder"}
    assert {p["name"] for p in seen["programs"] if p["state"] == "RUNNING"} == programs
    assert [(h["name"], h["slots_used"]) for h in seen["hosts"]] == [("h1", 0), ("h2", 0)]
    assert (seen["mode"], seen["scheduler"]) == (running.mode, "ras")
    assert seen["delays"] == "declared"  # without agents


def test_down_leaves_no_process_namespace_or_control_group_and_doing_it_twice_does_no_harm(
    cluster: FakeCluster,
) -> None:
    before = _named_namespaces()
    cluster.up()
    for said in ("run is down", "run was not up"):
        done = cluster.run_command("down")
        assert done.returncode == 0
        assert said in done.stderr
        assert cluster.processes() == []
        assert cluster.groups() == []
        assert _named_namespaces() == before


def test_down_while_another_down_waits_for_a_program_to_end_ends_the_cluster_too(
    loopback: FakeCluster,
) -> None:
    loopback.environment["FAKE_FAULT"] = "nimbus:stays"
    loopback.up()
    first = loopback.start(*loopback.command("down"))
    loopback.until(lambda: loopback.state("nimbus").state == "STOPPING")
    second = loopback.run_command("down")
    _, said = first.communicate(timeout=PATIENCE)
    assert (first.returncode, second.returncode) == (0, 0), said + second.stderr
    loopback.assert_nothing_left()


def test_down_during_up_ends_both_and_up_says_so_in_words(loopback: FakeCluster) -> None:
    loopback.environment["FAKE_FAULT"] = "zookeeper:hangs"
    starter = loopback.start(*loopback.up_command())
    loopback.wait_for_fake("zookeeper")
    assert loopback.run_command("down").returncode == 0
    _, said = starter.communicate(timeout=PATIENCE)
    assert starter.returncode == 1
    assert f"the cluster has ended; its logs are in {loopback.run.logs()}" in said
    loopback.assert_nothing_left()


def test_when_the_keeper_is_killed_during_up_it_says_that_the_cluster_has_ended(
    loopback: FakeCluster,
) -> None:
    loopback.environment["FAKE_FAULT"] = "nimbus:hangs"
    starter = loopback.start(*loopback.up_command())
    loopback.wait_for_fake("nimbus")
    loopback.keeper().kill()
    _, said = starter.communicate(timeout=PATIENCE)
    assert starter.returncode == 1
    assert f"the cluster has ended; its logs are in {loopback.run.logs()}" in said
    loopback.assert_nothing_left()


def test_while_supervisord_does_not_answer_commands_say_that_the_cluster_has_ended(
    on_loopback: FakeCluster,
) -> None:
    hidden = on_loopback.run.path / "hidden.sock"
    on_loopback.run.socket.rename(hidden)
    for command in (["status"], ["stop", "nimbus"], ["start", "nimbus"], ["restart", "nimbus"]):
        done = on_loopback.ask(*command)
        assert done.returncode == 1
        assert done.stderr.splitlines()[-1].startswith("the cluster has ended; its logs are in ")
    hidden.rename(on_loopback.run.socket)


def test_down_finds_the_cluster_by_another_spelling_of_its_run_dir(loopback: FakeCluster) -> None:
    (loopback.folder / "link").symlink_to(loopback.folder)
    loopback.up()
    done = loopback.run_command("down", f"--run-dir={loopback.folder / 'link' / 'run'}")
    assert "run is down" in done.stderr
    assert loopback.processes() == []


def test_pids_in_the_status_are_those_of_this_machine(running: FakeCluster) -> None:
    nimbus = psutil.Process(running.program("nimbus")["pid"])
    assert "-Ddaemon.name=nimbus" in nimbus.cmdline()


def test_programs_start_in_order_each_after_what_it_needs(running: FakeCluster) -> None:
    log = (running.run.logs() / "supervisord.log").read_text()
    order = re.findall(r"spawned: '([\w-]+)'", log)
    wanted = ["zookeeper", "redis", "nimbus", "supervisor-h1", "supervisor-h2"]
    if running.mode == "namespaces":
        wanted = ["router", "forwarder", *wanted]
    assert order == wanted


# How a starter ends does not depend on the mode, and what that ends is tried in both below.


@pytest.mark.namespaces
def test_a_program_that_dies_while_it_starts_ends_everything_and_its_last_lines_are_shown(
    namespaces: FakeCluster,
) -> None:
    namespaces.environment["FAKE_FAULT"] = "nimbus:dies"
    done = namespaces.try_up()
    assert done.returncode == 1
    assert "nimbus ended while it was starting (exit status 13)" in done.stderr
    assert "class io.example.Missing is nowhere" in done.stderr
    namespaces.assert_nothing_left()
    assert namespaces.groups() == []


def test_sigkill_of_the_starter_while_it_waits_ends_everything(loopback: FakeCluster) -> None:
    loopback.environment["FAKE_FAULT"] = "nimbus:hangs"
    starter = loopback.start(*loopback.up_command())
    loopback.wait_for_fake("nimbus")
    _kill(starter)
    loopback.assert_nothing_left()


@pytest.mark.namespaces
def test_sigkill_of_a_starter_in_the_foreground_ends_everything(namespaces: FakeCluster) -> None:
    starter = namespaces.start(*namespaces.up_command("--foreground"))
    _wait_until_up(starter)
    _kill(starter)
    namespaces.assert_nothing_left()
    assert namespaces.groups() == []


def test_ctrl_c_in_the_foreground_ends_everything(loopback: FakeCluster) -> None:
    starter = loopback.start(*loopback.up_command("--foreground"))
    _wait_until_up(starter)
    starter.send_signal(signal.SIGINT)
    _, said = starter.communicate(timeout=PATIENCE)
    assert starter.returncode in INTERRUPTED
    assert "ended" in said
    loopback.assert_nothing_left()


@pytest.mark.namespaces
def test_ctrl_c_during_up_ends_everything(namespaces: FakeCluster) -> None:
    namespaces.environment["FAKE_FAULT"] = "nimbus:hangs"
    starter = namespaces.start(*namespaces.up_command())
    namespaces.wait_for_fake("nimbus")
    starter.send_signal(signal.SIGINT)
    starter.communicate(timeout=PATIENCE)
    assert starter.returncode in INTERRUPTED
    namespaces.assert_nothing_left()


def test_sigkill_of_the_keeper_ends_everything_workers_included(cluster: FakeCluster) -> None:
    cluster.up()
    assert any("sleep" in line[0] for line in cluster.command_lines() if line)
    cluster.keeper().kill()
    cluster.assert_nothing_left()
    assert cluster.run_command("down").returncode == 0
    assert cluster.groups() == []


def test_sigkill_of_the_guard_ends_everything_workers_included(loopback: FakeCluster) -> None:
    loopback.up()
    (guard,) = loopback.keeper().children()
    guard.kill()
    loopback.assert_nothing_left()


def test_what_survives_sigkill_of_keeper_and_guard_at_once_is_ended_by_down(
    loopback: FakeCluster,
) -> None:
    loopback.up()
    keeper = loopback.keeper()
    (guard,) = keeper.children()
    for process in (keeper, guard):
        process.suspend()
    for process in (keeper, guard):
        process.kill()
    assert loopback.processes() != []  # the workers at least: nobody is left to end them
    assert loopback.run_command("down").returncode == 0
    assert loopback.processes() == []


def test_a_program_that_dies_later_is_started_again(running: FakeCluster) -> None:
    first = running.state("nimbus").pid
    psutil.Process(running.program("nimbus")["pid"]).kill()
    running.until(lambda: running.state("nimbus").pid not in {0, first})
    running.until(lambda: running.state("nimbus").state == "RUNNING")


def test_up_on_a_running_cluster_says_so_and_leaves_it_alone(on_loopback: FakeCluster) -> None:
    before = on_loopback.program("nimbus")["pid"]
    again = on_loopback.try_up()
    assert again.returncode == 1
    assert "pair is up already" in again.stderr
    assert on_loopback.program("nimbus")["pid"] == before


def test_a_port_that_is_taken_is_named_with_its_owner_and_the_option_for_another(
    loopback: FakeCluster,
) -> None:
    with socket.create_server(("127.0.0.1", loopback.ports[0])):
        done = loopback.try_up()
    assert done.returncode == 1
    taken = rf"port {loopback.ports[0]} for Nimbus is taken by \S+ \(process \d+\)"
    assert re.search(taken, done.stderr)
    assert "--nimbus-port PORT" in done.stderr
    assert loopback.processes() == []


def test_commands_without_a_running_cluster_say_that_there_is_none(loopback: FakeCluster) -> None:
    for command in (["status"], ["logs", "nimbus"], ["stop", "nimbus"], ["delay", "a", "b", "1ms"]):
        done = loopback.ask(*command)
        assert done.returncode == 1
        assert f"no cluster runs in {loopback.run.path}" in done.stderr


@pytest.mark.namespaces
def test_root_without_capabilities_gets_loopback_and_one_line_that_says_how_to_get_more(
    namespaces: FakeCluster,
) -> None:
    # Namespaces work here (the fixture tried), so what refuses them is the lack of capabilities,
    # as in a container that was not started with --privileged.
    if psutil.Process().uids().effective != 0:
        pytest.skip("only root can give its capabilities away")
    bare = ["setpriv", "--bounding-set=-all", "--inh-caps=-all", "--ambient-caps=-all"]
    command = [part for part in namespaces.up_command() if not part.startswith("--mode")]
    starter = namespaces.start(*bare, *command)
    _, said = starter.communicate(timeout=PATIENCE)
    assert starter.returncode == 0, said
    (line,) = [line for line in said.splitlines() if "NOT emulated" in line]
    assert "are not allowed (unshare: Operation not permitted); run as root, or allow" in line
    assert namespaces.status()["mode"] == "loopback"
    namespaces.run_command("down")
    asked_for = namespaces.start(*bare, *namespaces.up_command())
    _, said = asked_for.communicate(timeout=PATIENCE)
    assert asked_for.returncode == 1
    assert "network namespaces are not allowed" in said


def _wait_until_up(starter: subprocess.Popen[str]) -> None:
    assert starter.stderr is not None
    for line in starter.stderr:
        if "Ctrl-C ends it" in line:
            return
    pytest.fail("it did not come up")


def _kill(starter: subprocess.Popen[str]) -> None:
    starter.kill()
    starter.communicate()


def _named_namespaces() -> str:
    return subprocess.run(["ip", "netns"], capture_output=True, text=True, check=True).stdout
