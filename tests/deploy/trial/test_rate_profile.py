from pathlib import Path
from typing import Any

import pytest
from eyewall_deploy.trial.rate_profile import RateProfile, RateProfileError, read_profile


def profile(table: Any) -> RateProfile:
    return read_profile(table, Path())


def test_steps_hold_their_rate_until_the_next() -> None:
    steps = profile({"steps": [[0, 25], [60, 75], [120, 25]]})
    assert [steps.rate_at(at) for at in (0, 59.9, 60, 119, 120, 500)] == [25, 25, 75, 75, 25, 25]
    # 60 s · 25/s + 60 s · 75/s + 30 s · 25/s
    assert steps.tuples_until(150) == 1_500 + 4_500 + 750
    assert steps.text() == "0:25,0:25,60:25,60:75,120:75,120:25"


def test_a_ramp_has_straight_lines() -> None:
    ramp = profile({"ramp": [[0, 10], [100, 110]]})
    assert ramp.rate_at(25) == 35  # 10 + 25 · 1/s²
    assert ramp.tuples_until(100) == 6_000  # the mean of 10 and 110, for 100 s
    assert ramp.tuples_until(110) == 6_000 + 1_100


def test_the_warm_up_is_at_the_first_rate() -> None:
    assert profile({"steps": [[0, 25], [60, 75]]}).text(40) == "0:25,40:25,100:25,100:75"


def test_a_multiple_has_all_rates_multiplied() -> None:
    assert profile({"constant": 40}).scale(0.25).text() == "0:10,0:10"


def test_loads_in_turn_hold_for_their_seconds_and_change_before_the_pause() -> None:
    stairs = profile({"constant": 40}).hold_in_turn([0.5, 1, 0.25], seconds=60, pause=6)
    # Measured from 0, 66 and 132 s on; changes at 60 and 66 + 60 s.
    assert stairs.text(40) == "0:20,40:20,100:20,100:40,166:40,166:10"
    assert stairs.tuples_until(192) == 60 * 20 + 66 * 40 + 66 * 10


def test_as_much_as_goes_has_no_rate() -> None:
    assert profile({"max": True}).text(40) == "max"
    assert profile({"max": True}).is_unlimited


def test_a_trace_is_a_file_next_to_the_trial(tmp_path: Path) -> None:
    (tmp_path / "day.csv").write_text("# seconds, tuples/s\n0, 10\n\n30 20  # the peak\n")
    assert read_profile({"trace": "day.csv"}, tmp_path).points == ((0, 10), (30, 20))
    with pytest.raises(RateProfileError, match=r"none\.csv"):
        read_profile({"trace": "none.csv"}, tmp_path)
    (tmp_path / "day.csv").write_text("0 ten\n")
    with pytest.raises(RateProfileError, match="line 1: '0 ten'"):
        read_profile({"trace": "day.csv"}, tmp_path)


@pytest.mark.parametrize(
    ("table", "offender"),
    [
        (
            {"steps": [[0, 25], [60, 75], [30, 25]]},
            r"steps\[2\] = \[30, 25\]: goes back",
        ),
        ({"steps": [[-1, 25]]}, r"rate.steps\[0\] = \[-1, 25\]: goes back in time"),
        ({"ramp": [[0, 25], [60]]}, r"rate.ramp\[1\] = \[60\]: allowed"),
        ({"ramp": [[0, -5]]}, r"rate.ramp\[0\] = -5: allowed"),
        ({"steps": []}, r"rate.steps = \[\]: allowed"),
        ({"constant": "fast"}, "rate.constant = 'fast': allowed"),
        ({"constant": float("nan")}, "rate.constant = nan: allowed"),
        ({"max": 5}, "rate.max = 5: allowed"),
        ({"constant": 5, "max": True}, "allowed is one of constant, steps, ramp, trace, max"),
        ({"constnt": 5}, "allowed is one of"),
        (25, "rate = 25: allowed is one of"),
    ],
)
def test_what_is_no_profile_is_refused_with_offender_value_and_what_is_allowed(
    table: Any, offender: str
) -> None:
    with pytest.raises(RateProfileError, match=offender):
        profile(table)
