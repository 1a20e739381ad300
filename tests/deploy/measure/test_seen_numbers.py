from pathlib import Path

import pytest
from eyewall_deploy.measure.seen_numbers import SeenNumbers, count_seen, count_seen_events
from eyewall_deploy.measure.tuple_events import TupleArrival, TupleEvents


def write(folder: Path, name: str, *lines: str, end: str = "") -> None:
    text = "".join(f"{line}\n" for line in lines) + end
    (folder / f"{name}.numbers").write_text(text, encoding="ascii")


def test_what_no_sink_has_seen_is_lost_and_what_two_have_is_seen_twice(tmp_path: Path) -> None:
    write(tmp_path, "sink-7.1", "109 1-4", "110 5-6 8")
    write(tmp_path, "sink-7.2", "111 8-10", "112 11 11-13")
    # From 5 on: 7 is lost; 8 is in both files, 11 in one line twice.
    assert count_seen(tmp_path, 100.0, 130.0) == SeenNumbers(tuples=9, lost=1, twice=2)


def test_what_comes_late_is_not_lost_and_what_may_be_under_way_is_not_looked_for(
    tmp_path: Path,
) -> None:
    write(tmp_path, "sink-7.1", "100 0-4", "120 6-7", "121 5 9-11", "131 8")
    # At 120, 10 s before the end, 7 was the last; 5 came later. 8 was seen after the end.
    assert count_seen(tmp_path, 100.0, 130.0) == SeenNumbers(tuples=3, lost=0, twice=0)


def test_a_replay_of_what_came_before_does_not_count(tmp_path: Path) -> None:
    write(tmp_path, "sink-7.1", "100 1-4", "110 3 5")
    assert count_seen(tmp_path, 100.0, 130.0) == SeenNumbers(tuples=1, lost=0, twice=0)


def test_what_sources_left_out_before_it_began_is_not_looked_for(tmp_path: Path) -> None:
    # At 99 they were at 4, which was due long before, and left out what was due until 100.
    write(tmp_path, "sink-7.1", "99 0-4", "101 90-99", "110 100-101 103")
    assert count_seen(tmp_path, 100.0, 130.0) == SeenNumbers(tuples=4, lost=1, twice=0)


def test_a_line_that_is_being_written_is_left_and_one_that_is_none_is_named(tmp_path: Path) -> None:
    write(tmp_path, "sink-7.1", "110 0-4", end="111 5-")
    assert count_seen(tmp_path, 100.0, 130.0) == SeenNumbers(tuples=5, lost=0, twice=0)
    write(tmp_path, "sink-7.1", "110 0-4", "111 five")
    with pytest.raises(ValueError, match=r"sink-7.1.numbers: '111 five' is no line of numbers"):
        count_seen(tmp_path, 100.0, 130.0)


@pytest.mark.parametrize("lines", [(), ("100 0-4",), ("140 5",)])
def test_where_nothing_came_in_between_nothing_is_known(
    tmp_path: Path, lines: tuple[str, ...]
) -> None:
    write(tmp_path, "sink-7.1", *lines)
    assert count_seen(tmp_path, 100.0, 130.0) is None
    assert count_seen(tmp_path / "elsewhere", 100.0, 130.0) is None


def test_events_say_the_same_by_ids() -> None:
    times = {"before": 109.0, "a": 110.0, "b": 111.0, "c": 112.0, "d": 120.0, "under way": 120.5}
    arrivals = [("a", 111.0), ("a", 140.0), ("b", 112.0), ("b", 113.0), ("before", 110.0)]
    events = TupleEvents(
        emitted=times,
        acked={},
        dropped={"d": 120.1},
        failed=(),
        arrivals=tuple(TupleArrival(it, times[it], at) for it, at in arrivals),
    )
    # Of a, b and c no consumer saw c, and b was there twice; a came again after the end.
    assert count_seen_events(events, 100.0, 130.0) == SeenNumbers(tuples=3, lost=1, twice=1)
    assert count_seen_events(events, 200.0, 230.0) is None
