"""A source's rate that is changed while it runs."""

from pathlib import Path

import pytest
from workload.rate_file import RateFile


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "rates.json"


def test_without_a_file_the_rate_never_changes() -> None:
    assert RateFile("", "left", 5.0, 0.0).changed(100.0) is None


def test_another_rate_is_told_once(file: Path) -> None:
    rates = RateFile(str(file), "left", 5.0, 0.0)
    file.write_text('{"left": 50, "right": 7}')
    assert [rates.changed(now) for now in (0.0, 1.0, 2.0)] == [50.0, None, None]


def test_the_file_is_looked_at_once_a_second(file: Path) -> None:
    rates = RateFile(str(file), "left", 5.0, 0.0)
    assert rates.changed(0.0) is None
    file.write_text('{"left": 50}')
    assert [rates.changed(now) for now in (0.5, 0.99, 1.0)] == [None, None, 50.0]


@pytest.mark.parametrize(
    "text",
    ["", "{", "[" * 9_999, "[]", "{}", *(f'{{"left": {it}}}' for it in ('"x"', 0, 1e9, "null"))],
    ids=lambda text: text[:20],
)
def test_what_is_no_rate_changes_nothing(file: Path, text: str) -> None:
    file.write_text(text)
    assert RateFile(str(file), "left", 5.0, 0.0).changed(0.0) is None
