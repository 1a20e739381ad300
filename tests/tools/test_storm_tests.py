"""Storm's own tests are run against the version that the shim is for, and counted as they ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import storm_tests
from storm_tests import ClassResult, Failure

if TYPE_CHECKING:
    from pathlib import Path

REPORT = """
<testsuite name="org.apache.storm.scheduler.resource.TestUser" tests="4" skipped="1">
  <testcase name="passes"/>
  <testcase name="fails"><failure message="expected: 1&#10; but was: 2" type="x"/></testcase>
  <testcase name="throws"><error type="java.lang.NullPointerException"/></testcase>
  <testcase name="waits"><skipped/></testcase>
</testsuite>
"""


def checkout(folder: Path, version: str) -> Path:
    (folder / storm_tests.TESTS).mkdir(parents=True)
    pom = f"<artifactId>storm</artifactId>\n  <version>{version}</version>"
    (folder / "pom.xml").write_text(pom)
    return folder


def test_a_checkout_of_the_shims_version_is_taken(tmp_path: Path) -> None:
    storm_tests.check(checkout(tmp_path, "2.8.3"))


def test_another_version_is_refused_with_both(tmp_path: Path) -> None:
    with pytest.raises(SystemExit) as refused:
        storm_tests.check(checkout(tmp_path, "2.7.0"))
    assert str(refused.value) == f"{tmp_path}: Storm 2.7.0; the shim is for 2.8.3"


def test_a_folder_that_is_no_checkout_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SystemExit) as refused:
        storm_tests.check(tmp_path)
    assert str(refused.value).startswith(f"{tmp_path}: no checkout of Storm")


def test_failures_and_errors_are_named(tmp_path: Path) -> None:
    (tmp_path / "TEST-it.xml").write_text(REPORT)
    failures = (
        Failure("fails", "expected: 1\n but was: 2"),
        Failure("throws", "java.lang.NullPointerException"),
    )
    assert list(storm_tests.results(tmp_path)) == [ClassResult("resource.TestUser", 4, 1, failures)]
