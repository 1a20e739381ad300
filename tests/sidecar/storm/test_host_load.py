"""A host's load from its reports: smoothed, held, and never slow by its own work."""

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


def test_work_that_a_quota_stops_does_not_make_its_host_slow() -> None:
    # One busy thread, stopped by its quota for 0.7 s of each second: that thread's doing.
    stopped = [report("a", n, cores=0.3, busy=0.3, throttled=0.7) for n in range(5)]
    assert load_after(*stopped).progress == 1.0
    assert load_after(*stopped).cores == 0.3


def test_what_the_whole_machine_lost_to_others_is_not_held_against_one_control_group() -> None:
    # Of its 8 CPUs' 40 s others took 4: a tenth, however little this group used (0.05 of a core).
    quiet = report("a", cores=1.0, busy=0.05)
    robbed = with_machine(quiet, stolen=4.0)
    assert load_after(robbed).progress == pytest.approx(0.9)


def test_a_machine_without_a_quota_lost_what_others_took_of_what_it_wanted() -> None:
    whole = report("a", busy=3.0)  # 15 s of 5 s on 8 CPUs
    robbed = with_machine(whole, quota=None, stolen=5.0)
    assert load_after(robbed).progress == pytest.approx(0.75)


def test_other_guests_that_take_the_machine_during_one_report_leave_it_as_fast_as_it_was() -> None:
    # Half of the 8 CPUs' 40 s: in one report of three the median is 1, in two it is 0.5.
    calm = [report("a", n, time=5.0 * n) for n in range(2)]
    robbed = [with_machine(report("a", n, time=5.0 * n), stolen=20.0) for n in range(2, 4)]
    assert load_after(*calm, robbed[0]).progress == 1.0
    assert load_after(*calm, *robbed[:2]).progress == pytest.approx(0.5)


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


def test_where_little_is_idle_a_little_less_of_it_shows() -> None:
    # Of 0.33 cores 10 % are idle, then none: 0.033 cores less are within a tenth of all, but not
    # within half of the idle ones.
    reports = [report("a", n, time=5.0 * n, cores=0.33, busy=0.33) for n in range(1, 10)]
    load = load_after(report("a", cores=0.33, busy=0.297), *reports)
    assert load.idle == pytest.approx(0.0, abs=0.02)


def test_what_other_guests_take_is_not_idle() -> None:
    # 1.4 of 2 cores are in use, and 0.6 are stolen.
    assert HostLoad(cores=2.0, busy=1.4, progress=0.7).idle == pytest.approx(0.0)
    assert HostLoad(cores=2.0, busy=1.4).idle == pytest.approx(0.3)
    assert HostLoad(cores=0.0, busy=0.0).idle == 1.0


def test_a_worker_seen_for_the_first_time_tells_nothing_yet() -> None:
    whole = report("a", 0, busy=0.5, used={"t": 0.5})
    worker = replace(whole.workers[0], cpu=None, children_cpu=None)
    first = replace(whole, workers=(worker,))
    assert update_host(None, first) is None


@pytest.mark.parametrize(("cores", "shown"), [(1.0, 0.14), (0.2, 0.10)])
def test_a_load_is_held_within_a_tenth_of_a_small_hosts_cores(cores: float, shown: float) -> None:
    # What was 0.14 while daemons started is 0.10 since: 0.04 less is within 0.05 of a core, and
    # more than the 0.02 that are a tenth of 0.2 cores. After 20 reports the average has followed.
    reports = [report("a", n, time=5.0 * n, cores=cores, busy=0.10) for n in range(1, 21)]
    load = load_after(report("a", cores=cores, busy=0.14), *reports)
    assert load.busy == pytest.approx(shown, abs=0.02)
    assert (load.busy == 0.14) == (cores == 1.0)


def test_what_others_use_takes_longer_too_where_other_guests_take_time() -> None:
    # Of 8 cores half of the time is stolen, so 4 are left; others use 3 of them. The one that is
    # left is 2 cores that have half of their time.
    load = HostLoad(cores=8.0, busy=3.5, by_topology={"t": 0.5}, progress=0.5)
    assert load.left_for("t") == pytest.approx(2.0)
