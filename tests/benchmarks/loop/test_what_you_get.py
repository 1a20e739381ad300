"""The README's picture is drawn of the measured results next to its program."""

from pathlib import Path

import pytest

from benchmarks.loop.what_you_get import RESULTS, MeasuredSituation, draw, read

REPOSITORY = Path(__file__).resolve().parents[3]
PAGES = REPOSITORY / "docs/results"


def test_a_ratio_is_above_1_where_it_is_better_than_ras() -> None:
    rate = MeasuredSituation("g", "s", more_is_better=True, default=10.0, ras=20.0, eyewall=50.0)
    assert (rate.ratio("default"), rate.ratio("eyewall")) == (0.5, 2.5)
    latency = MeasuredSituation("g", "s", more_is_better=False, default=None, ras=20.0, eyewall=8.0)
    assert (latency.ratio("default"), latency.ratio("eyewall")) == (None, 2.5)


def test_a_line_without_sense_is_named(tmp_path: Path) -> None:
    file = tmp_path / "results.csv"
    header = "group,situation,better,default,ras,eyewall,source\n"
    file.write_text(f"{header}a,b,more,1,2,3,c\na,b,most,1,2,3,c\n")
    with pytest.raises(SystemExit, match=r"results\.csv, line 3"):
        read(file)


def test_the_picture_in_docs_is_the_one_of_the_results(tmp_path: Path) -> None:
    draw(read(RESULTS), tmp_path / "drawn.svg")
    kept = (PAGES / "what-you-get.svg").read_text(encoding="utf-8")
    assert (tmp_path / "drawn.svg").read_text(encoding="utf-8") == kept


def test_each_result_names_a_page_that_is_there() -> None:
    for line in RESULTS.read_text(encoding="utf-8").splitlines()[1:]:
        assert (PAGES / line.rpartition(",")[2]).is_file(), line
