"""`eyewall drain` and `eyewall undrain`, with a real ZooKeeper and a real server."""

from __future__ import annotations

import json
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from desk_cluster import TOPOLOGY, running, served, three_sites
from eyewall_contracts.sample import encode_sample
from eyewall_contracts.stores.switch_store import change_switches, read_switches
from eyewall_contracts.switches import Switches
from eyewall_sidecar.cli.app import app
from eyewall_sidecar.stores import ZookeeperSwitches
from free_ports import free_port
from measured_topologies import report
from real_stores import HERE
from storm_builders import chain, supervisor, worker
from typer.testing import CliRunner, Result

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from eyewall_contracts.znodes import Znodes
    from eyewall_sidecar.storm import Topology
    from kazoo.client import KazooClient
    from obedient_nimbus import Nimbus
    from real_stores import Server

FREE = chain(("source", 1), ("tag", 1), name="free-2-1700000000")
"""May run anywhere; TOPOLOGY is pinned to edge-1 and cloud-1."""


@pytest.fixture
def nimbus(zookeeper: Server, paths: Znodes) -> Iterator[Nimbus]:
    """Three sites, with FREE on fog-1."""
    it = three_sites()
    store = ZookeeperSwitches(zookeeper.address, paths, time.monotonic)
    it.switches.store = store
    store.start()
    it.running[FREE.id] = (worker("fog-1", 6700, 1, 2),)
    yield it
    store.close()


@contextmanager
def scheduling(nimbus: Nimbus, *topologies: Topology) -> Iterator[str]:
    """Answer, and run a round every tenth of a second as Nimbus does every few."""
    ended = threading.Event()

    def rounds() -> None:
        while not ended.wait(0.1):
            nimbus.round(*topologies)

    for _ in range(3):
        nimbus.round(*topologies)
    thread = threading.Thread(target=rounds)
    thread.start()
    try:
        with served(nimbus) as address:
            yield address
    finally:
        ended.set()
        thread.join()


def eyewall(*arguments: str, config: Path, sidecar: str) -> Result:
    options = ["--config", str(config), "--sidecar", sidecar]
    return CliRunner().invoke(app, [*arguments, *options])


def test_a_drained_host_is_empty_when_the_command_ends_and_comes_back(
    nimbus: Nimbus, config: Path, client: KazooClient, paths: Znodes
) -> None:
    with scheduling(nimbus, FREE) as address:
        drained = eyewall("drain", "fog-1", config=config, sidecar=address)
        assert (drained.exit_code, drained.stdout.splitlines()) == (
            0,
            [
                "fog-1 is drained: Eyewall places nothing there",
                "fog-1: nothing is assigned to it; no agent reports whether its workers have ended",
            ],
        )
        assert nimbus.host_of(FREE, 1) != "fog-1"
        assert nimbus.host_of(FREE, 2) != "fog-1"
        back = eyewall("undrain", "fog-1", config=config, sidecar=address)
    assert (back.exit_code, back.stdout.splitlines()) == (
        0,
        ["fog-1 is no longer drained", "the sidecar holds it"],
    )
    assert read_switches(client, paths) == Switches()


def test_it_is_not_empty_before_the_last_worker_process_has_ended(
    nimbus: Nimbus, config: Path, client: KazooClient, paths: Znodes
) -> None:
    client.create(
        paths.sample("fog-1"),
        encode_sample(report("fog-1", used={FREE.id: 0.1}, started=0.0)),
        makepath=True,
    )
    with scheduling(nimbus, FREE) as address:
        early = eyewall("drain", "fog-1", "--wait", "8", "--json", config=config, sidecar=address)
        assert early.exit_code == 1
        reply = json.loads(early.stdout)
        assert reply.pop("held")["drained_hosts"] == ["fog-1"]
        assert reply == {
            "written": {"drained_hosts": ["fog-1"]},
            "in_force": True,
            "executors_left": {},
            "empty": False,
            "workers_left": 1,
        }
        client.set(paths.sample("fog-1"), encode_sample(report("fog-1", 1)))
        again = eyewall("drain", "fog-1", config=config, sidecar=address)
    assert (again.exit_code, again.stdout.splitlines()[-1]) == (0, "fog-1 is empty")


def test_where_the_others_have_no_room_nothing_is_written_unless_forced(
    nimbus: Nimbus, config: Path, client: KazooClient, paths: Znodes
) -> None:
    with scheduling(nimbus, TOPOLOGY) as address:
        refused = eyewall("drain", "edge-1", config=config, sidecar=address)
        assert (refused.exit_code, refused.stdout) == (1, "")
        assert "edge-1 is not drained: words-1-1700000000: " in refused.stderr
        assert "source[1-1]" in refused.stderr
        assert client.exists(paths.switches) is None
        forced = eyewall(
            "drain", "edge-1", "--force", "--wait", "5", config=config, sidecar=address
        )
    assert forced.exit_code == 1
    assert "after 5 s there is still " in forced.stderr
    assert "of words-1-1700000000" in forced.stderr
    assert read_switches(client, paths).drained_hosts == {"edge-1"}
    assert nimbus.host_of(TOPOLOGY, 1) == "edge-1"


@pytest.mark.parametrize(
    ("settings", "frozen", "why"),
    [
        ({"mode": "observe"}, False, "fixed is not moved: eyewall.mode is observe"),
        ({}, True, "fixed is not moved: it is frozen"),
    ],
)
def test_what_is_not_moved_keeps_a_host_from_being_drained(
    nimbus: Nimbus,
    config: Path,
    client: KazooClient,
    paths: Znodes,
    settings: dict[str, str],
    frozen: bool,
    why: str,
) -> None:
    fixed = chain(("source", 1), ("tag", 1), name="fixed", settings=settings)
    nimbus.running[fixed.id] = (worker("cloud-1", 6700, 1, 2),)
    if frozen:
        change_switches(client, paths, lambda it: it.with_topology(fixed.id, frozen=True))
    with scheduling(nimbus, fixed) as address:
        refused = eyewall("drain", "cloud-1", config=config, sidecar=address)
    assert refused.exit_code == 1
    assert why in refused.stderr
    assert not read_switches(client, paths).drained_hosts


def test_an_unknown_host_and_the_last_one_are_refused(
    nimbus: Nimbus, config: Path, client: KazooClient, paths: Znodes
) -> None:
    with served(running(nimbus)) as address:
        unknown = eyewall("drain", "fog-2", config=config, sidecar=address)
        assert unknown.exit_code == 2
        assert "no host fog-2; hosts are cloud-1, edge-1, fog-1 (did you mean fog-1" in (
            unknown.stderr
        )
        change_switches(
            client,
            paths,
            lambda it: it.with_host("edge-1", drained=True).with_host("cloud-1", drained=True),
        )
        last = eyewall("drain", "fog-1", config=config, sidecar=address)
    assert last.exit_code == 2
    assert "fog-1 is the last host that takes executors; drained are cloud-1, edge-1" in last.stderr
    assert read_switches(client, paths).drained_hosts == {"edge-1", "cloud-1"}


def test_a_host_that_is_not_drained_cannot_be_brought_back(
    nimbus: Nimbus, config: Path, client: KazooClient, paths: Znodes
) -> None:
    with served(running(nimbus)) as address:
        nothing = eyewall("undrain", "fog-1", config=config, sidecar=address)
        assert (nothing.exit_code, nothing.stderr) == (
            2,
            "eyewall undrain: fog-1 is not drained; no host is\n",
        )
        change_switches(client, paths, lambda it: it.with_host("edge-1", drained=True))
        another = eyewall("undrain", "edge-2", config=config, sidecar=address)
    assert another.exit_code == 2
    assert "edge-2 is not drained; drained are edge-1 (did you mean edge-1?)" in another.stderr


def test_before_a_nimbus_was_heard_no_host_is_called_unknown(config: Path) -> None:
    with served(three_sites()) as address:
        refused = eyewall("drain", "fog-1", config=config, sidecar=address)
    assert refused.exit_code == 1
    assert "no host is known yet: no Nimbus has been heard yet" in refused.stderr


def test_without_a_sidecar_a_host_is_only_brought_back(
    config: Path, client: KazooClient, paths: Znodes
) -> None:
    nowhere = f"{HERE}:{free_port()}"
    refused = eyewall("drain", "fog-1", config=config, sidecar=nowhere)
    assert refused.exit_code == 1
    assert "no sidecar answers" in refused.stderr
    assert client.exists(paths.switches) is None
    change_switches(client, paths, lambda it: it.with_host("fog-1", drained=True))
    back = eyewall("undrain", "fog-1", "--json", config=config, sidecar=nowhere)
    assert back.exit_code == 1
    assert json.loads(back.stdout) == {"written": {"drained_hosts": []}, "in_force": False}
    assert "it is written, and holds once the sidecar is back" in back.stderr


@pytest.mark.parametrize("seconds", ["-1", "nan", "86401"])
def test_a_wait_that_makes_no_sense_is_refused(config: Path, seconds: str) -> None:
    said = eyewall("drain", "fog-1", "--wait", seconds, config=config, sidecar=f"{HERE}:1")
    assert said.exit_code == 2
    assert f"--wait {seconds}: it must be from 0 to 86,400 seconds" in said.stderr


def test_a_host_is_not_called_empty_by_a_round_from_before(
    nimbus: Nimbus, config: Path, client: KazooClient, paths: Znodes
) -> None:
    # Without further rounds nobody knows what the last one has placed.
    running(nimbus).clock.now += 100
    with served(nimbus) as address:
        said = eyewall("drain", "fog-1", "--wait", "1", config=config, sidecar=address)
    assert said.exit_code == 1
    assert "still perhaps something (Nimbus has had no round since)" in said.stderr
    assert read_switches(client, paths).drained_hosts == {"fog-1"}


def test_two_supervisors_of_one_host_are_drained_together(
    nimbus: Nimbus, config: Path, client: KazooClient, paths: Znodes
) -> None:
    nimbus.hosts.append(supervisor("fog-1", name="sup-second"))
    with scheduling(nimbus, FREE) as address:
        drained = eyewall("drain", "fog-1", config=config, sidecar=address)
    assert drained.exit_code == 0, drained.stderr
    used = {it.slot.supervisor for it in nimbus.running[FREE.id]}
    assert not used & {"sup-fog-1", "sup-second"}


def test_without_a_wait_it_ends_once_the_sidecar_holds_it(nimbus: Nimbus, config: Path) -> None:
    with served(running(nimbus)) as address:
        said = eyewall("drain", "fog-1", "--wait", "0", config=config, sidecar=address)
    assert (said.exit_code, said.stdout.splitlines()[-1]) == (
        0,
        "the sidecar holds it; whether the host is empty is not waited for",
    )
