"""What the command refuses; test_standalone_cluster.py has what it does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from eyewall_monitor.cli import app
from eyewall_monitor.rates import checkpoint
from eyewall_monitor.rates.checkpoint import Made
from typer.testing import CliRunner

if TYPE_CHECKING:
    from pathlib import Path


def a_config(folder: Path) -> Path:
    file = folder / "rates.toml"
    file.write_text(f'batches.checkpoints = "{folder}/checkpoints"\n')
    return file


def refused(*arguments: str) -> str:
    result = CliRunner().invoke(app, ["rates", *arguments])
    assert result.exit_code == 2
    assert result.output.count("\n") == 1
    return result.output


def test_a_checkpoint_of_an_older_version_ends_it_with_one_error(tmp_path: Path) -> None:
    file = a_config(tmp_path)
    checkpoint.open_checkpoint(tmp_path / "checkpoints", Made(0, 60.0, 20.0, 60.0))
    assert "its version is 0, this job's is 1; move it away" in refused("--config", str(file))


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--config", "/nowhere.toml"], "No such file"),
        (["--batch", "--from", "yesterday", "--to", "x"], "--from yesterday: it must be a time"),
        (["--batch", "--from", "2026-01-31T12:00", "--to", "2026-01-31T12:00"], "is not before"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(arguments: list[str], complaint: str) -> None:
    assert complaint in refused(*arguments)
