"""The composition root of `eyewall-monitor dashboard`: everything is put together here."""

from __future__ import annotations

import os
import socket
import time
from typing import TYPE_CHECKING, Any, Final

import uvicorn
from eyewall_contracts.znodes import Znodes

from eyewall_monitor.addresses import redis_server, split_address
from eyewall_monitor.dashboard.board import Board
from eyewall_monitor.dashboard.desk import Desk
from eyewall_monitor.dashboard.known import Known, RedisKnown, ZookeeperKnown
from eyewall_monitor.dashboard.metric_families import families
from eyewall_monitor.dashboard.readers.history_reader import HistoryReader
from eyewall_monitor.dashboard.readers.latency_reader import LatencyReader
from eyewall_monitor.dashboard.readers.sidecar_reader import SidecarReader
from eyewall_monitor.dashboard.readers.thread import RepeatingThread
from eyewall_monitor.dashboard.readers.zookeeper_reader import ZookeeperReader
from eyewall_monitor.dashboard.sidecar_client import SidecarClient
from eyewall_monitor.dashboard.totals import RunningTotals
from eyewall_monitor.dashboard.web.app import make_app
from eyewall_monitor.dashboard.web.events import Events
from eyewall_monitor.dashboard.web.guard import Guard
from eyewall_monitor.dashboard.web.head import Head

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from prometheus_client.metrics_core import Metric

    from eyewall_monitor.dashboard.config import Config

LOOK_SECONDS: Final = 0.5
"""Between two looks whether anything that is shown has changed."""
FIRST_SECONDS: Final = 3.0
"""That the sidecar has for its first answer before anybody else gets one: browsers that come back
to a dashboard which was restarted would otherwise be told that nothing is known yet."""
LAST_SECONDS: Final = 2
"""That answers under way have when the dashboard ends."""
BACKLOG: Final = 128


class ListenError(OSError):
    """An address that cannot be listened on; says which and why."""


class Dashboard:
    """All of it, but the server."""

    def __init__(self, config: Config) -> None:
        steady = time.monotonic
        self._client = SidecarClient(config.sidecar.address)
        self._sidecar = SidecarReader(self._client, steady)
        store, redis = config.zookeeper, config.redis
        self._zookeeper = (
            None if store.servers is None else ZookeeperReader(store.servers, Znodes(store.root))
        )
        self._totals = RunningTotals()
        self._latency: LatencyReader | None = None
        self._history: HistoryReader | None = None
        if redis.url is not None:
            self._latency = LatencyReader(redis.url, redis.prefix, self._pairs)
            self._history = HistoryReader(redis.url, redis.prefix, self._totals.take)
        self.events = Events()
        self._board = Board(self._read, steady)
        self._watch = RepeatingThread("what is shown", self._look, lambda _: None)
        desk = Desk(self._board, self._client, self._sidecar, self._zookeeper, self._watch.hurry)
        self.api = make_app(desk, self.events, self._collect)
        access = config.access
        self.app = Guard(Head(self.api), access.allowed_hosts, read_only=access.read_only)

    def start(self) -> None:
        """Begin to read; returns once the sidecar has answered, or after some seconds without."""
        for it in self._readers():
            it.start()
        self._sidecar.wait_for_first_look(FIRST_SECONDS)
        self._watch.start()
        self._watch.wait_for_first_look(FIRST_SECONDS)

    def close(self) -> None:
        """Read no more."""
        self._watch.close()
        for it in self._readers():
            it.close()
        self._client.close()

    def _readers(self) -> list[Any]:
        readers = (self._sidecar, self._zookeeper, self._latency, self._history)
        return [it for it in readers if it is not None]

    def _look(self) -> float:
        change = self._board.refresh()
        store = self._board.known.zookeeper
        self._totals.decided(store)
        if self._history is None:  # then the latest reports are all that there is
            for report in store.samples.values():
                self._totals.take(report)
        if change is not None:
            self.events.publish(change)
        return LOOK_SECONDS

    def _collect(self) -> Iterator[Metric]:
        return families(self._read(), self._totals.read(), self.events.pages)

    def _read(self) -> Known:
        redis = RedisKnown()
        if self._latency is not None and self._history is not None:
            history = self._history
            redis = self._latency.read(history.response_times, history.age, history.remarks)
        store = self._zookeeper
        return Known(
            now=time.time(),
            sidecar=self._sidecar.read(),
            zookeeper=ZookeeperKnown() if store is None else store.read(),
            redis=redis,
        )

    def _pairs(self) -> list[tuple[str, str]]:
        """The pairs of hosts whose links are shown."""
        status = self._sidecar.read().status
        links = status.delays.links if status is not None else ()
        return [(it.source, it.target) for it in links]


class Server(uvicorn.Server):
    """Says when it is ready, and ends the streams of events before it waits for answers to end."""

    def __init__(self, dashboard: Dashboard, ready: Callable[[], None]) -> None:
        config = uvicorn.Config(
            dashboard.app,
            log_config=None,
            access_log=False,
            server_header=False,
            ws="none",
            lifespan="on",
            timeout_graceful_shutdown=LAST_SECONDS,
        )
        super().__init__(config)
        self._dashboard = dashboard
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen."""
        await super().startup(sockets)
        if self.started:
            self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End."""
        self._dashboard.events.close()
        await super().shutdown(sockets)


def serve(config: Config, say: Callable[[str], None]) -> None:
    """Serve until SIGTERM or SIGINT; `say` gets one line when ready.

    ListenError if the address cannot be listened on; a store or a sidecar that is away keeps
    nothing from starting.
    """
    listening = listen(config.listen)
    host, port = listening.getsockname()[:2]
    where = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
    dashboard = Dashboard(config)
    dashboard.start()
    try:
        server = Server(
            dashboard, lambda: say(f"eyewall dashboard ready on {where} ({_sources(config)})")
        )
        server.run([listening])
    finally:
        dashboard.close()


def listen(address: str) -> socket.socket:
    """Listen on HOST:PORT; ListenError says why not."""
    host, port = split_address(address) or ("", 0)
    try:
        family, _, _, _, where = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listening = socket.create_server(where[:2], family=family, backlog=BACKLOG)
    except OSError as error:
        known = error.errno is not None and error.errno > 0
        reason = os.strerror(error.errno) if known and error.errno else error.strerror or str(error)
        raise ListenError(f"cannot listen on {address}: {reason}") from None
    # asyncio does so for sockets of its own making only, and every small answer would wait 40 ms:
    # its body for the acknowledgement of its head, which the other side delays.
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listening


def _sources(config: Config) -> str:
    store, redis = config.zookeeper.servers, config.redis.url
    parts = [
        f"sidecar {config.sidecar.address}",
        f"ZooKeeper {store}" if store is not None else "no ZooKeeper",
        f"Redis {redis_server(redis)}" if redis is not None else "no Redis",
    ]
    return ", ".join(parts)
