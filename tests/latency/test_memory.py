import pytest
from eyewall_contracts.latency import RttRecord
from eyewall_latency.memory import Fading, Memory

FADING = Fading(half_life_seconds=100.0, forget_seconds=1_000.0)


def test_an_rtt_fades_by_half_in_each_half_life() -> None:
    memory = Memory(FADING)
    memory.measured("a", 0.010, now=0.0)
    assert list(memory.springs(now=0.0)) == [("a", 0.010, 1.0)]
    assert list(memory.springs(now=200.0)) == [("a", 0.010, 0.25)]


def test_of_both_ends_the_lower_rtt_counts_as_waiting_only_adds() -> None:
    memory = Memory(FADING)
    memory.measured("a", 0.010, now=50.0)
    memory.add_reports({"a": RttRecord(0.040, 0.0, at=100.0), "b": RttRecord(0.007, 0.0, at=100.0)})
    rtts = {name: rtt for name, rtt, _ in memory.springs(now=100.0)}
    assert rtts == {"a": 0.010, "b": 0.007}
    # As old as the later of the two.
    assert [weight for _, _, weight in memory.springs(now=100.0)] == [1.0, 1.0]


@pytest.mark.parametrize(("own_at", "their_at", "rtt"), [(0.0, 100.0, 0.040), (100.0, 0.0, 0.010)])
def test_unless_it_is_older_by_a_half_life(own_at: float, their_at: float, rtt: float) -> None:
    memory = Memory(FADING)
    memory.measured("a", 0.010, now=own_at)
    memory.add_reports({"a": RttRecord(0.040, 0.0, at=their_at)})
    assert [it for _, it, _ in memory.springs(now=100.0)] == [rtt]


def test_an_rtt_too_old_is_forgotten_at_both_ends() -> None:
    memory = Memory(FADING)
    memory.measured("a", 0.010, now=0.0)
    memory.add_reports({"b": RttRecord(0.010, 0.0, at=0.0)})
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
