"""What is remembered of measurements from round to round, by which clock."""

import pytest
from eyewall_contracts.sample import Sample, ThreadGroup
from eyewall_sidecar.service.estimates import EstimateTracker
from eyewall_sidecar.storm import HostLoad
from measured_topologies import rates_of, report
from msgspec.structs import replace
from obedient_nimbus import Clock, Written
from storm_builders import chain

TOPOLOGY = chain(("source", 1), ("count", 1))


class _Round:
    """Reads round by round what is written meanwhile; the clock is at 100 s to begin with."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.written = Written(self.clock, wanted=True)
        self.estimates = EstimateTracker(self.written, 0.5)

    def load(self, *reports: Sample) -> HostLoad | None:
        self.written.hosts = {it.host: it for it in reports}
        return self.estimates.read([]).loads.get("a")

    def knows_rates(self) -> bool:
        measured = self.estimates.read([TOPOLOGY]).of(TOPOLOGY.id)
        assert measured is not None
        return bool(measured.emissions)


def test_a_report_is_as_old_as_it_is_here_whatever_its_hosts_clock_says() -> None:
    for clock_is_off in (-3600.0, 3600.0):
        round_ = _Round()
        reported = report("a", time=max(0.0, 100 + clock_is_off), busy=0.5)
        assert round_.load(reported) is not None
        round_.clock.now += 29
        assert round_.load(reported) is not None
        round_.clock.now += 2
        assert round_.load(reported) is None


def test_the_last_report_written_again_is_neither_counted_twice_nor_any_younger() -> None:
    round_ = _Round()
    round_.load(report("a", 0, time=95))
    reported = round_.load(report("a", 1, time=100, busy=0.5))
    round_.clock.now += 25
    assert round_.load(report("a", 1, time=100, busy=0.5)) == reported
    round_.clock.now += 6
    assert round_.load(report("a", 1, time=100, busy=0.5)) is None


def test_a_round_that_comes_late_has_missed_no_report() -> None:
    # Each report moves what is smoothed by 0.4 of the way to what it says: 0.5, 0.7, 0.82.
    in_time, late = _Round(), _Round()
    reports = [report("a", n, time=95 + 5.0 * n, busy=busy) for n, busy in enumerate([0.5, 1, 1])]
    for it in reports:
        expected = in_time.load(it)
    late.load(reports[0])
    late.written.earlier = {"a": tuple(reports[:2])}
    assert expected is not None
    assert expected.busy == pytest.approx(0.82)
    assert late.load(reports[2]) == expected
    late.written.hosts = {"a": report("a", 3, time=110, busy=1)}
    late.written.earlier = {"a": tuple(reports)}
    assert late.estimates.read([]).missed == {}
    late.written.hosts = {"a": report("a", 5, time=120, busy=1)}
    of_between = report("a", 4, time=115, busy=1)
    late.written.earlier = {"a": (report("a", 3, time=110, busy=1), of_between)}
    assert late.estimates.read([]).missed == {"a": (of_between,)}
    assert late.estimates.read([]).missed == {}


def test_the_overhead_of_each_worker_is_known_by_its_host_and_port() -> None:
    # 0.5 cores used, 0.3 of them by its executors' threads.
    round_ = _Round()
    loaded = report("a", time=100, used={"count-1": 0.5})
    threads = (ThreadGroup((1,), 1, 1.5),)
    workers = tuple(replace(it, threads=threads) for it in loaded.workers)
    round_.written.hosts = {"a": replace(loaded, workers=workers)}
    overheads = round_.estimates.read([TOPOLOGY]).overheads
    assert overheads == {"count-1": {("a", 6700): pytest.approx(0.2)}}


def test_rates_grow_old_though_they_were_written_by_a_clock_that_is_ahead() -> None:
    round_ = _Round()
    round_.written.rates[TOPOLOGY.id] = rates_of(TOPOLOGY, {2: 9.0}, {1: 9.0}, until=3700.0)
    assert round_.knows_rates()
    round_.clock.now += 100
    assert not round_.knows_rates()
