"""A step shows that it goes on, and what went wrong."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import step
from step import Output, run

STEP = Path(step.__file__)


@pytest.mark.parametrize(
    ("command", "code"),
    [
        (["true"], 0),
        (["sh", "-c", "exit 3"], 3),
        (["sh", "-c", "kill -9 $$"], 137),  # 128 + 9, as a shell says it
        (["no-such-command"], 127),
    ],
)
def test_its_exit_code_is_that_of_the_command_and_is_kept(
    command: list[str], code: int, tmp_path: Path
) -> None:
    done = subprocess.run(
        [sys.executable, STEP, "--folder", tmp_path, "it", *command],
        capture_output=True,
        check=False,
    )
    assert done.returncode == code
    assert (tmp_path / "it.exit").read_text() == f"{code}\n"


def test_what_failed_is_shown_in_full_and_what_succeeded_is_not() -> None:
    for code in (0, 1):
        shown: list[str] = []
        run("it", ["sh", "-c", f"echo one; echo two >&2; exit {code}"], Output(), shown.append)
        assert ("one\ntwo\n" in shown) == bool(code)


def test_a_long_step_reports_its_progress(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(step, "FIRST_SECONDS", 0.01)
    monkeypatch.setattr(step, "PAUSE_SECONDS", 0.01)
    shown: list[str] = []
    seen = tmp_path / "seen"

    def show(text: str) -> None:
        shown.append(text)
        if "it: some" in text:
            seen.touch()

    # The command goes on until its progress was shown.
    run("it", ["sh", "-c", f"echo some; until [ -e {seen} ]; do sleep 0.01; done"], Output(), show)
    assert any("it: some" in line for line in shown)
    assert "it: ready" in shown[-1]


def test_progress_is_the_last_line_or_how_many_lines_were_counted() -> None:
    output = Output()
    assert output.progress == "…"
    for line in ("Resolved 120 packages\n", "Building pyspark\n", "\n"):
        output.add(line)
    assert output.progress == "Building pyspark"
    output.add("." * 100 + " [ 45%]\n")
    assert output.progress == "… " + "." * 63 + " [ 45%]"
    counting = Output("Downloaded from")
    for line in ("Downloaded from central: a\n", "Downloading\n", "Downloaded from central: b\n"):
        counting.add(line)
    assert counting.progress == "2 files fetched"
