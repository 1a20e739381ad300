"""A host's load from its reports: smoothed, held, and slow to forget that work was held up."""

import pytest
from eyewall_contracts.sample import Sample
from eyewall_sidecar.storm import HostLoad, update_host
from measured_topologies import report
from msgspec.structs import replace


def with_machine(sample: Sample, **changes: float | None) -> Sample:
    assert sample.machine is not None
    return replace(sample, machine=replace(sample.machine, **changes))


def load_after(*reports: Sample) -> HostLoad:
    record = None
    for it in reports:
        record = update_host(record, it)
    assert record is not None
    return record.held


def test_a_topology_is_left_all_that_others_do_not_use() -> None:
    # 2 cores, 1.5 in use, 0.6 of them by the topology itself: 2 - 0.9 = 1.1.
    load = load_after(report("a", cores=2.0, busy=1.5, used={"t": 0.6}))
    assert load.left_for("t") == pytest.approx(1.1)
    assert load.left_for("another") == pytest.approx(0.5)


def test_a_report_over_too_short_a_time_for_finite_figures_is_ignored() -> None:
    # 7.5 s of CPU in 1e-310 s are more than a float holds; a full host stays full, 2 - 2 = 0.
    full = report("a", cores=2.0, busy=2.0, used={"t": 0.5})
    odd = replace(report("a", 1, time=5, busy=1.5, used={"t": 1.5}), seconds=1e-310)
    after = report("a", 2, time=10, cores=2.0, busy=2.0, used={"t": 0.5})
    assert load_after(full, odd, after).left_for("another") == 0.0
    assert load_after(full, odd, after) == load_after(full, after)
    assert update_host(None, odd) is None


def test_a_host_whose_quota_is_cut_has_less_at_once() -> None:
    load = load_after(report("a", 0, cores=1.0), report("a", 1, time=5, cores=0.3))
    assert load.left_for("t") == pytest.approx(0.3)


def test_the_share_of_time_that_work_is_stopped_for_is_told() -> None:
    # One busy thread, stopped by its quota for 0.7 s of each second.
    load = load_after(report("a", cores=0.3, busy=0.3, throttled=0.7))
    assert load.progress == pytest.approx(0.3)


def test_what_the_whole_machine_lost_to_others_is_not_held_against_one_control_group() -> None:
    # Of its 8 CPUs' 40 s others took 4: a tenth, however little this group used (0.05 of a core).
    quiet = report("a", cores=1.0, busy=0.05)
    robbed = with_machine(quiet, stolen=4.0)
    assert load_after(robbed).progress == pytest.approx(0.9)


def test_what_is_stolen_while_the_quota_stops_work_is_counted_once() -> None:
    # Others took half of the 8 CPUs' 40 s, and so half of the 2.5 s for which the quota stopped the
    # group: of 2.5 + 1.25 s that were there it ran for 2.5, two thirds of a half.
    stopped = report("a", cores=1.0, busy=0.5, throttled=0.5)
    robbed = with_machine(stopped, stolen=20.0)
    assert load_after(robbed).progress == pytest.approx(1 / 3)


def test_a_machine_without_a_quota_lost_what_others_took_of_what_it_wanted() -> None:
    whole = report("a", busy=3.0)  # 15 s of 5 s on 8 CPUs
    robbed = with_machine(whole, quota=None, stolen=5.0)
    assert load_after(robbed).progress == pytest.approx(0.75)


def test_bursts_that_are_over_within_two_reports_do_not_make_a_host_slow() -> None:
    # Two reports of held up work, then a quiet one, and so on: no three in a row agree.
    bursts = [report("a", n, time=5.0 * n, throttled=0.5 * (n % 3 > 0)) for n in range(12)]
    assert load_after(*bursts).progress == 1.0


def test_a_host_of_many_workers_that_reports_more_often_is_not_slow_any_sooner() -> None:
    # A report each second: that of second 0 was good, and those of seconds 1 to 14 are within 15 s.
    often = [report("a", n, time=1.0 * n, busy=0.5, throttled=0.5 * (n > 0)) for n in range(16)]
    assert load_after(*often[:15]).progress == 1.0
    assert load_after(*often).progress == pytest.approx(0.5)


def test_a_host_whose_reports_get_lost_is_slow_by_three_of_them_however_old() -> None:
    rare = [report("a", n, time=60.0 * n, busy=0.5, throttled=0.5 * (n > 0)) for n in range(4)]
    assert load_after(*rare[:3]).progress == 1.0
    assert load_after(*rare).progress == pytest.approx(0.5)


def test_a_host_is_as_slow_as_the_best_of_three_reports_in_a_row() -> None:
    # Of each second work is stopped for 0.7 s, 0.5 s and 0.6 s.
    stopped = [0.7, 0.5, 0.6]
    slow = [
        report("a", n, time=5.0 * n, busy=1 - it, throttled=it)
        for n, it in enumerate(stopped, start=1)
    ]
    assert load_after(report("a", 0), *slow[:2]).progress == 1.0
    assert load_after(report("a", 0), *slow).progress == pytest.approx(0.5)


def test_reports_from_before_a_hosts_clock_was_set_back_do_not_hide_that_it_is_slow() -> None:
    before = [report("a", n, time=3600.0 + 5 * n) for n in range(3)]
    slow = [report("a", n, time=5.0 * n, busy=0.5, throttled=0.5) for n in range(3, 6)]
    assert load_after(*before, *slow).progress == pytest.approx(0.5)


def test_of_a_host_that_is_new_the_best_report_so_far_is_believed() -> None:
    # A sidecar that starts in a bad moment of the host's does not remember it for ten minutes.
    slow = report("a", 0, cores=0.3, busy=0.3, throttled=0.7)
    assert load_after(slow).progress == pytest.approx(0.3)
    assert load_after(slow, report("a", 1, time=5.0, cores=0.3)).progress == 1.0


def test_a_host_that_stopped_work_is_not_believed_to_be_fast_as_soon_as_it_is_idle() -> None:
    slow = [report("a", n, time=5.0 * n, cores=0.3, busy=0.3, throttled=0.7) for n in range(3)]
    idle = [report("a", n, time=5.0 * n, cores=0.3) for n in range(3, 123)]
    # Each report of 5 s takes it 5 / 600 of the way back to 1, and a tenth is held back:
    # after 30 s 1 - 0.7 * (119 / 120) ** 6 = 0.334, after 600 s 1 - 0.7 * 0.366 = 0.744.
    assert 0.300 <= load_after(*slow, *idle[:6]).progress < 0.335
    assert 0.744 / 1.1 <= load_after(*slow, *idle).progress < 0.745


def test_a_host_held_up_with_little_to_do_is_fast_again_with_the_next_good_report() -> None:
    # 0.5 of its core in use, so it was not its own work that held it up; with 0.8 it is.
    def after_good_report(*busy: float) -> float:
        slow = [report("a", n, time=5.0 * n, busy=b, throttled=b) for n, b in enumerate(busy)]
        assert load_after(*slow).progress == pytest.approx(0.5)
        return load_after(*slow, report("a", 3, time=15.0)).progress

    assert after_good_report(0.5, 0.8, 0.5) == 1.0
    assert after_good_report(0.8, 0.8, 0.8) == pytest.approx(0.5, rel=0.1)


def test_a_machine_without_a_quota_is_full_with_what_others_took_of_its_work() -> None:
    # Of 8 CPUs it wanted 7 and got 3.5; the next report is of an idle machine.
    def machine(n: int, busy: float, stolen: float) -> Sample:
        said = report("a", n, time=5.0 * n, busy=busy)
        return with_machine(said, quota=None, stolen=5 * stolen)

    slow = [machine(n, 3.5, 3.5) for n in range(3)]
    assert load_after(*slow, machine(3, 0.0, 0.0)).progress == pytest.approx(0.5, rel=0.1)


def test_what_workers_are_held_up_by_while_they_start_does_not_make_a_host_slow() -> None:
    # Started at 2 s. The report that begins at 40 s is within the 40 s after that, those that
    # begin at 45, 50 and 55 s are not.
    quiet = report("a", 0)
    held_up = [
        report("a", n, time=5.0 * n, busy=0.3, throttled=0.7, used={"t": 0.3}, started=2.0)
        for n in range(1, 13)
    ]
    assert load_after(quiet, *held_up[:11]).progress == 1.0
    assert load_after(quiet, *held_up).progress == pytest.approx(0.3)


def test_a_host_first_heard_of_while_a_worker_starts_is_not_slow_by_the_next_report() -> None:
    # Started at 0 s; the second report begins when the 40 s are over.
    held_up = [
        report("a", n, time=it, busy=0.3, throttled=0.7, used={"t": 0.3}, started=0.0)
        for n, it in enumerate([40.0, 45.0])
    ]
    assert load_after(*held_up).progress == 1.0


def test_a_host_that_was_slow_before_workers_start_there_is_slow_still() -> None:
    slow = report("a", 0, busy=0.3, throttled=0.7)
    start = report("a", 1, time=5.0, busy=0.9, throttled=0.1, used={"t": 0.9}, started=1.0)
    assert load_after(slow, start).progress == pytest.approx(0.3)


def test_jitter_within_a_twentieth_of_a_core_changes_nothing() -> None:
    busy = [0.20, 0.24, 0.16, 0.22, 0.19]
    loads = [
        load_after(*(report("a", n, time=5.0 * n, busy=b) for n, b in enumerate(busy[:count])))
        for count in range(1, len(busy) + 1)
    ]
    assert all(it == loads[0] for it in loads)


def test_a_load_that_stays_is_seen_within_three_reports() -> None:
    # 0.4, then 0.64, then 0.784 of the way from 0 to 0.5 cores.
    reports = [report("a", 0)] + [report("a", n, time=5.0 * n, busy=0.5) for n in (1, 2, 3)]
    assert load_after(*reports).left_for("t") == pytest.approx(1 - 0.5 * 0.784, abs=0.06)


def test_a_worker_seen_for_the_first_time_tells_nothing_yet() -> None:
    whole = report("a", 0, busy=0.5, used={"t": 0.5})
    worker = replace(whole.workers[0], cpu=None, children_cpu=None)
    first = replace(whole, workers=(worker,))
    assert update_host(None, first) is None
