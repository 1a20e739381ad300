"""True pairs of tuples are made, counted as Storm counts them, and guessed back."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from eyewall_monitor.groupings import DEPENDS_ON_PLACEMENT, EXACT, Grouping, pair_rates

SOURCES, TARGETS = (1, 2), (11, 12, 13)
WORKERS = {1: "a:1", 2: "b:1", 11: "a:1", 12: "a:1", 13: "c:1"}
RATES = {1: 3000, 2: 1000}


def sent(grouping: Grouping, source: int, rng: random.Random) -> list[int]:
    """Tasks that one tuple goes to."""
    match grouping:
        case Grouping.ALL:
            return list(TARGETS)
        case Grouping.GLOBAL:
            return [11]
        case Grouping.FIELDS:  # half of the keys hash to 11
            return [rng.choice([11, 11, 12, 13])]
        case Grouping.DIRECT | Grouping.CUSTOM:  # 1 chooses 11 and 12, 2 chooses 13
            return [rng.choice([11, 12]) if source == 1 else 13]
        case Grouping.LOCAL_OR_SHUFFLE:
            local = [it for it in TARGETS if WORKERS[it] == WORKERS[source]]
            return [rng.choice(local or TARGETS)]
        case _:
            return [rng.choice(TARGETS)]


@pytest.mark.parametrize("grouping", list(Grouping))
def test_pairs_follow_from_the_tasks_counters(grouping: Grouping) -> None:
    rng = random.Random(5)
    truth: Counter[tuple[int, int]] = Counter()
    for source, count in RATES.items():
        for _ in range(count):
            truth.update((source, target) for target in sent(grouping, source, rng))
    received = {t: float(sum(truth[s, t] for s in SOURCES)) for t in TARGETS}
    found = pair_rates(grouping, {s: float(n) for s, n in RATES.items()}, received, WORKERS)
    assert sum(found.rates.values()) == pytest.approx(sum(truth.values()))
    for t in TARGETS:
        assert sum(found.rates[s, t] for s in SOURCES) == pytest.approx(received[t])
    worst = max(abs(found.rates[s, t] - truth[s, t]) for s in SOURCES for t in TARGETS)
    if grouping in (Grouping.DIRECT, Grouping.CUSTOM):
        # As it says of itself: 13 got 2's thousand alone, of which by guess 1 sent most.
        assert not found.exact
        assert worst > 500
    else:
        # A tuple's target is chance: within four deviations of 3,000 throws, √(3000/4) · 4.
        assert worst < 110
    assert found.exact == (grouping in EXACT)
    assert found.depends_on_placement == (grouping in DEPENDS_ON_PLACEMENT)


def test_a_local_target_takes_all_of_its_worker_and_the_rest_shuffles() -> None:
    # 1 stands with 11 and 12: 1,500 each. 2 has no target beside it: the rest is 400, 300, 300.
    found = pair_rates(
        Grouping.LOCAL_OR_SHUFFLE,
        {1: 3000.0, 2: 1000.0},
        {11: 1900.0, 12: 1800.0, 13: 300.0},
        WORKERS,
    )
    assert found.rates == {
        (1, 11): 1500,
        (1, 12): 1500,
        (1, 13): 0,
        (2, 11): 400,
        (2, 12): 300,
        (2, 13): 300,
    }
    assert found.depends_on_placement


def test_where_nothing_flows_nothing_is_divided() -> None:
    assert set(pair_rates(Grouping.SHUFFLE, {1: 0.0}, {11: 0.0}, {}).rates.values()) == {0.0}
