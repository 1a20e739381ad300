import pytest
from eyewall_latency.contract import RttRecord
from eyewall_latency.memory import Fading, Memory

FADING = Fading(half_life_seconds=100.0, forget_seconds=1_000.0)


def test_an_rtt_fades_by_half_in_each_half_life() -> None:
    memory = Memory(FADING)
    memory.measured("a", 0.010, now=0.0)
    assert list(memory.springs(now=0.0)) == [("a", 0.010, 1.0)]
    assert list(memory.springs(now=200.0)) == [("a", 0.010, 0.25)]


def test_what_the_other_end_measured_counts_by_its_own_age() -> None:
    # Own: 10 ms, 100 s old, weight 1/2. Theirs: 40 ms, new, weight 1: (5 + 40) / 1.5 = 30 ms.
    memory = Memory(FADING)
    memory.measured("a", 0.010, now=0.0)
    memory.heard({"a": RttRecord(0.040, 0.0, at=100.0), "b": RttRecord(0.007, 0.0, at=100.0)})
    rtts = {name: rtt for name, rtt, _ in memory.springs(now=100.0)}
    assert rtts == pytest.approx({"a": 0.030, "b": 0.007})
    assert [weight for _, _, weight in memory.springs(now=100.0)] == [1.0, 1.0]


def test_an_rtt_too_old_is_forgotten_at_both_ends() -> None:
    memory = Memory(FADING)
    memory.measured("a", 0.010, now=0.0)
    memory.heard({"b": RttRecord(0.010, 0.0, at=0.0)})
    memory.forget(1_000.0, {"a": None, "b": None})
    assert len(list(memory.springs(1_000.0))) == 2
    memory.forget(1_001.0, {"a": None, "b": None})
    assert list(memory.springs(1_001.0)) == []


def test_nothing_is_kept_of_a_host_that_is_gone() -> None:
    memory = Memory(FADING)
    memory.measured("a", 0.010, now=0.0)
    memory.forget(1.0, alive={})
    assert len(memory) == 0
    assert memory.get("a") is None
