"""The cost of a dead part of the loop, observed once a second.

A part is ended by SIGKILL, stays dead for some seconds, and is started again. The tables report
losses, how long each signal was not current, and the effect on the topology.
"""

from __future__ import annotations

import json
import subprocess
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import psutil
from eyewall_contracts.metric_history import HistoryKeys
from eyewall_deploy.lifecycle.down import cluster_processes
from eyewall_deploy.lifecycle.logs import log_files
from eyewall_deploy.measure.tuple_events import read_events
from eyewall_deploy.processes.control import Control
from redis import Redis
from redis.exceptions import RedisError

from benchmarks.loop.accuracy import EXECUTORS, NAME, options
from benchmarks.loop.cluster import DEPLOY, print_progress, start_cluster
from benchmarks.loop.tuple_flow import TimeWindow, longest_gap, never_acked
from benchmarks.loop.watcher import (
    SIGNALS,
    Watcher,
    current_signals,
    describe_losses,
    stale_span,
    texts,
    weakest,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from eyewall_deploy.storm.nimbus import RunningTopology

    from benchmarks.loop.cluster import RunningCluster

T = TypeVar("T")
RATE = 10.0
HOST = "edge-1"
"""The host whose agents are killed; the source runs there."""
CALM = 20.0
"""Seconds of observation before each fault."""
STEADY_LOOKS = 5
"""Consecutive observations with every signal current that count as recovery."""
PATIENCE = 150.0
FELT = 20.0
"""Seconds after which a signal without writer is no longer current."""
SETTLED = 30.0
"""Seconds within which an emitted tuple is acked or fails: three message timeouts."""
MUCH = 100
"""Logs with fewer new lines are not reported."""


@dataclass(frozen=True, slots=True)
class LoopPart:
    """The part to kill: a program, or only its children of one name."""

    name: str
    program: str
    child: str = ""


PARTS = {
    part.name: part
    for part in (
        LoopPart("Redis", "redis"),
        LoopPart("ZooKeeper", "zookeeper"),
        LoopPart("rates job", "rates"),
        LoopPart("Spark's JVM alone", "rates", "java"),
        LoopPart("monitor agent", f"monitor-{HOST}"),
        LoopPart("latency agent", f"latency-{HOST}"),
        LoopPart("sidecar", "sidecar"),
    )
}


@dataclass(frozen=True, slots=True)
class ProcessSnapshot:
    """The topology at one moment: its assignment, the processes that run it, and Nimbus's."""

    assignment: frozenset[tuple[str, str]]
    processes: frozenset[int]
    nimbus: int


@dataclass(frozen=True, slots=True)
class FaultResult:
    """The death and return of one part; times are seconds since the kill.

    Parameters
    ----------
    back
        Time at which the part was ready again.
    recovered
        Whether all signals became current again.
    stale
        For each signal the span in which it was not current; None if it always was.
    calm
        Share of the observations before the kill with every signal current.
    lost
        The losses that were counted.
    texts
        The topology's status texts, each with the time of its first appearance.
    weakest
        The stream with the least confidence in each observation.
    """

    part: str
    dead: float
    began: float
    back: float
    recovered: bool
    stale: Mapping[str, tuple[float, float] | None]
    calm: float
    lost: tuple[str, ...]
    assignment_kept: bool
    processes: int
    processes_kept: bool
    nimbus_kept: bool
    emitted: int
    failed: int
    never_acked: int
    gap: float
    log_lines: Mapping[str, int]
    texts: tuple[tuple[float, str], ...]
    weakest: Sequence[tuple[float, float, float, str]]


def measure_faults(folder: Path, names: Sequence[str], dead: float) -> list[FaultResult]:
    """Kill one part after the other while Tag-and-Count runs in the closed loop."""
    events = folder / "events"
    events.mkdir()
    found = []
    with start_cluster("three-sites", folder / "run") as it:
        # Network usage depends on rates: without them the sidecar has a reason to decline.
        it.submit(NAME, options(RATE, events) | {"eyewall.objective": "N=1"})
        watcher = Watcher(it, it.placed(NAME, EXECUTORS).id)
        watcher.start()
        try:
            for name in names:
                wait_until_steady(watcher)
                found.append(_fault(watcher, PARTS[name], dead, events))
                print_progress(f"{name}: seconds until all is current: {_when(found[-1])}")
                if not found[-1].recovered:
                    it.run("restart", PARTS[name].program)
        finally:
            watcher.stop()
    return found


def wait_until_steady(watcher: Watcher) -> None:
    """Wait until all signals are current and nothing has moved for a cool-down."""
    since, seconds = time.time(), CALM + 15.0

    def calm() -> bool | None:
        begin = max(since, time.time() - seconds)
        slots = {_slots(it.topology) for it in watcher.placed if it.at >= begin}
        enough = time.time() - since >= seconds
        now = enough and all(current_signals(watcher.seen[-1], _hosts(watcher)).values())
        return True if now and len(slots - {frozenset()}) == 1 else None

    print_progress("waiting until all is current and nothing moves")
    if poll(calm, 2 * PATIENCE) is None:
        print_progress(f"still not so after {2 * PATIENCE:g} s; continuing")


def _fault(watcher: Watcher, part: LoopPart, dead: float, events: Path) -> FaultResult:
    it, hosts = watcher.it, _hosts(watcher)
    before, history, logs = read_processes(it), read_entries(it), read_log_sizes(it)
    print_progress(f"{part.name} is killed")
    began = time.time()
    kill(it, part)
    if not part.child:
        time.sleep(max(0.0, began + dead - time.time()))
    down_for = time.time() - began
    it.run("start", part.program)
    back = time.time()

    def all_current() -> bool | None:
        last = [look for look in watcher.seen if look.at >= back + FELT][-STEADY_LOOKS:]
        good = len(last) == STEADY_LOOKS and all(
            all(current_signals(x, hosts).values()) for x in last
        )
        return True if good else None

    recovered = poll(all_current, PATIENCE)
    time.sleep(SETTLED)
    until = time.time()
    after, happened = read_processes(it), read_events(events)
    looks = [look for look in watcher.seen if look.at >= began]
    calm = [look for look in watcher.seen if began - CALM <= look.at < began]
    placed = [look for look in watcher.placed if look.at >= began]
    everywhere = {_slots(look.topology) for look in placed} - {frozenset()}
    window = TimeWindow(began, until - SETTLED)
    emitted = {message for message, at in happened.emitted.items() if at in window}
    return FaultResult(
        part=part.name,
        dead=down_for,
        began=began,
        back=back - began,
        recovered=recovered is not None,
        stale={name: stale_span(looks, name, hosts, began) for name in SIGNALS},
        calm=sum(all(current_signals(look, hosts).values()) for look in calm) / max(1, len(calm)),
        lost=describe_losses(calm, looks, history, read_entries(it)),
        assignment_kept=everywhere | {after.assignment} == {before.assignment},
        processes=len(before.processes),
        processes_kept=before.processes == after.processes,
        nimbus_kept=before.nimbus == after.nimbus,
        emitted=len(emitted),
        failed=sum(at in window for _, at in happened.failed),
        never_acked=len(emitted & never_acked(happened)),
        gap=longest_gap(happened, window).seconds,
        log_lines=log_lines(it, logs),
        texts=texts(placed, began),
        weakest=weakest(looks, began),
    )


def kill(it: RunningCluster, part: LoopPart) -> None:
    """End a part as a crash does; a whole program stays dead until it is started.

    The supervisor of programs would restart it within a second. So the program is frozen first,
    then the supervisor stops it: a frozen process does not react, but it is not restarted either.
    """
    program = psutil.Process(_pid(it, part.program))
    children = program.children(recursive=True)
    control = Control(it.deployment.run.socket)
    if part.child:
        own = control.state(part.program).pid
        for child in children:
            if child.name() == part.child:
                child.kill()
        # No other process learns of it: the program itself must notice.
        poll(lambda: True if control.state(part.program).pid not in (0, own) else None, 60)
        return
    program.suspend()
    asked = subprocess.Popen(
        [DEPLOY, "stop", "--run-dir", it.deployment.run.path, part.program],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    while control.state(part.program).state == "RUNNING" and asked.poll() is None:
        time.sleep(0.05)
    for process in (program, *children):
        with suppress(psutil.NoSuchProcess):
            process.kill()
    asked.wait()


def read_processes(it: RunningCluster) -> ProcessSnapshot:
    """Read the topology's assignment and processes, and Nimbus's."""
    processes = set()
    for process in cluster_processes(it.deployment.run):
        with suppress(psutil.Error):
            line = " ".join(process.cmdline())
            if "daemon.worker.Worker" in line or "streamparse_run" in line:
                processes.add(process.pid)
    return ProcessSnapshot(_slots(it.topology(NAME)), frozenset(processes), _pid(it, "nimbus"))


def _slots(topology: RunningTopology | None) -> frozenset[tuple[str, str]]:
    """Return the slot of each executor; empty without an answer of Nimbus."""
    slots = topology.slots.items() if topology is not None else ()
    return frozenset((str(executor), str(slot)) for executor, slot in slots)


def _hosts(watcher: Watcher) -> int:
    return len(watcher.it.deployment.cluster.hosts)


def read_entries(it: RunningCluster) -> dict[str, frozenset[bytes]]:
    """Return the ids of the reports in the history, by host."""
    state = it.deployment.state
    keys = HistoryKeys(it.deployment.redis_prefix)
    client: Any = Redis(state.redis.host, state.redis.port, socket_timeout=5.0)
    try:
        return {
            host.name: frozenset(entry for entry, _ in client.xrange(keys.stream(host.name)))
            for host in it.deployment.cluster.hosts
        }
    except RedisError:
        return {}
    finally:
        client.close()


def read_log_sizes(it: RunningCluster) -> dict[str, int]:
    """Return the bytes of each log."""
    files = log_files(it.deployment)
    return {name: file.stat().st_size for name, file in files.items() if file.exists()}


def log_lines(it: RunningCluster, before: Mapping[str, int]) -> dict[str, int]:
    """Return the number of new lines of each log that has any."""
    found = {}
    for name, file in log_files(it.deployment).items():
        if file.exists():
            with file.open("rb") as log:
                log.seek(min(before.get(name, 0), file.stat().st_size))
                found[name] = log.read().count(b"\n")
    return {name: count for name, count in found.items() if count}


def _pid(it: RunningCluster, program: str) -> int:
    programs = json.loads(it.run("status", "--json"))["programs"]
    return next(int(one["pid"]) for one in programs if one["name"] == program)


def poll(look: Callable[[], T | None], seconds: float) -> T | None:
    """Return the first result of `look` that is not None; None after `seconds`."""
    end = time.monotonic() + seconds
    while (found := look()) is None and time.monotonic() < end:
        time.sleep(1.0)
    return found


def _when(it: FaultResult) -> str:
    """Return the seconds from the kill until all signals stayed current."""
    if not it.recovered:
        return f"not within {PATIENCE:g} s"
    return f"{max((span[1] for span in it.stale.values() if span), default=0.0):.0f}"


def fault_tables(found: Sequence[FaultResult]) -> str:
    """Return the effect of each fault on the loop and on the topology."""
    lines = [
        "| killed | current before | dead, s | ready again, s | "
        + " | ".join(f"{name} not current, s" for name in SIGNALS)
        + " | all current from, s | lost |",
        "| --- " * (6 + len(SIGNALS)) + "|",
    ]
    for it in found:
        spans = " | ".join(_span(it.stale[name]) for name in SIGNALS)
        lines.append(
            f"| {it.part} | {it.calm:.0%} | {it.dead:.0f} | {it.back:.0f} | {spans} "
            f"| {_when(it)} | {'; '.join(it.lost) or 'nothing'} |"
        )
    lines += [
        "",
        "Seconds are since the kill; observations are a second apart. Processes are workers, their",
        "log writers and components; a gap is a time without a tuple at the consumer.",
        "",
        "| killed | assignment | processes | Nimbus | emitted | failed | never acked | gap, s |",
        "| --- " * 8 + "|",
    ]
    lines += [
        f"| {it.part} | {_kept(it.assignment_kept)} | {_kept(it.processes_kept)} ({it.processes}) "
        f"| {_kept(it.nimbus_kept)} | {it.emitted} | {it.failed} | {it.never_acked} "
        f"| {it.gap:.2f} |"
        for it in found
    ]
    lines.append("\nThe topology's status texts, and logs that grew by many lines:\n")
    for it in found:
        lines += [f"- {it.part}, {at:.0f} s: {text}" for at, text in it.texts]
        grown = {name: count for name, count in it.log_lines.items() if count >= MUCH}
        lines += [
            f"- {it.part}: {count} lines in the log of {name}" for name, count in grown.items()
        ]
    return "\n".join(lines)


def _span(span: tuple[float, float] | None) -> str:
    return "–" if span is None else f"{span[0]:.0f} to {span[1]:.0f}"


def _kept(kept: bool) -> str:
    return "the same" if kept else "**changed**"
