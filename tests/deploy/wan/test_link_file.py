"""The link file and the mark file: what is written is read, and a change reaches only its link."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from eyewall_deploy.cluster_file import Cluster, load
from eyewall_deploy.state_file import FileWatch, StateFileError, write
from eyewall_deploy.wan.link_file import (
    Mark,
    declared_links,
    read,
    read_marks,
    set_bandwidth,
    set_deviation,
    write_marks,
)

if TYPE_CHECKING:
    from pathlib import Path


LINKS = tuple(it for it in load("two-kinds").dedicated if it.between != ("plant", "centre"))
"""plant–relay and relay–centre."""


@pytest.fixture
def cluster() -> Cluster:
    return load("two-kinds")


@pytest.fixture
def file(tmp_path: Path, cluster: Cluster) -> Path:
    write(tmp_path / "links.json", declared_links(cluster, as_of=1.0))
    return tmp_path / "links.json"


def test_links_are_read_as_they_were_written(file: Path, cluster: Cluster) -> None:
    assert read(file) == declared_links(cluster, as_of=1.0)


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


def test_a_changed_bandwidth_is_that_of_one_link_in_either_order_of_its_ends(file: Path) -> None:
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
        ("", "Input data was truncated"),
        ('{"version": 2}', "version 2; this program reads 1"),
        ('{"version": 1}', "missing required field `hosts`"),
    ],
)
def test_a_file_that_cannot_be_used_is_named(tmp_path: Path, content: str, says: str) -> None:
    path = tmp_path / "links.json"
    path.write_text(content)
    with pytest.raises(StateFileError) as caught:
        read(path)
    assert says in str(caught.value)
    assert f"link file {path}" in str(caught.value)


def row(**changes: Any) -> dict[str, Any]:
    usual = {"source": "plant", "target": "centre", "port": 6700, "kind": "dedicated"}
    return {**usual, "route": ["plant", "relay", "centre"], **changes}


def read_rows(folder: Path, *rows: dict[str, Any]) -> tuple[Mark, ...]:
    path = folder / "marks.json"
    path.write_text(json.dumps({"version": 1, "connections": rows}))
    return read_marks(path, LINKS)


def test_marks_are_read_as_they_were_written(tmp_path: Path) -> None:
    marks = (
        Mark("plant", "centre", 6700, ("plant", "relay", "centre")),
        Mark("centre", "relay", 6701, ("centre", "relay")),
    )
    write_marks(tmp_path / "marks.json", marks)
    assert read_marks(tmp_path / "marks.json", LINKS) == marks


def test_a_public_connection_has_no_mark_and_unknown_keys_are_ignored(
    tmp_path: Path,
) -> None:
    public = row(kind="public", route=["plant", "centre"], reason="no budget")
    assert read_rows(tmp_path, public, row(port=6701)) == (
        Mark("plant", "centre", 6701, ("plant", "relay", "centre")),
    )


def test_a_watch_applies_other_marks_and_not_the_same_ones_written_again(tmp_path: Path) -> None:
    read_rows(tmp_path, row(rate=1.0))
    applied: list[tuple[Mark, ...]] = []
    watch = FileWatch(tmp_path / "marks.json", partial(read_marks, links=LINKS), applied.append)
    read_rows(tmp_path, row(rate=2.0))  # the rate changes every 2 s
    watch.look()
    read_rows(tmp_path, row(rate=2.0, port=6701))
    watch.look()
    assert [[mark.port for mark in marks] for marks in applied] == [[6700], [6701]]


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"kind": "dedicatd"}, "Invalid enum value 'dedicatd' - at `$.connections[0].kind`"),
        ({"port": 0}, "Expected `int` >= 1 - at `$.connections[0].port`"),
        ({"port": "6700"}, "Expected `int`, got `str` - at `$.connections[0].port`"),
        ({"route": ["plant", "centre"]}, "no dedicated link between plant and centre"),
        ({"route": ["plant", "relay"]}, "it must lead from plant to centre"),
        ({"route": []}, "it must lead from plant to centre"),
        ({"route": ["plant", "hub", "centre"]}, "no dedicated link between plant and hub"),
    ],
)
def test_a_mark_that_cannot_be_put_into_force_is_named(
    tmp_path: Path, changes: dict[str, Any], says: str
) -> None:
    with pytest.raises(StateFileError) as caught:
        read_rows(tmp_path, row(**changes))
    assert says in str(caught.value)
    assert str(tmp_path / "marks.json") in str(caught.value)
