"""What is seen of the machine and of workers, in folders that look like /proc and cgroups."""

from __future__ import annotations

import os
import subprocess
import threading
import time
from typing import TYPE_CHECKING

import pytest
from eyewall_contracts.sample import ThreadGroup
from eyewall_monitor.agent.cgroup import ControlGroup, Use
from eyewall_monitor.agent.machine import MachineMeter
from eyewall_monitor.agent.procfs import TICK, CpuMeter, Proc, Stat
from eyewall_monitor.agent.worker_cpu import WorkerMeter
from eyewall_monitor.agent.workers import WorkerProcess
from fake_proc import FakeProc

if TYPE_CHECKING:
    from pathlib import Path

WORKER = WorkerProcess(7, "wc-1-1000", 6700, "w1", "", "/nowhere")


def stat(cpu: float, number: int = 7, started: int = 100) -> Stat:
    return Stat(number, "java", 1, cpu, started, 0)


def test_what_is_spent_is_the_growth_since_the_look_before() -> None:
    meter = CpuMeter()
    assert meter.usage(stat(100.0)) is None
    meter.finish(1000)
    assert meter.usage(stat(101.5)) == 1.5


def test_who_started_since_the_look_before_spent_all_of_its_own() -> None:
    meter = CpuMeter()
    meter.finish(1000)
    assert meter.usage(stat(0.5, started=1001)) == 0.5
    assert meter.usage(stat(9.0, number=8, started=999)) is None  # met late


def test_a_number_that_was_given_again_is_another_process() -> None:
    meter = CpuMeter()
    meter.usage(stat(100.0))
    meter.finish(1000)
    assert meter.usage(stat(0.25, started=1200)) == 0.25


def test_a_name_with_parentheses_and_blanks_hides_nothing(tmp_path: Path) -> None:
    FakeProc(tmp_path).process(7, "a) S (b", cpu_ticks=300, parent=5)
    found = Proc(tmp_path).process(7)
    assert found is not None
    assert (found.name, found.parent) == ("a) S (b", 5)
    assert found.cpu == pytest.approx(300 * TICK)


def test_this_very_process_is_seen_as_it_is() -> None:
    proc = Proc()
    own = proc.processes()[os.getpid()]
    assert own.parent == os.getppid()
    assert own.cpu == pytest.approx(time.process_time(), abs=0.5)
    assert threading.get_native_id() in [thread.number for thread in proc.threads(own.number)]
    assert 0 <= proc.uptime() - own.started * TICK < 3600 * 24


def test_a_child_is_known_by_the_thread_that_started_it() -> None:
    # Java starts processes in the thread that asks for them, as Python does.
    started: list[subprocess.Popen[bytes]] = []
    done = threading.Event()

    def start() -> None:
        started.append(subprocess.Popen(["sleep", "60"]))
        done.wait(120)

    thread = threading.Thread(target=start)
    thread.start()
    while not started:
        time.sleep(0.01)
    assert thread.native_id is not None
    try:
        assert started[0].pid in Proc().children(os.getpid(), thread.native_id)
        assert started[0].pid not in Proc().children(os.getpid(), threading.get_native_id())
    finally:
        done.set()
        thread.join()
        started[0].kill()
        started[0].wait()


def test_what_threads_and_the_processes_they_started_used_is_reported_by_executor(
    tmp_path: Path,
) -> None:
    # Between two looks: thread of task 3 1.0 s, of task 5 0.5 s, the JVM 2.0 s; task 3's child
    # 0.2 s and that one's own child 0.1 s; a child that no executor's thread started 0.4 s.
    def state(i: int) -> dict[int, Stat]:
        fake.process(7, "java", cpu_ticks=int(i * 2.0 / TICK))
        fake.thread(7, 7, "java", cpu_ticks=int(i * 0.2 / TICK))
        fake.thread(7, 71, "Thread-12-count", cpu_ticks=int(i * 1.0 / TICK), children=[80])
        fake.thread(7, 72, "Thread-13-split", cpu_ticks=int(i * 0.5 / TICK))
        fake.thread(7, 73, "GC Thread#0", cpu_ticks=int(i * 0.3 / TICK), children=[82])
        fake.process(80, "bash", parent=7, cpu_ticks=int(i * 0.2 / TICK))
        fake.process(81, "python3", parent=80, cpu_ticks=int(i * 0.1 / TICK))
        fake.process(82, "other", parent=7, cpu_ticks=int(i * 0.4 / TICK))
        return proc.processes()

    fake, proc = FakeProc(tmp_path), Proc(tmp_path)
    looker = WorkerMeter(proc)
    tasks = {"w1": {3: "count", 5: "split"}}
    first = looker.read([WORKER], state(1), tasks, 1000)["w1"]
    assert (first.cpu, first.children_cpu, first.threads) == (None, None, ())
    assert first.total_cpu == pytest.approx(2.7)  # 2.0, 0.2, 0.1 and 0.4 s
    second = looker.read([WORKER], state(2), tasks, 1500)["w1"]
    assert second.cpu == pytest.approx(2.0)
    assert second.children_cpu == pytest.approx(0.7)
    assert second.total_cpu == pytest.approx(5.4)
    assert second.threads == (
        ThreadGroup((3,), 1, 1.0, 0.3),
        ThreadGroup((5,), 1, 0.5, 0.0),
    )
    assert second.memory == 4 * os.sysconf("SC_PAGE_SIZE")


def test_processes_that_seem_to_be_each_others_children_stop_nothing(tmp_path: Path) -> None:
    fake, proc = FakeProc(tmp_path), Proc(tmp_path)
    fake.process(7, "java", parent=8)
    fake.process(8, "java", parent=7)
    assert WorkerMeter(proc).read([WORKER], proc.processes(), {}, 1)["w1"].cpu is None


CGROUP_2 = "31 23 0:28 / {mount} rw - cgroup2 cgroup2 rw\n"
CGROUP_1 = (
    "31 23 0:28 / {mount}/cpu rw - cgroup cgroup rw,cpu\n"
    "32 23 0:29 / {mount}/cpuacct rw - cgroup cgroup rw,cpuacct\n"
    "33 23 0:30 / {mount}/memory rw - cgroup cgroup rw,memory\n"
)


def put(folder: Path, **files: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(text)


def test_version_2_the_tightest_limits_above_hold_for_all_that_share_them(tmp_path: Path) -> None:
    # As a slice of agent and supervisor has them: "b" is the agent's own group.
    put(
        tmp_path / "a",
        cpu__max="50000 100000",
        cpu__stat="usage_usec 2500000\nthrottled_usec 500000\n",
        memory__max="1000",
        memory__current="600",
    )
    put(
        tmp_path / "a" / "b",
        cpu__max="max 100000",
        cpu__stat="usage_usec 100000\nthrottled_usec 0\n",
        memory__max="max",
        memory__current="30",
    )
    group = ControlGroup(CGROUP_2.format(mount=tmp_path), "0::/a/b\n")
    assert group.use() == Use(0.5, 2.5, 0.5, 1000, 600)


def test_of_equal_quotas_the_one_that_most_share_counts(tmp_path: Path) -> None:
    for place, used in (("a", 2), ("a/b", 1)):
        put(tmp_path / place, cpu__max="50000 100000", cpu__stat=f"usage_usec {used}000000\n")
    group = ControlGroup(CGROUP_2.format(mount=tmp_path), "0::/a/b\n")
    assert group.use() == Use(0.5, 2.0)


def test_a_quota_that_another_group_has_now_is_counted_anew(tmp_path: Path) -> None:
    put(tmp_path / "cg" / "a", cpu__max="max 100000", cpu__stat="usage_usec 900000000\n")
    put(tmp_path / "cg" / "a" / "b", cpu__max="50000 100000", cpu__stat="usage_usec 1000000\n")
    group = ControlGroup(CGROUP_2.format(mount=tmp_path / "cg"), "0::/a/b\n")
    look, _, _ = machine(tmp_path, group)
    look.read({}, 1000)
    put(tmp_path / "cg" / "a", cpu__max="20000 100000", cpu__stat="usage_usec 901000000\n")
    assert look.read({}, 1500).busy == 0.0
    put(tmp_path / "cg" / "a", cpu__stat="usage_usec 902000000\n")
    assert look.read({}, 2000).busy == pytest.approx(1.0)


def test_version_1_is_read_as_well(tmp_path: Path) -> None:
    put(
        tmp_path / "cpu" / "a",
        cpu__cfs_quota_us="2000",
        cpu__cfs_period_us="4000",
        cpu__stat="nr_throttled 3\nthrottled_time 250000000\n",
    )
    put(tmp_path / "cpuacct" / "a", cpuacct__usage="1500000000")
    put(tmp_path / "cpuacct" / "a" / "b", cpuacct__usage="1")
    put(tmp_path / "memory", memory__limit_in_bytes=str(2**63 - 4096), memory__usage_in_bytes="9")
    own = "3:cpu:/a/b\n2:cpuacct:/a/b\n1:memory:/\n0::/\n"
    group = ControlGroup(CGROUP_1.format(mount=tmp_path), own)
    assert group.use() == Use(0.5, 1.5, 0.25, None, 9)


def test_without_a_quota_or_without_cgroups_there_is_no_limit(tmp_path: Path) -> None:
    put(tmp_path / "cpu", cpu__cfs_quota_us="-1", cpu__cfs_period_us="100000")
    assert ControlGroup(CGROUP_1.format(mount=tmp_path), "3:cpu:/\n").use() == Use()
    assert ControlGroup("", "").use() == Use()


STAT = "cpu  {} 0 0 1000 0 0 0 {} 0 0\ncpu0 1 1 1 1 1 1 1 1 1 1\n"
MEMINFO = "MemTotal:  1000 kB\nMemFree:  1 kB\nMemAvailable:  400 kB\n"


def machine(tmp_path: Path, group: ControlGroup) -> tuple[MachineMeter, FakeProc, Proc]:
    (tmp_path / "proc").mkdir()
    fake = FakeProc(tmp_path / "proc")
    fake.file("loadavg", "1.50 1.00 0.50 1/100 1\n")
    fake.file("meminfo", MEMINFO)
    fake.file("stat", STAT.format(100, 10))
    proc = Proc(fake.root)
    return MachineMeter(proc, group), fake, proc


def test_a_machine_without_a_quota_is_busy_with_all_that_runs_on_it(tmp_path: Path) -> None:
    look, fake, proc = machine(tmp_path, ControlGroup("", ""))
    assert look.read({}, 1000).busy == 0.0  # no look before
    fake.file("stat", STAT.format(350, 60))
    seen = look.read(proc.processes(), 1500)
    assert seen.busy == pytest.approx(250 * TICK)
    assert seen.stolen == pytest.approx(50 * TICK)
    assert (seen.load, seen.memory, seen.memory_free) == (1.5, 1000 * 1024, 400 * 1024)
    assert seen.cores == len(os.sched_getaffinity(0))


def test_a_host_with_a_quota_is_busy_with_its_own_processes_alone(tmp_path: Path) -> None:
    # Version 1 without cpuacct next to it: what the group's processes used is added up.
    put(
        tmp_path / "cg" / "cpu" / "h",
        cpu__cfs_quota_us="2000",
        cpu__cfs_period_us="4000",
        cpu__stat="throttled_time 0\n",
        cgroup__procs="7\n",
    )
    group = ControlGroup(CGROUP_1.format(mount=tmp_path / "cg"), "3:cpu:/h\n2:cpuacct:/\n")
    look, fake, proc = machine(tmp_path, group)
    fake.process(7, "java", cpu_ticks=100)
    fake.process(8, "outside", cpu_ticks=100)
    look.read(proc.processes(), 1000)
    fake.process(7, "java", cpu_ticks=150)
    fake.process(8, "outside", cpu_ticks=900)
    seen = look.read(proc.processes(), 1500)
    assert seen.quota == 0.5
    assert seen.busy == pytest.approx(50 * TICK)


def test_a_memory_limit_is_all_the_memory_there_is(tmp_path: Path) -> None:
    put(tmp_path / "cg" / "h", memory__max="409600", memory__current="102400")
    group = ControlGroup(CGROUP_2.format(mount=tmp_path / "cg"), "0::/h\n")
    look, _, _ = machine(tmp_path, group)
    seen = look.read({}, 1000)
    assert (seen.memory, seen.memory_free) == (409_600, 307_200)
