"""Sums up all parts of a test run, and fails if any of them did.

    python3.11 tools/summary.py build/tests lint java=storm-scheduler/target/surefire-reports unit

FOLDER holds what tools/step.py left of each part, PART.exit and PART.log, and its tests' report in
JUnit's format, PART.xml; after an equals sign is the folder of a part whose reports are elsewhere.
"""

import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Counts:
    """How many tests passed, failed and were skipped."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(
            self.passed + other.passed, self.failed + other.failed, self.skipped + other.skipped
        )

    def __str__(self) -> str:
        return f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"


@dataclass(frozen=True, slots=True)
class SuitePart:
    """The result of one part: its tests, and what is wrong with it if they do not say."""

    name: str
    counts: Counts
    trouble: str = ""

    def __str__(self) -> str:
        return f"{self.name:12} {self.trouble or self.counts}"


def read_part(folder: Path, name: str, reports: Sequence[Path]) -> SuitePart:
    """Read a part's exit code and reports.

    A part that failed without a failed test, or had no end, counts as one test that failed, so that
    no sum looks better than the run was.
    """
    counts = sum(map(read_report, reports), Counts())
    try:
        code = int((folder / f"{name}.exit").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return SuitePart(name, counts + Counts(failed=1), f"did not end; {counts}")
    if code and not counts.failed:
        return SuitePart(name, counts + Counts(failed=1), f"exit code {code}; {counts}")
    return SuitePart(name, counts)


def read_report(file: Path) -> Counts:
    """Count the tests in a report; one that is cut off counts as a failure."""
    try:
        suites = list(ElementTree.parse(file).getroot().iter("testsuite"))  # noqa: S314 - our own
    except (OSError, ElementTree.ParseError):
        return Counts(failed=1)
    total, failed, errors, skipped = (
        sum(int(suite.get(key, "0")) for suite in suites)
        for key in ("tests", "failures", "errors", "skipped")
    )
    return Counts(total - failed - errors - skipped, failed + errors, skipped)


def main() -> None:
    """Show every part, and the sum in the last line; exit with 1 if anything failed."""
    folder, *names = sys.argv[1:]
    parts = []
    for it in names:
        name, _, reports = it.partition("=")
        found = Path(reports).glob("*.xml") if reports else Path(folder).glob(f"{name}.xml")
        parts.append(read_part(Path(folder), name, sorted(found)))
    for part in parts:
        print(part)
    total = sum((part.counts for part in parts), Counts())
    print(total)
    sys.exit(total.failed > 0)


if __name__ == "__main__":
    main()
