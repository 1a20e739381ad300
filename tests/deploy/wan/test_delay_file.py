"""The delay file: what is written is read, and a change reaches the right links and only them."""

from __future__ import annotations

import json
from functools import partial
from multiprocessing.pool import ThreadPool
from typing import TYPE_CHECKING

import pytest
from eyewall_deploy.cluster_file import Cluster, load
from eyewall_deploy.state_file import FileWatch, StateFileError, write
from eyewall_deploy.wan.delay_file import EmulatedDelays, declared_delays, read, set_delay

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def cluster() -> Cluster:
    return load("three-sites")


@pytest.fixture
def file(tmp_path: Path, cluster: Cluster) -> Path:
    write(tmp_path / "delays.json", declared_delays(cluster, as_of=1.0))
    return tmp_path / "delays.json"


def ms(file: Path, source: str, target: str) -> float:
    table = read(file)
    return round(table.delay[table.hosts.index(source)][table.hosts.index(target)] * 1000, 6)


def test_what_is_written_is_read(file: Path, cluster: Cluster) -> None:
    assert read(file) == declared_delays(cluster, as_of=1.0)


def test_the_file_has_the_keys_that_its_readers_agreed_on(file: Path) -> None:
    content = json.loads(file.read_text())
    assert content["version"] == 1
    assert (content["unit"], content["kind"]) == ("s", "one_way")
    assert content["source"] == "cluster file three-sites.toml"
    assert content["hosts"] == ["edge-1", "edge-2", "fog-1", "fog-2", "cloud-1", "cloud-2"]
    assert content["delay"][0] == [0.0, 0.002, 0.015, 0.015, 0.04, 0.04]
    assert content["bandwidth"][0] == [None] * 6


def test_a_delay_between_hosts_changes_that_link_in_both_directions(
    file: Path, cluster: Cluster
) -> None:
    set_delay(file, cluster, "edge-1", "fog-1", 0.08, as_of=2.0)
    assert (ms(file, "edge-1", "fog-1"), ms(file, "fog-1", "edge-1")) == (80, 80)
    assert (ms(file, "edge-2", "fog-1"), ms(file, "edge-1", "fog-2")) == (15, 15)
    assert read(file).as_of == 2.0


def test_one_direction_can_be_changed_alone(file: Path, cluster: Cluster) -> None:
    set_delay(file, cluster, "edge-1", "fog-1", 0.08, both_directions=False, as_of=2.0)
    assert (ms(file, "edge-1", "fog-1"), ms(file, "fog-1", "edge-1")) == (80, 15)


def test_a_delay_between_sites_changes_every_pair_of_their_hosts(
    file: Path, cluster: Cluster
) -> None:
    set_delay(file, cluster, "edge", "fog", 0.08, as_of=2.0)
    edge, fog = ["edge-1", "edge-2"], ["fog-1", "fog-2"]
    assert {ms(file, u, v) for u in edge for v in fog} == {80}
    assert {ms(file, v, u) for u in edge for v in fog} == {80}
    assert (ms(file, "edge-1", "edge-2"), ms(file, "edge-1", "cloud-1")) == (2, 40)


def test_a_site_and_itself_are_the_links_within_it(file: Path, cluster: Cluster) -> None:
    set_delay(file, cluster, "edge", "edge", 0.005, as_of=2.0)
    assert (ms(file, "edge-1", "edge-2"), ms(file, "edge-1", "edge-1")) == (5, 0)


@pytest.mark.parametrize(
    ("a", "b", "seconds", "says"),
    [
        ("edge-1", "cloud-9", 0.1, "no host or site cloud-9; hosts and sites are edge-1, edge-2"),
        ("edge-1", "cloud-9", 0.1, "(did you mean cloud-"),
        ("edge-1", "fog-1", -0.001, "-1 ms; allowed are 0 to 60000 ms"),
        ("edge-1", "fog-1", 61.0, "61000 ms; allowed are 0 to 60000 ms"),
        ("edge-1", "fog-1", float("nan"), "nan ms; allowed are 0 to 60000 ms"),
        ("edge-1", "edge-1", 0.1, "a host has no delay to itself"),
    ],
)
def test_a_change_that_makes_no_sense_is_refused_and_changes_nothing(
    file: Path, cluster: Cluster, a: str, b: str, seconds: float, says: str
) -> None:
    before = file.read_bytes()
    with pytest.raises(StateFileError) as caught:
        set_delay(file, cluster, a, b, seconds, as_of=2.0)
    assert says in str(caught.value)
    assert file.read_bytes() == before


def test_changes_at_the_same_time_all_take_effect_and_leave_no_other_file(
    file: Path, cluster: Cluster
) -> None:
    hosts = [host.name for host in cluster.hosts]
    pairs = [(u, v) for u in hosts for v in hosts if u != v]

    def change(number: int) -> None:
        u, v = pairs[number]
        set_delay(file, cluster, u, v, number / 1000, both_directions=False, as_of=2.0)

    with ThreadPool(8) as pool:
        pool.map(change, range(len(pairs)))
    assert [ms(file, u, v) for u, v in pairs] == [float(n) for n in range(len(pairs))]
    assert [entry.name for entry in file.parent.iterdir()] == ["delays.json"]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("{", "delay file"),
        ("[]", "Expected `object`, got `array`"),
        ('{"version": 2}', "version 2; this program reads 1"),
        ('{"version": 1, "hosts": []}', "missing required field `delay`"),
    ],
)
def test_a_file_that_cannot_be_used_is_named(tmp_path: Path, content: str, says: str) -> None:
    path = tmp_path / "delays.json"
    path.write_text(content)
    with pytest.raises(StateFileError) as caught:
        read(path)
    assert says in str(caught.value)
    assert str(path) in str(caught.value)


def test_a_matrix_of_another_size_is_refused(file: Path) -> None:
    content = json.loads(file.read_text())
    content["delay"].pop()
    file.write_text(json.dumps(content))
    with pytest.raises(StateFileError, match="delay is not 6 by 6"):
        read(file)


def test_a_watch_applies_each_new_table_once_and_survives_a_bad_file(
    file: Path, cluster: Cluster
) -> None:
    first = read(file)
    applied: list[EmulatedDelays] = []
    watch = FileWatch(file, partial(read, hosts=first.hosts), applied.append)
    watch.look()
    assert applied == [first]
    changed = set_delay(file, cluster, "edge", "fog", 0.08, as_of=2.0)
    watch.look()
    watch.look()
    assert applied == [first, changed]
    file.write_text("{")
    watch.look()
    write(file, declared_delays(load("odp8"), as_of=3.0))  # hosts of another network
    watch.look()
    file.unlink()
    watch.look()
    assert applied == [first, changed]
