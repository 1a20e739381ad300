from __future__ import annotations

import pytest
from eyewall_monitor.rates.figures import Figures, WindowGroup, WindowSample, figures
from eyewall_monitor.rates.rows import RowKind


def samples(
    task: int, *each: tuple[float, float, float], step: int = 1
) -> tuple[WindowSample, ...]:
    return tuple(
        WindowSample(task, 5.0 * (i + 1), 5.0, amount, base, extra, step, f"host-{task}", 6700)
        for i, (amount, base, extra) in enumerate(each)
    )


def of(kind: RowKind, *found: tuple[WindowSample, ...]) -> Figures:
    every = tuple(it for of_task in found for it in of_task)
    return figures(WindowGroup(0.0, "t", kind, "bolt", "spout", "default", every))


def test_a_stream_is_the_sum_of_what_its_tasks_take_and_its_skew_is_seen() -> None:
    # 100 and 300 tuples/s: 400 together; the busiest takes 300, an even share is 200: 1.5.
    found = of(RowKind.RECEIVED, samples(1, *[(500, 0, 0)] * 6), samples(2, *[(1500, 0, 0)] * 6))
    (stream,) = found.streams
    assert stream.tasks == 2
    assert stream.skew == pytest.approx(1.5)
    assert stream.rate.value == pytest.approx(400)
    assert [(it.task, it.host) for it in found.inputs] == [(1, "host-1"), (2, "host-2")]
    assert [it.rate.value for it in found.inputs] == pytest.approx([100, 300])
    assert stream.tuple_bytes is None


def at(task: int, phase: float, *rates: float) -> tuple[WindowSample, ...]:
    """Samples of 5 s each, each task reported at its own times."""
    return tuple(
        WindowSample(task, phase + 5.0 * (i + 1), 5.0, 5 * it, 0.0, 0.0, 1, f"host-{task}", 6700)
        for i, it in enumerate(rates)
    )


def test_a_step_is_in_a_stream_as_soon_as_each_of_its_tasks_has_a_whole_sample_of_it() -> None:
    # From 1000 to 100 tuples/s each at 34 s. Task 1 reports 820 at 35 s and 100 at 40 s, task 2 280
    # at 38 s (1/5 old, 4/5 new) and 100 at 43 s. In the slot of (35, 40] the 280 are still 3/5 of
    # what task 2 did: 100 + 208. Its own samples know better: 200 together.
    one = at(1, 0.0, *[1000] * 6, 820, 100)
    other = at(2, 3.0, *[1000] * 6, 280, 100)
    (stream,) = of(RowKind.RECEIVED, one, other).streams
    assert stream.rate.until == 40
    assert stream.rate.value == pytest.approx(200, rel=0.02)


@pytest.mark.parametrize("after", [0, 1, 2, 3])
@pytest.mark.parametrize("phase", [0.0, 1.0, 2.5, 4.0])
def test_a_spike_in_one_sample_of_one_task_moves_the_stream_by_less_than_a_third(
    phase: float, after: int
) -> None:
    # The slots of the sum smear 9000 tuples/s over two of them, where they look like a step.
    one = at(1, 0.0, *[100] * (8 + after))
    other = at(2, phase, *[100] * 6, 9100, *[100] * (1 + after))
    (stream,) = of(RowKind.RECEIVED, one, other).streams
    assert stream.rate.value - 200 < 9000 / 3


def test_all_grouping_shows_as_copies() -> None:
    # 50 tuples out in each sample, sent to 3 tasks each: 150 transferred.
    (emission,) = of(RowKind.EMITTED, samples(1, *[(50, 100, 150)] * 6)).emissions
    assert emission.copies == 3
    assert emission.rate.value == pytest.approx(10)
    assert emission.selectivity is not None
    assert emission.selectivity.value == pytest.approx(0.5)


def test_a_spout_has_no_selectivity() -> None:
    found = of(RowKind.EMITTED, samples(1, *[(50, 0, 50)] * 6))
    assert found.emissions[0].selectivity is None
    assert found.outputs[0].selectivity is None


def test_cost_is_cpu_over_tuples_and_unknown_where_there_were_none() -> None:
    # 0.25 CPU-seconds for 500 tuples in 5 s: 0.5 ms each, 0.05 cores. Task 2 idles at 0.01 s in 5.
    found = of(RowKind.CPU, samples(1, *[(0.25, 500, 1)] * 6), samples(2, *[(0.01, 0, 2)] * 6))
    one, other = found.task_costs
    assert one.cost is not None
    assert one.cost.value == pytest.approx(0.0005)
    assert one.cores.value == pytest.approx(0.05)
    assert one.apart
    assert other.cost is None
    assert other.cores.value == pytest.approx(0.002)
    assert not other.apart
    # Together: 0.26 s for 500 tuples.
    assert found.costs[0].cost.value == pytest.approx(0.00052)


def test_ratios_wait_for_enough_steps_of_the_counter() -> None:
    # 20 tuples in 5 s by steps of 20: five samples make the 100 tuples that a ratio is over.
    few = of(RowKind.CPU, samples(1, *[(0.01, 20, 1)] * 4, step=20)).task_costs[0]
    assert few.cost is not None  # CPU's own figures are not in steps …
    emitted = of(RowKind.EMITTED, samples(1, *[(40, 20, 40)] * 4, step=20))
    assert emitted.outputs[0].selectivity is None  # … but what it is held against is.
    enough = of(RowKind.EMITTED, samples(1, *[(40, 20, 40)] * 5, step=20))
    assert enough.outputs[0].selectivity is not None
    assert enough.outputs[0].selectivity.value == pytest.approx(2.0)


def test_one_task_without_common_time_keeps_its_own_figures() -> None:
    early = (WindowSample(1, 5.0, 5.0, 10, 0, 0, 1, "a", 1),)
    late = (WindowSample(2, 50.0, 5.0, 10, 0, 0, 1, "a", 1),)
    found = of(RowKind.RECEIVED, early, late)
    assert found.streams == ()
    assert len(found.inputs) == 2
