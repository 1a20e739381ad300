"""The operators' switches on a real ZooKeeper."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest
from eyewall_contracts.stores.switch_store import SwitchesError, change_switches, read_switches
from eyewall_contracts.switches import Switches

if TYPE_CHECKING:
    from eyewall_contracts.znodes import Znodes
    from kazoo.client import KazooClient


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine that does all else at once may take long to answer."""
    monkeypatch.setattr("eyewall_contracts.stores.switch_store.ANSWER_SECONDS", 60.0)


def test_as_long_as_nobody_turned_any_nothing_is_frozen(client: KazooClient, paths: Znodes) -> None:
    assert read_switches(client, paths) == Switches()
    client.create(paths.switches, makepath=True)  # made, and nothing written to it
    assert read_switches(client, paths) == Switches()


def test_what_is_turned_stays_turned(client: KazooClient, paths: Znodes) -> None:
    change_switches(client, paths, lambda it: it.with_all(frozen=True))
    after = change_switches(client, paths, lambda it: it.with_topology("a-1-1", frozen=True))
    assert (
        after
        == read_switches(client, paths)
        == Switches(frozen=True, frozen_topologies=frozenset({"a-1-1"}))
    )
    change_switches(client, paths, lambda it: it.with_all(frozen=False))
    change_switches(client, paths, lambda it: it.with_topology("a-1-1", frozen=False))
    assert read_switches(client, paths) == Switches()


def test_nothing_is_written_where_nothing_changes(client: KazooClient, paths: Znodes) -> None:
    change_switches(client, paths, lambda it: it.with_all(frozen=True))
    version = client.get(paths.switches)[1].version
    change_switches(client, paths, lambda it: it.with_all(frozen=True))
    assert client.get(paths.switches)[1].version == version


def test_of_changes_at_the_same_time_none_is_lost(client: KazooClient, paths: Znodes) -> None:
    names = [f"t-{it}-1" for it in range(12)]

    def freeze(name: str) -> None:
        change_switches(client, paths, lambda it: it.with_topology(name, frozen=True))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(freeze, names))
    assert read_switches(client, paths).frozen_topologies == set(names)


def test_a_later_versions_switches_are_not_overwritten(client: KazooClient, paths: Znodes) -> None:
    client.create(paths.switches, b'{"version":2,"frozen":"partly"}', makepath=True)
    for ask in (
        read_switches,
        lambda c, p: change_switches(c, p, lambda it: it.with_all(frozen=True)),
    ):
        with pytest.raises(SwitchesError, match="version 2 is incompatible"):
            ask(client, paths)
    client.set(paths.switches, b"nonsense")
    with pytest.raises(SwitchesError, match="no JSON object"):
        read_switches(client, paths)


def test_what_has_ended_can_be_dropped() -> None:
    held = Switches(frozen=True, frozen_topologies=frozenset({"a-1-1", "b-2-2"}))
    left = held.without_gone({"b-2-2", "c-3-3"})
    assert left == Switches(frozen=True, frozen_topologies=frozenset({"b-2-2"}))
