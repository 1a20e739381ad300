from __future__ import annotations

from eyewall_contracts.sample import ThreadGroup
from eyewall_monitor.agent.thread_shares import ThreadShares


def used(cpu: float, children: float = 0.0, task: int = 3) -> tuple[ThreadGroup, ...]:
    return (ThreadGroup((task,), 1, cpu, children),)


def test_cpu_is_the_mean_since_the_counts_before() -> None:
    # Reports of 1, 3 and 1 s, of which the last has the counts: 1.5 CPU-seconds in 5 s.
    shares = ThreadShares()
    assert shares.report("w1", used(0.1), 1.0, counted=False) == used(0.1)
    assert shares.report("w1", used(1.0, 0.2), 3.0, counted=False) == used(1.0, 0.2)
    assert shares.report("w1", used(0.4), 1.0, counted=True) == used(1.5 / 5, 0.2 / 5)
    # What was reported with counts is not reported again.
    assert shares.report("w1", used(0.4), 1.0, counted=True) == used(0.4)


def test_threads_that_appear_meanwhile_count_from_then_on() -> None:
    shares = ThreadShares()
    shares.report("w1", used(1.0), 4.0, counted=False)
    both = (*used(1.0), *used(0.5, task=4))
    assert shares.report("w1", both, 1.0, counted=True) == (*used(0.4), *used(0.1, task=4))


def test_workers_are_kept_apart_and_those_that_are_gone_are_forgotten() -> None:
    shares = ThreadShares()
    shares.report("w1", used(1.0), 1.0, counted=False)
    shares.report("w2", used(3.0), 1.0, counted=False)
    shares.forget_all_but(["w2"])
    assert shares.report("w1", used(2.0), 1.0, counted=True) == used(2.0)
    assert shares.report("w2", used(1.0), 1.0, counted=True) == used(2.0)


def test_a_worker_that_is_seen_for_the_first_time_has_no_threads_yet() -> None:
    assert ThreadShares().report("w1", (), 5.0, counted=True) == ()
