"""`eyewall freeze` and `eyewall unfreeze`, with a real ZooKeeper and a real server."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

import pytest
from desk_cluster import TOPOLOGY, running, served, three_sites
from eyewall_contracts.stores.switch_store import change_switches, read_switches
from eyewall_contracts.switches import Switches
from eyewall_contracts.znodes import Znodes
from eyewall_sidecar.cli import switch_desk
from eyewall_sidecar.cli.app import app
from eyewall_sidecar.cli.switch_desk import Held, SwitchDesk
from eyewall_sidecar.stores import ZookeeperSwitches
from free_ports import free_port
from real_stores import HERE
from typer.testing import CliRunner, Result

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from eyewall_contracts.proto import operations_pb2 as pb
    from kazoo.client import KazooClient
    from obedient_nimbus import Nimbus
    from real_stores import Server


@pytest.fixture
def nimbus(zookeeper: Server, paths: Znodes) -> Iterator[Nimbus]:
    it = three_sites()
    store = ZookeeperSwitches(zookeeper.address, paths, time.monotonic)
    it.switches.store = store
    store.start()
    yield running(it)
    store.close()


def eyewall(*arguments: str, config: Path, sidecar: str) -> Result:
    options = ["--config", str(config), "--sidecar", sidecar]
    return CliRunner().invoke(app, [*arguments, *options])


def test_a_topology_is_frozen_by_its_name_once_the_sidecar_says_that_it_holds_it(
    nimbus: Nimbus, config: Path, client: KazooClient, paths: Znodes
) -> None:
    with served(nimbus) as address:
        frozen = eyewall("freeze", TOPOLOGY.name, config=config, sidecar=address)
        assert (frozen.exit_code, frozen.stdout.splitlines()) == (
            0,
            [f"{TOPOLOGY.id} is frozen", "the sidecar holds it"],
        )
        assert nimbus.service.freeze_of(TOPOLOGY.id)
        free = eyewall("unfreeze", TOPOLOGY.id, config=config, sidecar=address)
    assert free.exit_code == 0, free.stderr
    assert read_switches(client, paths) == Switches()


def test_everything_is_frozen_and_what_is_frozen_by_itself_stays_so(
    nimbus: Nimbus, config: Path, client: KazooClient, paths: Znodes
) -> None:
    with served(nimbus) as address:
        eyewall("freeze", TOPOLOGY.name, config=config, sidecar=address)
        everything = eyewall("freeze", config=config, sidecar=address)
        assert everything.stdout.startswith("everything is frozen: nothing that runs is moved\n")
        free = eyewall("unfreeze", config=config, sidecar=address)
    assert free.stdout.splitlines()[0] == (
        f"not everything is frozen any more, but still by themselves: {TOPOLOGY.id}"
    )
    assert read_switches(client, paths) == Switches(frozen_topologies=frozenset({TOPOLOGY.id}))


def test_as_json_it_is_said_what_is_written_and_what_the_sidecar_holds(
    nimbus: Nimbus, config: Path
) -> None:
    with served(nimbus) as address:
        frozen = eyewall("freeze", TOPOLOGY.name, "--json", config=config, sidecar=address)
        reply = json.loads(frozen.stdout)
        assert reply["held"].pop("age") >= 0
        switches = {"frozen": False, "frozen_topologies": [TOPOLOGY.id]}
        assert (frozen.exit_code, reply) == (
            0,
            {
                "written": switches,
                "held": {"available": True, "remark": "", "drained_hosts": [], **switches},
                "in_force": True,
                "frozen_by_configuration": False,
            },
        )
        free = eyewall("unfreeze", TOPOLOGY.name, "--json", config=config, sidecar=address)
    assert json.loads(free.stdout)["held"]["frozen_topologies"] == []


def test_as_json_a_switch_that_is_written_but_not_held_is_not_in_force(config: Path) -> None:
    frozen = {"frozen": True, "frozen_topologies": []}
    away = eyewall("freeze", "--json", config=config, sidecar=f"{HERE}:{free_port()}")
    assert (away.exit_code, "no sidecar answers" in away.stderr) == (1, True)
    assert json.loads(away.stdout) == {"written": frozen, "in_force": False}
    with served(running(three_sites(frozen=True))) as address:
        without = eyewall("freeze", "--json", config=config, sidecar=address)
    reply = json.loads(without.stdout)
    assert (without.exit_code, reply["in_force"], reply["written"]) == (1, False, frozen)
    assert (reply["held"]["available"], reply["frozen_by_configuration"]) == (False, True)
    assert "its [zookeeper] servers is not set" in without.stderr


def test_where_nothing_is_written_there_is_no_json(nimbus: Nimbus, config: Path) -> None:
    with served(nimbus) as address:
        refused = eyewall("freeze", "nobody", "--json", config=config, sidecar=address)
    assert (refused.exit_code, refused.stdout) == (2, "")


def test_before_a_nimbus_was_heard_no_topology_is_called_unknown(
    config: Path, client: KazooClient, paths: Znodes
) -> None:
    with served(three_sites()) as address:
        refused = eyewall("freeze", TOPOLOGY.name, config=config, sidecar=address)
    assert refused.exit_code == 1
    assert "Storm's id of it is not known yet: no Nimbus has been heard yet" in refused.stderr
    assert client.exists(paths.switches) is None


def test_an_unknown_topology_is_refused_and_nothing_is_written(
    nimbus: Nimbus, config: Path, client: KazooClient, paths: Znodes
) -> None:
    with served(nimbus) as address:
        refused = eyewall("freeze", "word-1-1700000000", config=config, sidecar=address)
    assert refused.exit_code == 2
    assert f"did you mean {TOPOLOGY.name}" in refused.stderr
    assert client.exists(paths.switches) is None


def test_without_a_sidecar_everything_can_be_frozen_all_the_same_but_it_ends_with_1(
    config: Path, client: KazooClient, paths: Znodes
) -> None:
    nowhere = f"{HERE}:{free_port()}"
    frozen = eyewall("freeze", config=config, sidecar=nowhere)
    assert frozen.exit_code == 1
    assert "it is written, and holds once the sidecar is back" in frozen.stderr
    assert read_switches(client, paths) == Switches(frozen=True)
    by_name = eyewall("freeze", "words", config=config, sidecar=nowhere)
    assert by_name.exit_code == 1
    assert "only the sidecar knows Storm's id of it" in by_name.stderr


def test_a_sidecar_without_zookeeper_holds_no_switches(config: Path) -> None:
    with served(running(three_sites())) as address:
        said = eyewall("freeze", config=config, sidecar=address)
    assert said.exit_code == 1
    assert "its [zookeeper] servers is not set" in said.stderr


def test_a_sidecar_that_reads_another_znode_is_said_not_to_hold_it(
    nimbus: Nimbus, config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(switch_desk, "HELD_SECONDS", 1.0)
    config.write_text(config.read_text().replace('root = "/', 'root = "/elsewhere-'))
    with served(nimbus) as address:
        said = eyewall("freeze", config=config, sidecar=address)
    assert said.exit_code == 1
    assert "not held by the sidecar after 1 s" in said.stderr


def test_a_switch_that_somebody_else_turns_at_the_same_time_is_not_waited_for(
    nimbus: Nimbus, config: Path, client: KazooClient, paths: Znodes
) -> None:
    def as_well(desk: SwitchDesk, is_held: Callable[[pb.Switches], bool]) -> Held:
        change_switches(client, paths, lambda it: it.with_all(frozen=True))
        time.sleep(2)  # the sidecar looks every second: it never holds the first switch alone
        return wait(desk, is_held)

    wait = SwitchDesk.wait
    with pytest.MonkeyPatch.context() as patch, served(nimbus) as address:
        patch.setattr(SwitchDesk, "wait", as_well)
        frozen = eyewall("freeze", TOPOLOGY.name, config=config, sidecar=address)
    assert frozen.exit_code == 0, frozen.stderr
    assert "eyewall freeze" not in frozen.stderr  # on a busy machine there is the progress


def test_switches_that_are_nonsense_are_not_written_over(
    nimbus: Nimbus, config: Path, client: KazooClient, paths: Znodes
) -> None:
    client.ensure_path(paths.switches)
    client.set(paths.switches, b"nonsense")
    with served(nimbus) as address:
        said = eyewall("freeze", config=config, sidecar=address)
    assert said.exit_code == 1
    assert f"{paths.switches}: " in said.stderr
    assert client.get(paths.switches)[0] == b"nonsense"


def test_a_zookeeper_that_is_away_ends_with_1(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("eyewall_sidecar.zookeeper.PATIENCE", 1.0)
    away = tmp_path / "sidecar.toml"
    away.write_text(f'[zookeeper]\nservers = "{HERE}:{free_port()}"\n')
    said = eyewall("freeze", config=away, sidecar=f"{HERE}:{free_port()}")
    assert said.exit_code == 1
    assert "does not answer" in said.stderr


def test_that_the_configuration_freezes_too_is_said(config: Path, zookeeper: Server) -> None:
    nimbus = three_sites(frozen=True)
    store = ZookeeperSwitches(zookeeper.address, Znodes(f"/{config.parent.name}"), time.monotonic)
    nimbus.switches.store = store
    store.start()
    try:
        with served(running(nimbus)) as address:
            said = eyewall("unfreeze", config=config, sidecar=address)
        assert said.exit_code == 0, said.stderr
        assert "[replacement] frozen" in said.stdout
    finally:
        store.close()
