"""The composition root of `eyewall-monitor agent`: everything is put together here."""

from __future__ import annotations

import logging
import os
import secrets
import signal
import socket
import time
from collections import Counter
from typing import TYPE_CHECKING, Final

from eyewall_contracts.metric_history import HistoryKeys
from eyewall_contracts.redis_url import server_of
from eyewall_contracts.stores.redis_client import connect
from eyewall_contracts.znodes import Znodes

from eyewall_monitor.agent.cgroup import ControlGroup
from eyewall_monitor.agent.config import listen_address
from eyewall_monitor.agent.delivery import Delivery
from eyewall_monitor.agent.history_writer import ANSWER_SECONDS, HistoryWriter
from eyewall_monitor.agent.listener import Listener
from eyewall_monitor.agent.procfs import Proc
from eyewall_monitor.agent.sample_writer import SampleWriter
from eyewall_monitor.agent.tally import Instant
from eyewall_monitor.agent.watch import Watch
from eyewall_monitor.agent.workers import WorkerSearch

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

    from eyewall_monitor.agent.config import AgentConfig

LOG: Final = logging.getLogger("eyewall.monitor")

_LATEST_ONLY: Final = 1
_PAUSE: Final = 1.0
"""Seconds between two attempts at a store that is away."""
_STOP_SECONDS: Final = 1.0
_LEAST_INTERVAL: Final = 1.0
"""Seconds between two reports, however many workers report."""


def serve(config: AgentConfig, say: Callable[[str], None]) -> None:
    """Report until SIGTERM or SIGINT; `say` gets one line when ready.

    ListenError if the address cannot be listened on; a store that is away keeps nothing from
    starting.
    """
    proc = Proc()
    own = os.getpid()
    group = ControlGroup(proc.text("self/mountinfo"), proc.text("self/cgroup"))
    search = WorkerSearch(proc, own, config.storm.local_dir)
    watch = Watch(config.host, secrets.token_hex(4), proc, group, search, _now())
    form: Counter[str] = Counter()
    host, port = listen_address(config)
    listener = Listener(host, port, lambda lines: watch.take(lines, _now()), form, time.monotonic)
    stopped, waker = socket.socketpair()
    _stop_on_signals(waker)
    listener.wake_on(stopped)
    znode = Znodes(config.zookeeper.root).sample(config.host)
    samples = SampleWriter(config.zookeeper.servers, znode, time.monotonic)
    deliveries = {
        "ZooKeeper": Delivery("ZooKeeper", samples.send, _LATEST_ONLY, _PAUSE),
        "Redis": Delivery("Redis", _history(config).send, config.redis.backlog, _PAUSE),
    }
    for delivery in deliveries.values():
        delivery.start()
    say(f"eyewall monitor ready on {host}:{listener.port} ({_stores(config)})")
    try:
        _report(watch, listener, form, deliveries, config.report_seconds, stopped)
    finally:
        listener.close()
        for delivery in deliveries.values():
            delivery.stop(_STOP_SECONDS)
        samples.close()


def _report(
    watch: Watch,
    listener: Listener,
    form: Counter[str],
    deliveries: dict[str, Delivery],
    interval: float,
    stopped: socket.socket,
) -> None:
    """Take lines and make reports until `stopped` can be read."""
    stopped.settimeout(0)
    last = time.monotonic()
    while not _readable(stopped):
        listener.poll(report_due(last, interval, watch.complete_at()) - time.monotonic())
        if time.monotonic() < report_due(last, interval, watch.complete_at()):
            continue
        last = time.monotonic()
        dropped = {f"dropped: reports to {name}": d.dropped for name, d in deliveries.items()}
        report = watch.report(_now(), form + Counter(dropped))
        for delivery in deliveries.values():
            delivery.put(report)


def report_due(last: float, interval: float, complete_at: float | None) -> float:
    """When the next report is made, by the steady clock.

    As soon as a worker's counter report is complete, since readers wait for it; otherwise after
    `interval`. A report that would just miss the end of a counter report waits for it.

    Parameters
    ----------
    last
        When the last report was made.
    interval
        Seconds between two reports while no worker reports.
    complete_at
        When a worker's counter report is complete; None: there is none.
    """
    if complete_at is None:
        return last + interval
    soon = max(complete_at, last + min(interval, _LEAST_INTERVAL))
    return min(soon, last + interval + _LEAST_INTERVAL)


def _readable(stopped: socket.socket) -> bool:
    try:
        return bool(stopped.recv(1))
    except BlockingIOError:
        return False


def _stop_on_signals(waker: socket.socket) -> None:
    def stop(number: int, _frame: FrameType | None) -> None:
        LOG.info("stopping on %s", signal.Signals(number).name)
        waker.send(b"x")

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)


def _now() -> Instant:
    return Instant(time.time(), time.monotonic())


def _history(config: AgentConfig) -> HistoryWriter:
    it = config.redis
    return HistoryWriter(
        connect(it.url, ANSWER_SECONDS),
        HistoryKeys(it.prefix),
        config.host,
        it.keep_hours * 3600,
        it.most_entries,
        time.time,
    )


def _stores(config: AgentConfig) -> str:
    redis = server_of(config.redis.url)
    return f"host {config.host}, ZooKeeper {config.zookeeper.servers}, Redis {redis}"
