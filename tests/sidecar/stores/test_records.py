"""Decisions written to a real ZooKeeper, pruned there, and read page by page."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest
from decision_records import decision
from eyewall_contracts.decision import DecisionRecord, day_of, encode_decision
from eyewall_contracts.errors import ContractError
from eyewall_contracts.stores.decision_history import read_one, read_page
from eyewall_sidecar.stores import ZookeeperRecords, records
from kazoo.client import KazooClient
from kazoo.exceptions import ConnectionLoss
from obedient_nimbus import Clock

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from eyewall_contracts.znodes import Znodes
    from real_stores import Server

NOW = 1_700_000_000.0
DAY = 86_400.0
PATIENCE = 120.0


@pytest.fixture
def store(zookeeper: Server, paths: Znodes) -> Iterator[ZookeeperRecords]:
    it = ZookeeperRecords(zookeeper.address, paths, Clock(NOW), time.monotonic)
    yield it
    it.close()


def there(client: KazooClient, paths: Znodes, *records: DecisionRecord) -> None:
    for it in records:
        parent = paths.decisions_of(day_of(it.time))
        client.create(f"{parent}/{it.id}", encode_decision(it), makepath=True)


def until(true: Callable[[], object]) -> None:
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end
        time.sleep(0.05)


def said(client: KazooClient, paths: Znodes, **how: object) -> list[str]:
    return [it.said for it in read_page(client, paths, 100, **how).records]  # type: ignore[arg-type]


def test_decisions_are_read_newest_first(
    store: ZookeeperRecords, client: KazooClient, paths: Znodes
) -> None:
    store.start()
    for number, at in enumerate((NOW - DAY, NOW, NOW + 1)):
        store.put(decision(at, number))
    until(lambda: len(said(client, paths)) == 3)
    assert said(client, paths) == ["decision 2", "decision 1", "decision 0"]


def test_what_was_decided_just_before_the_end_is_still_written(
    store: ZookeeperRecords, client: KazooClient, paths: Znodes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("eyewall_sidecar.stores.zookeeper_thread.STOP_SECONDS", 120.0)
    store.start()
    store.put(decision(NOW, 1))
    until(lambda: said(client, paths))
    store.put(decision(NOW, 2))
    store.close()
    assert said(client, paths) == ["decision 2", "decision 1"]


def test_a_decision_that_is_there_already_is_not_there_twice(
    store: ZookeeperRecords, client: KazooClient, paths: Znodes
) -> None:
    there(client, paths, decision(NOW, 1))  # the answer to this one got lost
    store.start()
    store.put(decision(NOW, 1))
    store.put(decision(NOW, 2))
    until(lambda: len(said(client, paths)) == 2)


def test_decisions_wait_for_a_zookeeper_that_is_away(
    zookeeper: Server, paths: Znodes, caplog: pytest.LogCaptureFixture
) -> None:
    zookeeper.stop()
    store = ZookeeperRecords(zookeeper.address, paths, Clock(NOW), time.monotonic)
    store.start()
    for number in range(records.BACKLOG + 2):
        store.put(decision(NOW, number))
    until(lambda: "no connection; up to 1000 wait" in caplog.text)
    zookeeper.start()
    client = KazooClient(zookeeper.address)
    client.start(timeout=120)
    until(lambda: len(read_page(client, paths, 2_000).records) == records.BACKLOG)
    until(lambda: "decisions that were dropped as too many waited: 2" in caplog.text)
    assert read_page(client, paths, 2_000).records[-1].said == "decision 2"
    store.close()
    client.stop()
    client.close()


def test_a_decision_whose_writing_failed_is_written_before_those_after_it(
    store: ZookeeperRecords,
    client: KazooClient,
    paths: Znodes,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    write, asked = ZookeeperRecords._write, []

    def fails_once(self: ZookeeperRecords, to: KazooClient, record: DecisionRecord) -> None:
        asked.append(record.said)
        if len(asked) == 1:
            raise ConnectionLoss
        write(self, to, record)

    monkeypatch.setattr(ZookeeperRecords, "_write", fails_once)
    store.put(decision(NOW, 1))
    store.put(decision(NOW, 2))
    store.start()
    until(lambda: len(said(client, paths)) == 2)
    assert asked == ["decision 1", "decision 1", "decision 2"]


def test_a_decision_that_is_made_while_old_ones_are_deleted_does_not_wait_for_the_last_of_them(
    store: ZookeeperRecords, client: KazooClient, paths: Znodes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(records, "AT_ONCE", 2)
    there(client, paths, *(decision(NOW - 40 * DAY, n) for n in range(6)))
    delete, write, left = ZookeeperRecords._delete, ZookeeperRecords._write, []
    old = paths.decisions_of(day_of(NOW - 40 * DAY))

    def decided_meanwhile(
        self: ZookeeperRecords, to: KazooClient, parent: str, names: list[str]
    ) -> None:
        if parent == old:
            store.put(decision(NOW, 7))
        delete(self, to, parent, names)

    def looked(self: ZookeeperRecords, to: KazooClient, record: DecisionRecord) -> None:
        left.append(len(to.get_children(old)))
        write(self, to, record)

    monkeypatch.setattr(ZookeeperRecords, "_delete", decided_meanwhile)
    monkeypatch.setattr(ZookeeperRecords, "_write", looked)
    store.start()
    until(lambda: said(client, paths) == ["decision 7"])
    assert left == [4]  # of six, the first two were gone


def test_days_that_are_too_old_go_and_of_a_day_with_too_many_its_oldest(
    store: ZookeeperRecords, client: KazooClient, paths: Znodes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(records, "MOST_OF_A_DAY", 3)
    old = [decision(NOW - 30 * DAY, n) for n in range(5)]
    kept = [decision(NOW - 29 * DAY, 5)]
    crowd = [decision(NOW - n, 10 - n) for n in range(5)]
    there(client, paths, *old, *kept, *crowd)
    client.ensure_path(f"{paths.decisions}/notes")  # somebody else's
    others = paths.decisions_of(day_of(NOW - 31 * DAY))
    client.ensure_path(f"{others}/backup/of-it")
    client.ensure_path(f"{others}/note")
    store.start()
    store.put(decision(NOW - DAY, 6))
    until(lambda: day_of(NOW - 30 * DAY) not in client.get_children(paths.decisions))
    until(lambda: len(said(client, paths)) == 5)
    expected = ["decision 10", "decision 9", "decision 8", "decision 6", "decision 5"]
    assert said(client, paths) == expected
    assert client.exists(f"{paths.decisions}/notes")
    assert client.exists(f"{others}/backup/of-it")
    assert client.exists(f"{others}/note")


def test_what_could_not_be_written_before_the_end_is_counted(
    zookeeper: Server, paths: Znodes, caplog: pytest.LogCaptureFixture
) -> None:
    zookeeper.stop()
    store = ZookeeperRecords(zookeeper.address, paths, Clock(NOW), time.monotonic)
    store.start()
    store.put(decision(NOW, 1))
    store.close()
    assert "decisions that are not written any more: 1" in caplog.text


def test_pages_follow_each_other_without_gap_or_repetition(
    client: KazooClient, paths: Znodes
) -> None:
    there(client, paths, *(decision(NOW - 1_000 * n, n) for n in range(250)))
    pages, before = [], None
    while True:
        page = read_page(client, paths, 60, before=before)
        pages.append([it.said for it in page.records])
        before = page.older
        if before is None:
            break
    assert [len(it) for it in pages] == [60, 60, 60, 60, 10]
    assert [it for page in pages for it in page] == [f"decision {n}" for n in range(250)]


def test_what_is_wanted_is_looked_for_in_so_many_and_then_it_is_said_where_to_go_on(
    client: KazooClient, paths: Znodes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("eyewall_contracts.stores.decision_history.MOST_READ", 10)
    there(client, paths, *(decision(NOW - n, n, f"t-{n % 7}") for n in range(30)))
    page = read_page(client, paths, 5, lambda it: it.topology == "t-6")
    assert [it.said for it in page.records] == ["decision 6"]
    rest = read_page(client, paths, 5, lambda it: it.topology == "t-6", page.older)
    assert [it.said for it in rest.records] == ["decision 13"]


def test_what_cannot_be_read_is_left_out_and_named(client: KazooClient, paths: Znodes) -> None:
    there(client, paths, decision(NOW, 1), decision(NOW, 2))
    parent = paths.decisions_of(day_of(NOW))
    client.set(f"{parent}/{decision(NOW, 2).id}", b"nonsense")
    client.create(f"{parent}/somebody-elses")
    page = read_page(client, paths, 10)
    assert [it.said for it in page.records] == ["decision 1"]
    assert [it.partition(": ")[0] for it in page.unreadable] == [decision(NOW, 2).id]


def test_a_decision_under_another_ones_id_is_not_shown(client: KazooClient, paths: Znodes) -> None:
    there(client, paths, decision(NOW, 1))
    path = f"{paths.decisions_of(day_of(NOW))}/{decision(NOW, 2).id}"
    client.create(path, encode_decision(decision(NOW, 1)))
    (complaint,) = read_page(client, paths, 10).unreadable
    assert complaint.endswith(f"says that it is {decision(NOW, 1).id}")


def test_one_decision_is_found_by_its_id(client: KazooClient, paths: Znodes) -> None:
    there(client, paths, decision(NOW, 1))
    assert read_one(client, paths, decision(NOW, 1).id) == decision(NOW, 1)
    assert read_one(client, paths, decision(NOW, 2).id) is None
    with pytest.raises(ContractError, match="it must be MILLISECONDS-RUN-NUMBER"):
        read_one(client, paths, "first")
