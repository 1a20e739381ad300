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


@pytest.mark.parametrize(
    ("name", "text", "large", "counts"),
    [
        ("TestUser.java", "@Test", False, True),
        ("ClusterTest.java", "@Test", False, True),
        ("TestUtilsForIt.java", "static", False, False),
        ("TestLargeCluster.java", "@Test", False, False),
        ("TestLargeCluster.java", "@Test", True, True),
    ],
)
def test_each_class_with_tests_has_to_have_results(
    tmp_path: Path, name: str, text: str, *, large: bool, counts: bool
) -> None:
    file = tmp_path / name
    file.write_text(text)
    assert storm_tests.is_test_class(file, large=large) is counts


def test_tests_that_make_no_scheduler_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # They would test Storm's own.
    source = checkout(tmp_path / "storm", "2.8.3")
    for name in storm_tests.FOLDERS:
        (source / storm_tests.TESTS / name).mkdir()
    (source / storm_tests.CLUSTERS).mkdir(parents=True)
    also = source / storm_tests.ALSO_NEEDED
    also.parent.mkdir(parents=True)
    also.write_text("@interface PerformanceTest {}")
    monkeypatch.setattr(storm_tests, "SOURCES", tmp_path / "copied")
    monkeypatch.setattr(storm_tests, "RESOURCES", tmp_path / "resources")
    test = source / storm_tests.TESTS / "resource" / "TestIt.java"
    test.write_text("scheduler = ResourceAwareScheduler.make();")
    with pytest.raises(SystemExit, match="no test makes a scheduler"):
        storm_tests.copy(source)
    test.write_text("a = new ResourceAwareScheduler(); b = new ResourceAwareScheduler();")
    assert storm_tests.copy(source) == 2
    copied = tmp_path / "copied/org/apache/storm/scheduler/resource/TestIt.java"
    assert copied.read_text().count(storm_tests.OURS) == 2


def test_failures_and_errors_are_named(tmp_path: Path) -> None:
    (tmp_path / "TEST-it.xml").write_text(REPORT)
    failures = (
        Failure("fails", "expected: 1\n but was: 2"),
        Failure("throws", "java.lang.NullPointerException"),
    )
    assert list(storm_tests.results(tmp_path)) == [ClassResult("resource.TestUser", 4, 1, failures)]
