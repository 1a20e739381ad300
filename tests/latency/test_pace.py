from random import Random

import pytest
from eyewall_latency.pace import Pace


def test_the_budget_holds_whatever_the_interval() -> None:
    pace = Pace(interval_seconds=0.1, jitter=0.5, budget_per_second=2.0)
    waits = [pace.wait(4, 10, Random(seed)) for seed in range(100)]
    assert min(waits) >= 4 / 2.0


def test_the_interval_is_jittered_by_its_share() -> None:
    pace = Pace(interval_seconds=10.0, jitter=0.1, milliseconds_per_host=0.0)
    waits = [pace.wait(1, 10, Random(seed)) for seed in range(200)]
    assert 9.0 <= min(waits) < 9.2
    assert 10.8 < max(waits) <= 11.0


def test_a_large_cluster_has_longer_rounds() -> None:
    # 490 hosts at 3 ms each.
    assert Pace(jitter=0.0).wait(1, 490, Random(0)) == pytest.approx(1.47)
