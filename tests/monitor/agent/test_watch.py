from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from eyewall_contracts.sample import decode_sample, encode_sample
from eyewall_monitor.agent.cgroup import ControlGroup
from eyewall_monitor.agent.procfs import TICK, Proc
from eyewall_monitor.agent.tally import Instant
from eyewall_monitor.agent.watch import Watch
from eyewall_monitor.agent.workers import WorkerSearch
from fake_proc import FakeProc
from fake_worker import MAIN
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from eyewall_contracts.sample import Sample
    from eyewall_monitor.agent.procfs import Stat

EPOCH = 1_700_000_000
UP_AT_START = 1000.0


class _SlowProc(Proc):
    """Listing the processes takes as long as `listed` says."""

    listed: Callable[[], None] = staticmethod(lambda: None)

    def processes(self) -> dict[int, Stat]:
        self.listed()
        return super().processes()


class Host:
    """A host whose clock is where the test put it."""

    def __init__(self, folder: Path) -> None:
        self.fake = FakeProc(folder)
        self.fake.file("uptime", f"{UP_AT_START} 0\n")
        self.fake.process(1, "agent")
        self.proc = proc = _SlowProc(folder)
        search = WorkerSearch(proc, 1, None)
        self.now = 0.0
        self.watch = Watch("edge-1", "run", proc, ControlGroup("", ""), search, self.instant)

    @property
    def instant(self) -> Instant:
        return Instant(EPOCH + self.now, self.now)

    def at(self, seconds: float) -> None:
        self.now = seconds
        self.fake.file("uptime", f"{UP_AT_START + seconds} 0\n")

    def worker(self, started: float, topology: str = "wc-1-1000", worker: str = "w1") -> None:
        command = ["java", MAIN, topology, "supervisor", "6628", "6700", worker]
        ticks = int((UP_AT_START + started) / TICK)
        self.fake.process(7, "java", command=command, started=ticks)

    def send(self, count: int, topology: str = "wc-1-1000") -> None:
        name = f"storm.worker.{topology}.h.count.default.3.6700-__execute-count-split:default.count"
        self.watch.take([f"{name} {count} {int(EPOCH + self.now)}".encode()], self.instant)

    def report(self) -> Sample:
        return self.watch.report(self.instant, {})


@pytest.fixture
def host(tmp_path: Path) -> Host:
    return Host(tmp_path)


def executed(report: Sample) -> int:
    return report.workers[0].tasks[0].inputs[0].executed


def test_a_worker_that_starts_is_reported_from_its_first_tuple(host: Host) -> None:
    host.worker(started=2.0)
    host.at(7.0)
    host.send(400)
    host.at(10.0)
    report = host.report()
    assert executed(report) == 400
    assert report.workers[0].seconds == pytest.approx(5.0)
    assert report.workers[0].started == pytest.approx(EPOCH + 2.0)
    assert report.workers[0].until == pytest.approx(EPOCH + 7.0)
    assert report.counters == {"taken": 1}


def test_the_cpu_of_a_start_is_reported_of_workers_that_started_while_the_agent_ran(
    host: Host,
) -> None:
    def used(seconds: float, started: float, worker: str) -> None:
        host.worker(started, worker=worker)
        command = ["java", MAIN, "wc-1-1000", "supervisor", "6628", "6700", worker]
        ticks = int((UP_AT_START + started) / TICK)
        cpu = int(seconds / TICK)
        host.fake.process(7, "java", command=command, started=ticks, cpu_ticks=cpu)

    def start_cpu() -> float | None:
        (worker,) = host.report().workers
        return worker.start_cpu

    used(900.0, started=-50.0, worker="w0")
    host.at(5.0)
    assert start_cpu() is None
    host.send(400)
    host.at(10.0)
    assert start_cpu() is None
    # 3 CPU-seconds before it counts tuples, 5 by the next report.
    used(3.0, started=11.0, worker="w1")
    host.at(15.0)
    assert start_cpu() is None
    host.send(400)
    used(5.0, started=11.0, worker="w1")
    host.at(20.0)
    assert start_cpu() == pytest.approx(4.0)
    used(9.0, started=11.0, worker="w1")
    host.at(25.0)
    assert start_cpu() == pytest.approx(4.0)


def test_a_slow_list_of_processes_makes_no_worker_older_than_the_agent(host: Host) -> None:
    # The agent starts at 0 s, the worker at 0.5 s. Listing the processes at 1 s takes 0.8 s: the
    # worker's age is 0.5 s at the moment of the search, 1.3 s when the list is complete.
    host.worker(started=0.5)
    host.at(1.0)
    host.proc.listed = lambda: host.fake.file("uptime", f"{UP_AT_START + 1.8} 0\n")
    host.send(400)
    host.at(2.0)
    report = host.report()
    assert report.workers[0].started == pytest.approx(EPOCH + 0.5)
    assert executed(report) == 400


def test_reports_are_numbered_and_say_what_time_they_cover(host: Host) -> None:
    host.at(5.0)
    first = host.report()
    host.at(10.5)
    second = host.report()
    assert (first.sequence, second.sequence) == (0, 1)
    assert (first.seconds, second.seconds) == (5.0, 5.5)
    assert second.time == EPOCH + 10.5


def test_what_a_topology_that_does_not_run_here_tells_is_rejected_and_counted(host: Host) -> None:
    host.worker(started=2.0)
    host.at(7.0)
    host.send(400, topology="forged-1-1000")
    host.at(10.0)
    report = host.report()
    assert report.workers[0].tasks == ()
    assert report.counters == {"rejected: unknown worker": 1}


def test_a_flood_of_forged_lines_does_not_make_the_agent_search_for_each(host: Host) -> None:
    host.at(7.0)
    looked = []
    search = host.watch._search
    original = search.workers
    search.workers = lambda processes: looked.append(1) or original(processes)  # type: ignore[method-assign,func-returns-value]
    for i in range(1000):
        host.send(1, topology=f"forged-{i}-1000")
    assert len(looked) == 1


def test_a_topology_that_goes_takes_its_worker_out_of_the_report(host: Host) -> None:
    host.worker(started=2.0)
    host.at(7.0)
    host.send(400)
    host.report()
    for name in ("stat", "cmdline"):
        (host.fake.root / "7" / name).unlink()
    host.at(15.0)
    assert host.report().workers == ()
    host.send(800)
    assert host.report().counters["rejected: unknown worker"] == 1


def test_a_worker_that_restarts_on_its_port_counts_from_zero(host: Host) -> None:
    host.worker(started=2.0)
    host.at(7.0)
    host.send(400)
    host.at(10.0)
    host.report()
    host.worker(started=12.0, worker="w2")
    host.at(15.0)
    host.report()
    host.at(17.0)
    host.send(600)
    host.at(20.0)
    report = host.report()
    assert (report.workers[0].id, executed(report)) == ("w2", 600)
    assert report.workers[0].seconds == pytest.approx(5.0)
    assert "counters that began again" not in report.counters


def test_what_is_no_metric_is_counted_by_why(host: Host) -> None:
    host.watch.take([b"\xff\x00", b"storm.topology.t.h.c.3.6700-own 1 1", b"hello"], host.instant)
    assert host.report().counters == {"rejected: no metric": 2, "unused": 1}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
@given(st.lists(st.binary(max_size=60)))
def test_whatever_comes_in_what_goes_out_can_be_read(host: Host, lines: list[bytes]) -> None:
    host.watch.take(lines, host.instant)
    report = host.report()
    assert decode_sample(encode_sample(report)) == report
