import json
from pathlib import Path
from typing import Any

import pytest
from eyewall_sidecar.model import ProblemError
from eyewall_sidecar.problem_file import ProblemFile, parse_problem


def spread(
    senders: int, receivers: int, current: dict[str, Any] | None = None, **stream: Any
) -> ProblemFile:
    """Read a → b at 12 tuples/s between so many executors."""
    whole = {
        "version": 1,
        "operators": [{"id": "a", "executors": senders}, {"id": "b", "executors": receivers}],
        "streams": [{"from": "a", "to": "b", "rate": 12.0} | stream],
        "nodes": [{"id": "n1"}, {"id": "n2"}],
        "links": [{"from": "n1", "to": "n2", "delay": 0.02}],
        "current": current or {},
    }
    return parse_problem(json.dumps(whole), Path())


def rates(file: ProblemFile) -> dict[str, float]:
    return {f"{it.source} {it.target}": it.rate for it in file.problem.streams}


@pytest.mark.parametrize("grouping", ["shuffle", "local_or_shuffle", "fields", "partial_key"])
def test_tuples_are_spread_evenly_over_all_pairs(grouping: str) -> None:
    # 12/s over 2 · 3 pairs.
    found = rates(spread(2, 3, grouping=grouping))
    assert found == {f"a#{i} b#{j}": pytest.approx(2.0) for i in (1, 2) for j in (1, 2, 3)}


def test_shuffles_without_shares_prefer_receivers_nearby() -> None:
    for grouping, shuffle in (("shuffle", "b"), ("local_or_shuffle", "b"), ("fields", None)):
        streams = spread(2, 2, grouping=grouping).problem.streams
        assert {it.shuffle for it in streams} == {shuffle}
    shared = spread(2, 2, grouping="shuffle", shares=[0.75, 0.25]).problem.streams
    assert {it.shuffle for it in shared} == {None}


def test_measured_shares_say_what_each_receiver_gets() -> None:
    # Each of two senders has 6/s; b#1 gets three quarters of them.
    assert rates(spread(2, 2, grouping="fields", shares=[0.75, 0.25])) == {
        "a#1 b#1": 4.5,
        "a#1 b#2": 1.5,
        "a#2 b#1": 4.5,
        "a#2 b#2": 1.5,
    }


def test_under_all_every_receiver_gets_the_full_rate() -> None:
    # Each receiver has 6/s from each of two senders: 12/s.
    assert set(rates(spread(2, 3, grouping="all")).values()) == {6.0}
    assert len(rates(spread(2, 3, grouping="all"))) == 6


def test_under_global_the_first_executor_gets_it_all() -> None:
    assert rates(spread(2, 3, grouping="global")) == {"a#1 b#1": 6.0, "a#2 b#1": 6.0}


@pytest.mark.parametrize("grouping", ["direct", "custom"])
def test_what_cannot_be_known_is_taken_as_shuffle_and_said_so(grouping: str) -> None:
    file = spread(1, 2, grouping=grouping)
    assert rates(file) == {"a b#1": 6.0, "a b#2": 6.0}
    assert file.assumptions == (
        (
            f"stream a → b: no shares are given for its {grouping} grouping; "
            "assumed that it spreads its tuples evenly"
        ),
    )
    assert spread(1, 2, grouping=grouping, shares=[1.0, 0.0]).assumptions == ()


def test_a_receiver_without_a_share_has_no_stream() -> None:
    assert rates(spread(1, 2, grouping="custom", shares=[1.0, 0.0])) == {"a b#1": 12.0}


def test_an_operator_of_one_executor_keeps_its_name_and_needs_no_grouping() -> None:
    assert rates(spread(1, 1)) == {"a b": 12.0}


def test_where_executors_run_is_said_for_all_at_once_one_by_one_or_by_name() -> None:
    for current in ({"b": "n2"}, {"b": ["n2", "n2"]}, {"b#1": "n2", "b#2": "n2"}):
        file = spread(1, 2, current, grouping="shuffle")
        assert file.problem.current == {"b#1": "n2", "b#2": "n2"}


@pytest.mark.parametrize(
    ("stream", "complaint"),
    [
        (
            {},
            (
                "stream a → b: an operator with executors needs a grouping; groupings are shuffle, "
                "fields, partial_key, all, global, local_or_shuffle, direct, custom"
            ),
        ),
        (
            {"grouping": "fields", "shares": [1.0]},
            "stream a → b: 1 shares for 2 executors of b; give one for each",
        ),
        (
            {"grouping": "fields", "shares": [0.5, 0.6]},
            "stream a → b: shares sum to 1.1; they must sum to 1",
        ),
        (
            {"grouping": "fields", "shuffle": "b"},
            (
                "stream a → b: shuffle is 'b', but its grouping is fields; give shuffle only for "
                "streams without a grouping, and none for system streams"
            ),
        ),
        (
            {"system": True, "shuffle": "b"},
            (
                "stream a → b: shuffle is 'b', but system is true; give shuffle only for streams "
                "without a grouping, and none for system streams"
            ),
        ),
        (
            {"grouping": "all", "shares": [0.5, 0.5]},
            "stream a → b: a stream grouped as all has no shares",
        ),
    ],
)
def test_a_stream_that_does_not_say_how_it_spreads_is_refused(
    stream: dict[str, Any], complaint: str
) -> None:
    with pytest.raises(ProblemError) as refused:
        spread(1, 2, **stream)
    assert str(refused.value) == complaint


def test_more_executors_than_any_cluster_has_are_refused_before_they_fill_the_memory() -> None:
    with pytest.raises(ProblemError) as refused:
        spread(99_999, 2, grouping="global")
    assert str(refused.value) == (
        "operators have 100001 executors together; they may have 100000 at most"
    )


def test_more_pairs_of_executors_than_fit_in_memory_are_refused() -> None:
    # 1001 · 1000 pairs; under global there are 1001.
    with pytest.raises(ProblemError) as refused:
        spread(1001, 1000, grouping="shuffle")
    assert str(refused.value) == (
        "stream a → b: 1001 senders and 1000 receivers; "
        "all streams together may join 1000000 pairs of executors at most"
    )
    assert len(spread(1001, 1000, grouping="global").problem.streams) == 1001
