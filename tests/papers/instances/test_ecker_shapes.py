import pytest
from eyewall_papers.instances.ecker_shapes import (
    CYCLIC,
    SINK,
    SOURCE,
    TABLE_1,
    EckerShape,
    count_drawn,
    grow,
    shape_of,
)
from eyewall_papers.instances.java_random import JavaRandom

RANDOM = [it for it in TABLE_1 if it.startswith("T-R")]


def reached(shape: EckerShape, start: int, *, forwards: bool) -> set[int]:
    seen, waiting = {start}, [start]
    while waiting:
        here = waiting.pop()
        ends = (edge if forwards else edge[::-1] for edge in shape.edges)
        new = {target for source, target in ends if source == here} - seen
        seen |= new
        waiting += new
    return seen


def test_the_seed_draws_the_operation_counts_of_table_1_but_for_the_last() -> None:
    drawn = {f"T-R{number}": count_drawn(number) for number in range(1, 10)}
    differing = {it: count for it, count in drawn.items() if count != TABLE_1[it][0]}
    assert differing == {"T-R9": 20}, "the table has 10"


@pytest.mark.parametrize("topology", TABLE_1)
def test_operations_and_operators_are_as_many_as_in_table_1(topology: str) -> None:
    instances = shape_of(topology).instances
    assert (len(instances), sum(instances)) == TABLE_1[topology]


@pytest.mark.parametrize("topology", RANDOM)
def test_every_operation_but_source_and_sink_has_two_operators(topology: str) -> None:
    operations, operators = TABLE_1[topology]
    assert operators == 2 * (operations - 2) + 2
    assert shape_of(topology).instances == (1, 1, *[2] * (operations - 2))


@pytest.mark.parametrize("topology", TABLE_1)
def test_every_operation_is_between_the_only_source_and_the_only_sink(topology: str) -> None:
    shape = shape_of(topology)
    everything = set(range(len(shape.instances)))
    assert reached(shape, SOURCE, forwards=True) == everything
    assert reached(shape, SINK, forwards=False) == everything


@pytest.mark.parametrize("topology", TABLE_1)
def test_only_the_last_two_have_a_cycle(topology: str) -> None:
    shape = shape_of(topology)
    assert (shape.back is not None) == (topology in CYCLIC)
    if shape.back:
        start, end = shape.back
        assert start in reached(shape, end, forwards=True)
        assert not {start, end} & {SOURCE, SINK}


def test_a_diamond_that_would_be_one_operation_too_many_is_a_single_one() -> None:
    # Any seed: from 2 operations to 3 only one is lacking.
    for seed in range(20):
        assert grow(JavaRandom(seed), 3) == [(SOURCE, 2), (2, SINK)]


def test_about_four_of_ten_insertions_are_diamonds() -> None:
    # A diamond replaces an edge by four, a single operation by two: + 3 and + 1. From source and
    # sink to 4 operations it is one diamond, or two single ones.
    diamonds = sum(len(grow(JavaRandom(seed), 4)) == 4 for seed in range(1000))
    assert 360 <= diamonds <= 440, "400 ± 2.6 standard deviations of 15.5"
