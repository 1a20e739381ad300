"""The dashboard's pages over recorded views: requests, answers, and the loss of the server."""

from __future__ import annotations

import hashlib
import json
import re
import threading
import time
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from queue import Empty, Queue
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, unquote, urlsplit

import recorded_decisions as decided
import recorded_forecasts as forecasted
import recorded_health
import recorded_provisions as provisioned
import recorded_views as recorded
from eyewall_monitor.dashboard.view_cache import ViewChange
from eyewall_monitor.dashboard.views.metrics import term_views
from eyewall_monitor.dashboard.views.provision import ProvisionRequest
from eyewall_monitor.dashboard.views.switches import Frozen
from eyewall_monitor.dashboard.web.pages import PATHS
from eyewall_monitor.dashboard.web.responses import Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

STATIC = files("eyewall_monitor.dashboard") / "static"
POLICY = "default-src 'self'"
HEARTBEAT = 1.0
TYPES = {
    "html": "text/html; charset=utf-8",
    "js": "text/javascript",
    "css": "text/css",
    "svg": "image/svg+xml",
}
PAGES = re.compile("|".join(re.sub(r"\{\w+\}", "[^/]+", path) for path in PATHS))


class PageServer(ThreadingHTTPServer):
    """Serves pages and views on a free port of 127.0.0.1 while it is entered.

    Attributes
    ----------
    away
        While set, connections are dropped without an answer, those of the events too.
    mute
        While set, the connection of the events stays, and nothing is heard on it.
    sent
        What was PUT and POSTed: path and body.
    """

    daemon_threads = True
    allow_reuse_address = True

    def __init__(
        self, views: Mapping[str, Callable[..., Any]] | None = None, port: int = 0
    ) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.views = {**VIEWS, **(views or {})}
        self.away = threading.Event()
        self.mute = threading.Event()
        self.sent: list[tuple[str, Any]] = []
        self.listeners: list[Queue[bytes]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def announce(self, *changed: str) -> None:
        """Say to all pages what to fetch again."""
        change = ViewChange(revision=42, changed=changed).model_dump_json()
        for listener in self.listeners:
            listener.put(f"event: change\r\ndata: {change}\r\n\r\n".encode())

    def answer(self, path: str, query: dict[str, list[str]]) -> Any:
        """Return the view of a path below /api/v1, or a Problem."""
        for pattern, view in self.views.items():
            if found := re.fullmatch(pattern, path):
                return view(
                    *map(unquote, found.groups()),
                    **{name: given[0] for name, given in query.items()},
                )
        return _unknown(path)

    def __enter__(self) -> PageServer:
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.away.set()
        self.shutdown()
        self.server_close()


class _Handler(BaseHTTPRequestHandler):
    server: PageServer
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        if self.server.away.is_set():
            self.close_connection = True
            return
        asked = urlsplit(self.path)
        if asked.path == "/api/v1/events":
            self._events()
        elif asked.path.startswith("/api/v1"):
            self._view(
                self.server.answer(asked.path.removeprefix("/api/v1"), parse_qs(asked.query))
            )
        elif asked.path.startswith("/static/"):
            self._file(asked.path.removeprefix("/static/"))
        elif PAGES.fullmatch(asked.path):
            self._file("index.html")
        else:
            self._send(HTTPStatus.NOT_FOUND, b"", "text/plain")

    def _body(self) -> None:
        path = urlsplit(self.path).path.removeprefix("/api/v1")
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.sent.append((path, body))
        if path.endswith("/frozen") or path == "/frozen":
            Frozen.model_validate(body)
            self._view(recorded.SWITCHES)
        elif path.endswith("/provision"):
            ProvisionRequest.model_validate({"method": "", "seed": None, **body})
            self._view(self.server.answer("/provision", {}))
        elif path == "/plans":
            self._view(self.server.answer(f"/plans/{decided.PLAN}", {}), HTTPStatus.CREATED)
        else:
            self._view(decided.plan("queued"))

    do_PUT = do_POST = _body  # noqa: N815 - the server's names

    def _view(self, view: Any, status: HTTPStatus = HTTPStatus.OK) -> None:
        if isinstance(view, Problem):
            self._send(
                HTTPStatus(view.status), view.model_dump_json().encode(), "application/problem+json"
            )
            return
        content = json.dumps(_plain(view)).encode()
        tag = f'"{hashlib.sha256(content).hexdigest()[:16]}"'
        if self.headers.get("If-None-Match") == tag:
            self._send(HTTPStatus.NOT_MODIFIED, b"", "application/json", ETag=tag)
        else:
            self._send(status, content, "application/json", ETag=tag)

    def _file(self, name: str) -> None:
        found = STATIC.joinpath(*name.split("/"))
        if not found.is_file():
            self._send(HTTPStatus.NOT_FOUND, b"", "text/plain")
            return
        self._send(
            HTTPStatus.OK, found.read_bytes(), TYPES.get(name.rsplit(".", 1)[-1], "text/plain")
        )

    def _send(self, status: HTTPStatus, content: bytes, kind: str, **more: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Content-Security-Policy", POLICY)
        for name, value in more.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def _events(self) -> None:
        self.close_connection = True
        if self.server.mute.is_set():  # nothing is heard of it, headers neither
            self.server.away.wait(120)
            return
        mine: Queue[bytes] = Queue()
        self.server.listeners.append(mine)
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        try:
            for said in self._said(mine):
                self.wfile.write(said)
                self.wfile.flush()
        except OSError:
            pass  # the browser went
        finally:
            self.server.listeners.remove(mine)

    def _said(self, mine: Queue[bytes]) -> Iterator[bytes]:
        yield b": here\r\n\r\n"
        heard = time.monotonic()
        while not self.server.away.is_set():
            try:
                said = mine.get(timeout=0.05)
            except Empty:
                if time.monotonic() < heard + HEARTBEAT:
                    continue
                said = b": still here\r\n\r\n"
            heard = time.monotonic()
            if not self.server.mute.is_set():
                yield said

    def log_message(self, *_: object) -> None:
        """Say nothing: tests have enough to read."""


def _plain(view: Any) -> Any:
    if isinstance(view, tuple):
        return [_plain(it) for it in view]
    return view.model_dump(mode="json")


def _unknown(what: str, *nearest: str) -> Problem:
    return Problem(title="Not found", status=404, detail=f"There is no {what}.", nearest=nearest)


def _topology(name: str) -> str | None:
    for id_ in (recorded.WORD_COUNT, recorded.TAG_AND_COUNT):
        if name in (id_, id_.rsplit("-", 2)[0]):
            return id_
    return None


def _of_topology(view: Callable[..., Any], *queried: str) -> Callable[..., Any]:
    def answer(name: str, **query: str) -> Any:
        id_ = _topology(name)
        given = {it: query[it] for it in queried if it in query}
        return view(id_, **given) if id_ else _unknown(f"topology {name}", "word_count")

    return answer


def _explain(name: str, executor: str = "", host: str = "") -> Any:
    id_ = _topology(name)
    if id_ is None or (host and host not in recorded.HOSTS):
        return _unknown(f"host {host}", "edge-1")
    return decided.explanation(id_, executor)


VIEWS: Mapping[str, Callable[..., Any]] = {
    "/cluster": recorded.cluster,
    "/topologies": lambda: recorded.cluster().topologies,
    "/topologies/([^/]+)": _of_topology(recorded.topology),
    "/topologies/([^/]+)/response-time": _of_topology(forecasted.response_time),
    "/topologies/([^/]+)/throughput": _of_topology(forecasted.throughput),
    "/topologies/([^/]+)/forecast": _of_topology(forecasted.forecast, "rate", "off", "policy"),
    "/topologies/([^/]+)/explain": _explain,
    "/decisions": lambda **_: decided.decisions(),
    "/decisions/([^/]+)": decided.decision,
    "/policies": decided.policies,
    "/terms": term_views,
    "/catalogues": provisioned.catalogues,
    # The answer to a POST of /topologies/ID/provision.
    "/provision": provisioned.bought,
    "/plans": lambda: (
        decided.summary(decided.plan()),
        decided.summary(decided.plan("stale", "edge-1 is gone since", "plan-2b")),
    ),
    "/plans/([^/]+)": lambda id_: (
        decided.plan() if id_ == decided.PLAN else _unknown(f"plan {id_}, or not any more")
    ),
    "/health": recorded_health.health,
}
