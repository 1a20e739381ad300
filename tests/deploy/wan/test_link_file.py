"""The link file: what is written is read, and a change reaches the right link and only it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from eyewall_deploy.cluster_file import Cluster, load
from eyewall_deploy.wan.link_file import link_table, read, set_bandwidth, set_deviation, write
from eyewall_deploy.wan.state_file import StateFileError

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def cluster() -> Cluster:
    return load("two-kinds")


@pytest.fixture
def file(tmp_path: Path, cluster: Cluster) -> Path:
    write(tmp_path / "links.json", link_table(cluster, as_of=1.0))
    return tmp_path / "links.json"


def test_what_is_written_is_read(file: Path, cluster: Cluster) -> None:
    assert read(file) == link_table(cluster, as_of=1.0)


def test_the_file_has_the_keys_and_units_that_its_readers_agreed_on(file: Path) -> None:
    content = json.loads(file.read_text())
    assert content["version"] == 1
    assert content["hosts"] == ["plant", "relay", "centre"]
    assert content["uplink"] == [250_000, 750_000, 750_000]  # 2, 6 and 6 Mbit/s
    assert content["public"] == {"log2_deviation": 1.0, "redrawn_every": 0.01}
    assert content["dedicated"][0] == {
        "between": ["plant", "centre"],
        "delay": 0.01,
        "bandwidth": 500_000,  # 4 Mbit/s
        "price": 1e-06,  # 1 for a megabyte
    }


def test_a_changed_bandwidth_is_that_of_one_link_whichever_end_is_named_first(file: Path) -> None:
    before = read(file)
    after = set_bandwidth(file, "centre", "relay", 1_000.0, as_of=2.0)
    assert read(file) == after
    assert after.dedicated[:2] == before.dedicated[:2]
    assert after.dedicated[2] == replace(before.dedicated[2], bandwidth=1_000.0)


def test_a_changed_deviation_leaves_the_rest_as_it_was(file: Path) -> None:
    before = read(file)
    after = set_deviation(file, 0.0, as_of=2.0)
    assert after == replace(before, public=replace(before.public, log2_deviation=0.0), as_of=2.0)


@pytest.mark.parametrize(
    ("a", "b", "bandwidth", "says"),
    [
        ("plant", "center", 1.0, "no host center; hosts are plant, relay, centre (did you mean"),
        ("plant", "plant", 1.0, "there is none; dedicated links are between plant and centre, "),
        ("plant", "relay", 0.0, "between plant and relay: 0 Mbit/s; allowed is more than 0"),
    ],
)
def test_a_bandwidth_that_cannot_be_set_says_why(
    file: Path, a: str, b: str, bandwidth: float, says: str
) -> None:
    before = file.read_text()
    with pytest.raises(StateFileError) as caught:
        set_bandwidth(file, a, b, bandwidth, as_of=2.0)
    assert says in str(caught.value)
    assert file.read_text() == before


@pytest.mark.parametrize("deviation", [-0.1, 4.1, float("nan")])
def test_a_deviation_out_of_range_is_refused(file: Path, deviation: float) -> None:
    with pytest.raises(StateFileError, match="allowed are 0 to 4"):
        set_deviation(file, deviation, as_of=2.0)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("", "Expecting value"),
        ('{"version": 2}', "version 2; this program reads 1"),
        ('{"version": 1}', "without hosts, uplink, downlink, public, dedicated, source, as_of"),
    ],
)
def test_a_file_that_cannot_be_used_is_named(tmp_path: Path, content: str, says: str) -> None:
    path = tmp_path / "links.json"
    path.write_text(content)
    with pytest.raises(StateFileError) as caught:
        read(path)
    assert says in str(caught.value)
    assert f"link file {path}" in str(caught.value)
