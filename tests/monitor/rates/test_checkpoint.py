from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from eyewall_monitor.rates.checkpoint import VERSION, CheckpointError, Made, open_checkpoint

if TYPE_CHECKING:
    from pathlib import Path

WANTED = Made(VERSION, 60.0, 20.0, 60.0)


def test_a_checkpoint_keeps_its_run(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "checkpoint"
    run = open_checkpoint(folder, WANTED)
    assert open_checkpoint(folder, WANTED) == run
    assert open_checkpoint(tmp_path / "other", WANTED) != run


def test_a_checkpoint_of_an_older_version_is_refused_with_one_clear_error(tmp_path: Path) -> None:
    open_checkpoint(tmp_path / "c", WANTED)
    file = tmp_path / "c" / "eyewall.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"version": 0}))
    with pytest.raises(CheckpointError) as refused:
        open_checkpoint(tmp_path / "c", WANTED)
    assert str(refused.value) == (
        f"checkpoint {tmp_path}/c: its version is 0, this job's is 1; move it away to begin with "
        "the oldest reports that Redis has"
    )


def test_a_checkpoint_of_other_windows_is_refused(tmp_path: Path) -> None:
    open_checkpoint(tmp_path / "c", WANTED)
    with pytest.raises(CheckpointError, match=r"its window is 60\.0, this job's is 30\.0"):
        open_checkpoint(tmp_path / "c", Made(VERSION, 30.0, 20.0, 60.0))


@pytest.mark.parametrize("content", ["", "[]", "{}", "\x00", '{"run": 1}'])
def test_a_broken_checkpoint_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "eyewall.json").write_text(content)
    with pytest.raises(CheckpointError, match="move it away"):
        open_checkpoint(tmp_path, WANTED)


def test_a_folder_with_something_else_in_it_is_not_taken_for_one(tmp_path: Path) -> None:
    (tmp_path / "offsets").mkdir()
    with pytest.raises(CheckpointError, match=r"it has no eyewall\.json"):
        open_checkpoint(tmp_path, WANTED)
