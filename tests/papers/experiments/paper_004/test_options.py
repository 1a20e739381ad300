import argparse

import pytest
from eyewall_papers.experiments.paper_004.options import at_least


def test_a_whole_number_that_is_enough_is_read() -> None:
    assert at_least(2)("2") == 2


@pytest.mark.parametrize("given", ["1", "-3", "2.5", "many"])
def test_less_and_what_is_no_whole_number_is_refused(given: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match=f"{given}; it must be a whole number ≥ 2"):
        at_least(2)(given)
