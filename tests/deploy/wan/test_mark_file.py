"""The mark file: what is written is read, and a route that no link leads along is refused."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from eyewall_deploy.cluster_file import load
from eyewall_deploy.wan.file_watch import FileWatch
from eyewall_deploy.wan.mark_file import Mark, read, write
from eyewall_deploy.wan.state_file import StateFileError

if TYPE_CHECKING:
    from pathlib import Path

LINKS = tuple(it for it in load("two-kinds").dedicated if {it.a, it.b} != {"plant", "centre"})
"""plant–relay and relay–centre."""


def row(**changes: Any) -> dict[str, Any]:
    usual = {"source": "plant", "target": "centre", "port": 6700, "kind": "dedicated"}
    return {**usual, "route": ["plant", "relay", "centre"], **changes}


def read_rows(folder: Path, *rows: dict[str, Any]) -> tuple[Mark, ...]:
    path = folder / "marks.json"
    path.write_text(json.dumps({"version": 1, "connections": rows}))
    return read(path, LINKS)


def test_what_is_written_is_read(tmp_path: Path) -> None:
    marks = (
        Mark("plant", "centre", 6700, ("plant", "relay", "centre")),
        Mark("centre", "relay", 6701, ("centre", "relay")),
    )
    write(tmp_path / "marks.json", marks)
    assert read(tmp_path / "marks.json", LINKS) == marks


def test_a_connection_of_the_public_kind_has_no_mark_and_may_say_more_than_is_read(
    tmp_path: Path,
) -> None:
    public = row(kind="public", route=["plant", "centre"], reason="no budget")
    assert read_rows(tmp_path, public, row(port=6701)) == (
        Mark("plant", "centre", 6701, ("plant", "relay", "centre")),
    )


def test_a_watch_tells_of_other_marks_and_not_of_the_same_ones_written_again(
    tmp_path: Path,
) -> None:
    read_rows(tmp_path, row(rate=1.0))
    watch = FileWatch(tmp_path / "marks.json", partial(read, links=LINKS))
    read_rows(tmp_path, row(rate=2.0))  # what is said besides changes each 2 s
    assert not watch.look()
    read_rows(tmp_path, row(rate=2.0, port=6701))
    assert watch.look()
    assert [mark.port for mark in watch.content] == [6701]


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"kind": "dedicatd"}, "kind 'dedicatd'; kinds are public, dedicated (did you mean ded"),
        ({"port": 0}, "port 0; allowed are 1 to 65535"),
        ({"port": "6700"}, "port '6700'; allowed are 1 to 65535"),
        ({"route": ["plant", "centre"]}, "no dedicated link between plant and centre"),
        ({"route": ["plant", "relay"]}, "it must lead from plant to centre"),
        ({"route": []}, "it must lead from plant to centre"),
        ({"route": ["plant", "hub", "centre"]}, "no dedicated link between plant and hub"),
    ],
)
def test_a_mark_that_cannot_be_put_in_force_is_named(
    tmp_path: Path, changes: dict[str, Any], says: str
) -> None:
    with pytest.raises(StateFileError) as caught:
        read_rows(tmp_path, row(**changes))
    assert says in str(caught.value)
    assert "plant to centre:" in str(caught.value)


def test_a_mark_without_a_key_is_shown_whole(tmp_path: Path) -> None:
    with pytest.raises(StateFileError, match=r"\{'source': 'plant'\}: KeyError"):
        read_rows(tmp_path, {"source": "plant"})
