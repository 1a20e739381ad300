"""How often tuples cross a border: those that follow from one tuple cross it together."""

import numpy as np
import pytest
from eyewall_sidecar.model.tuple_bursts import burst_rates

SOURCE, SPLIT, COUNT, ACKER = range(4)


def bursts(*streams: tuple[int, int, float, bool]) -> list[float]:
    sources, targets, rates, system = zip(*streams, strict=True)
    found = burst_rates(np.array(sources), np.array(targets), np.array(rates), np.array(system), 4)
    return list(map(float, found))


def test_what_follows_from_one_tuple_is_one_burst() -> None:
    # Of 100 sentences/s with five words each; the acker hears of each word.
    assert bursts(
        (SOURCE, SPLIT, 100.0, False),
        (SPLIT, COUNT, 500.0, False),
        (COUNT, ACKER, 500.0, True),
        (ACKER, SOURCE, 100.0, True),
    ) == [100.0, 100.0, 100.0, 100.0]


def test_an_operator_emits_no_more_bursts_than_it_gets_tuples() -> None:
    # Of 100 tuples/s only 60 reach the one that makes ten of each.
    assert bursts((SOURCE, SPLIT, 60.0, False), (SOURCE, COUNT, 40.0, False)) == [60.0, 40.0]
    assert bursts(
        (SOURCE, SPLIT, 60.0, False), (SOURCE, ACKER, 40.0, False), (SPLIT, COUNT, 600.0, False)
    ) == [60.0, 40.0, 60.0]


def test_where_a_source_is_not_known_to_emit_each_operators_input_is_the_limit() -> None:
    assert bursts((SOURCE, SPLIT, 0.0, False), (SPLIT, COUNT, 30.0, False)) == [0.0, 0.0]
    acks = (SPLIT, COUNT, 9.0, True), (COUNT, SPLIT, 7.0, True)
    assert bursts((SOURCE, ACKER, 0.0, False), *acks) == [0.0, 7.0, 7.0]


def test_where_tuples_go_round_and_nothing_begins_each_operators_input_is_the_limit() -> None:
    assert bursts((SOURCE, SPLIT, 10.0, False), (SPLIT, SOURCE, 30.0, False)) == [10.0, 10.0]


@pytest.mark.parametrize("rate", [0.0, 5.0])
def test_a_stream_has_no_more_bursts_than_tuples(rate: float) -> None:
    assert bursts((SOURCE, SPLIT, rate, False)) == [rate]
