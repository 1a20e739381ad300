"""The operators' switches read from a real ZooKeeper, which may be away or hold nonsense."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING

import pytest
from eyewall_contracts.stores.switch_store import change_switches
from eyewall_contracts.switches import Switches, encode_switches
from eyewall_sidecar.config import MoveLimits
from eyewall_sidecar.messages import Code
from eyewall_sidecar.service.movement_rules import find_freeze
from eyewall_sidecar.stores import HeldSwitches, ZookeeperSwitches
from free_ports import free_port
from real_stores import HERE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from eyewall_contracts.znodes import Znodes
    from kazoo.client import KazooClient
    from real_stores import Server

PATIENCE = 120.0
WORD = "word-1-1700000000"


@pytest.fixture
def store(zookeeper: Server, paths: Znodes) -> Iterator[ZookeeperSwitches]:
    it = ZookeeperSwitches(zookeeper.address, paths, time.monotonic)
    it.start()
    yield it
    it.close()


def put(client: KazooClient, paths: Znodes, data: bytes) -> None:
    client.ensure_path(paths.switches)
    client.set(paths.switches, data)


def until(store: ZookeeperSwitches, true: Callable[[HeldSwitches], object]) -> HeldSwitches:
    end = time.monotonic() + PATIENCE
    while not true(found := store.read()):
        assert time.monotonic() < end, found
        time.sleep(0.05)
    return found


def freeze(held: HeldSwitches, topology: str = WORD) -> Code | None:
    """Return what keeps a topology from being moved; None if nothing does."""
    found = find_freeze(MoveLimits(), held, topology)
    return found.code if found else None


def test_nobody_has_turned_any_where_there_is_no_znode(store: ZookeeperSwitches) -> None:
    found = until(store, lambda it: it.switches is not None)
    assert (found.wanted, found.switches, found.remark) == (True, Switches(), "")
    assert freeze(found) is None


def test_what_is_turned_is_held_and_so_is_what_is_turned_back(
    store: ZookeeperSwitches, client: KazooClient, paths: Znodes
) -> None:
    change_switches(client, paths, lambda it: it.with_topology(WORD, frozen=True))
    found = until(store, lambda it: it.switches is not None and freeze(it))
    assert freeze(found, "other-1") is None
    assert found.age is not None
    assert found.age < 5
    change_switches(client, paths, lambda it: it.with_all(frozen=True))
    found = until(store, lambda it: freeze(it, "other-1"))
    assert freeze(found) == Code.FROZEN_BY_OPERATORS
    change_switches(client, paths, lambda it: it.with_all(frozen=False))
    until(store, lambda it: not freeze(it, "other-1"))
    assert freeze(store.read())
    client.delete(paths.switches)
    until(store, lambda it: not freeze(it))


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        (b"nonsense", "no JSON object"),
        (b'{"version": 1, "frozen": "yes"}', "frozen is 'yes'"),
        (b'{"version":2,"frozen":false}', "this reader, which knows 1"),
    ],
)
def test_what_cannot_be_understood_leaves_the_last_known_in_force_and_is_said_once(
    store: ZookeeperSwitches,
    client: KazooClient,
    paths: Znodes,
    caplog: pytest.LogCaptureFixture,
    data: bytes,
    complaint: str,
) -> None:
    put(client, paths, encode_switches(Switches(frozen=True)))
    until(store, lambda it: it.switches is not None and it.switches.frozen)
    put(client, paths, data)
    found = until(store, lambda it: it.remark)
    assert complaint in found.remark
    time.sleep(2.5)  # looked at twice more
    assert freeze(store.read())
    said = [it for it in caplog.records if it.levelno >= logging.WARNING]
    assert len(said) == 1
    assert said[0].getMessage().endswith("the last ones hold")
    put(client, paths, encode_switches(Switches()))
    until(store, lambda it: not it.remark and not freeze(it))


def test_while_zookeeper_is_away_the_last_known_hold_and_grow_older(
    zookeeper: Server, store: ZookeeperSwitches, client: KazooClient, paths: Znodes
) -> None:
    put(client, paths, encode_switches(Switches(frozen=True)))
    until(store, lambda it: it.switches is not None and it.switches.frozen)
    zookeeper.stop()
    # While the session has not noticed, the remark is that no answer came.
    found = until(store, lambda it: it.remark.endswith("no connection") and (it.age or 0) > 1.5)
    assert freeze(found)


def test_before_they_were_ever_read_everything_counts_as_frozen(paths: Znodes) -> None:
    nowhere = ZookeeperSwitches(f"{HERE}:{free_port()}", paths, time.monotonic)
    nowhere.start()
    try:
        found = nowhere.read()
        assert (found.wanted, found.switches, found.age) == (True, None, None)
        assert freeze(found) == Code.SWITCHES_UNREAD
        until(nowhere, lambda it: it.remark.endswith("no connection"))
    finally:
        nowhere.close()
