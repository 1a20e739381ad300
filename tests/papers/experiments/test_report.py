import argparse
from pathlib import Path

import pytest
from eyewall_papers.experiments.report import Panel, at_least, draw, interval, mean_text


def test_a_whole_number_that_is_enough_is_read() -> None:
    assert at_least(2)("2") == 2


@pytest.mark.parametrize("given", ["1", "-3", "2.5", "many"])
def test_less_and_what_is_no_whole_number_is_refused(given: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match=f"{given}; it must be a whole number ≥ 2"):
        at_least(2)(given)


def test_a_confidence_interval_is_as_wide_as_few_values_make_it() -> None:
    # 1, 2, 3: standard deviation 1, standard error 1/√3; Student's t of two degrees of freedom
    # leaves 2.5 % above 4.303.
    mean, width = interval([1.0, 2.0, 3.0])
    assert mean == 2.0
    assert abs(width - 4.303 / 3**0.5) < 1e-3


def test_one_value_has_no_interval() -> None:
    assert mean_text([2.0], "{:.1f}") == "2.0"
    assert mean_text([2.0, 2.0], "{:.1f}") == "2.0 ± 0.0"
    assert mean_text([], "{:.1f}") == "–"


"""The pictures of paper 003's figures."""


def test_a_page_names_each_method_once_and_is_the_same_when_drawn_again(tmp_path: Path) -> None:
    panels = [
        Panel("N", "1,000 $", {"ours": ([1, 2], [3, 4]), "random": ([1, 2], [30, 40])}),
        Panel("α", "1,000 $", {"random": ([1], [5])}, scales=("linear", "log")),
    ]
    files = [tmp_path / "one.svg", tmp_path / "two.svg"]
    for file in files:
        draw(panels, 2, file, one_legend=True)
    one, two = (file.read_text(encoding="utf-8") for file in files)
    assert one == two
    assert one.count(">random<") == 1
