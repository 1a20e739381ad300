"""How delays that are known too little are left out of moving, and worded."""

from eyewall_sidecar.storm.doubts import Doubt, how_little, undoubted
from storm_builders import Delays


def test_a_doubted_delay_is_unknown_in_its_direction_and_the_others_stay() -> None:
    delays = Delays({("a", "b"): 10, ("b", "c"): 20})
    known = undoubted(delays, {("a", "b"): Doubt(0.2, 0.3, 45)})
    pairs = [("a", "b"), ("b", "a"), ("b", "c"), ("a", "c")]
    assert [known(*pair) for pair in pairs] == [None, 0.010, 0.020, None]


def test_a_doubt_is_worded_with_what_was_wanted_and_its_age() -> None:
    assert how_little([Doubt(0.2, 0.3, 45.2)]) == (
        "only with confidence 0.2 of the 0.3 wanted, 45 s old"
    )


def test_several_doubts_are_worded_from_the_least_to_the_most() -> None:
    doubts = [Doubt(0.2, 0.3, 45), Doubt(0.05, 0.3, 45), Doubt(0.1, 0.3, 80)]
    assert how_little(doubts) == (
        "only with confidence 0.05 to 0.2 of the 0.3 wanted, 45 to 80 s old"
    )


def test_what_is_just_too_little_does_not_read_as_if_it_were_enough() -> None:
    assert "confidence 0.29 of the 0.3 wanted" in how_little([Doubt(0.2999, 0.3, 1)])
