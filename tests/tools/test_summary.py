"""No sum looks better than the run was."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import summary
from summary import Counts, SuitePart, read_part, read_report

if TYPE_CHECKING:
    from pathlib import Path

PASSED = '<testsuites><testsuite tests="7" failures="0" errors="0" skipped="2"/></testsuites>'
FAILED = '<testsuite tests="5" failures="1" errors="2"/>'


def part(folder: Path, code: int | None, *reports: str) -> SuitePart:
    if code is not None:
        (folder / "it.exit").write_text(f"{code}\n")
    files = [folder / f"{number}.xml" for number in range(len(reports))]
    for file, text in zip(files, reports, strict=True):
        file.write_text(text)
    return read_part(folder, "it", files)


def test_tests_of_all_reports_of_a_part_are_added_up(tmp_path: Path) -> None:
    # 7 - 2 passed and 5 - 3 passed.
    assert part(tmp_path, 1, PASSED, FAILED).counts == Counts(passed=7, failed=3, skipped=2)


def test_a_part_that_crashed_counts_as_a_failure_though_its_tests_had_passed(
    tmp_path: Path,
) -> None:
    crashed = part(tmp_path, 139, PASSED)
    assert crashed.counts == Counts(passed=5, failed=1, skipped=2)
    assert "exit code 139" in crashed.trouble


def test_a_part_that_never_ran_counts_as_a_failure(tmp_path: Path) -> None:
    assert part(tmp_path, None).counts == Counts(failed=1)


def test_a_part_without_tests_of_its_own_counts_as_nothing_when_it_succeeds(
    tmp_path: Path,
) -> None:
    assert part(tmp_path, 0) == SuitePart("it", Counts())


def test_a_report_that_was_cut_off_or_is_missing_counts_as_a_failure(tmp_path: Path) -> None:
    file = tmp_path / "report.xml"
    assert read_report(file) == Counts(failed=1)
    file.write_text(PASSED[:40])
    assert read_report(file) == Counts(failed=1)


def test_the_last_line_is_the_sum_and_the_exit_code_is_right(tmp_path: Path) -> None:
    java = tmp_path / "surefire"
    java.mkdir()
    (java / "TEST-a.xml").write_text(PASSED)
    (tmp_path / "java.exit").write_text("0\n")
    (tmp_path / "lint.exit").write_text("0\n")

    def summed(*parts: str) -> tuple[int, str]:
        command = [sys.executable, summary.__file__, str(tmp_path), *parts]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout.splitlines()[-1]

    assert summed("lint", f"java={java}") == (0, "5 passed, 0 failed, 2 skipped")
    assert summed("lint", f"java={java}", "cluster") == (1, "5 passed, 1 failed, 2 skipped")
