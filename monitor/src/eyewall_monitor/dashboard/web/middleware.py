"""Protection against other web sites, and HEAD requests.

A browser that can reach the dashboard may be used by a malicious page:

- The Host header must be an address, localhost or an allowed name. A page whose own name is made to
  point here (DNS rebinding) sends that name.
- A request that changes something must come from the dashboard's own pages, by Origin and
  Sec-Fetch-Site, and be JSON: a form of another site can send neither.
- Every response forbids loading anything from elsewhere, and being framed.
"""

from __future__ import annotations

import ipaddress
from http import HTTPStatus
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders

from eyewall_monitor.dashboard.web.responses import problem

if TYPE_CHECKING:
    from collections.abc import Collection

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

MOST_BYTES: Final = 64 * 1024
"""Of a request's body."""
SAFE_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
HEADERS: Final = {
    "Content-Security-Policy": (
        "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; "
        "form-action 'self'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class Head:
    """Answers HEAD as GET without the body, so that the application needs GET alone."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer."""
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await self._app(scope, receive, send)
            return

        async def send_head(message: Message) -> None:
            if message["type"] == "http.response.start":
                await send(message)
                # At once: a body such as that of the events does not end.
                await send({"type": "http.response.body", "body": b"", "more_body": False})

        await self._app({**scope, "method": "GET"}, receive, send_head)


class Guard:
    """Refuses requests of other sites, and sets headers of every response.

    Parameters
    ----------
    allowed_hosts
        Names that a Host header may have in addition to addresses and localhost.
    read_only
        Whether every request that changes something is refused.
    """

    def __init__(self, app: ASGIApp, allowed_hosts: Collection[str], *, read_only: bool) -> None:
        self._app = app
        self._allowed = frozenset(it.lower().rstrip(".") for it in allowed_hosts)
        self._read_only = read_only

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or refuse."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        refusal = self._refusal(scope["method"], Headers(scope=scope))
        if refusal is not None:
            await problem(*refusal)(scope, receive, send_guarded)
            return
        await self._app(scope, _limit(receive), send_guarded)

    def _refusal(self, method: str, headers: Headers) -> tuple[HTTPStatus, str] | None:
        host = headers.get("host", "")
        if not self._is_allowed(host):
            return HTTPStatus.FORBIDDEN, (
                f"host {host!r:.100}: the dashboard is reached by an address, localhost or a name "
                "in [access] allowed_hosts"
            )
        if method in SAFE_METHODS:
            return None
        if self._read_only:
            return HTTPStatus.FORBIDDEN, "this dashboard is read-only ([access] read_only)"
        site, origin = headers.get("sec-fetch-site"), headers.get("origin")
        if site is not None and site not in ("same-origin", "none"):
            return HTTPStatus.FORBIDDEN, "only the dashboard's own pages may change anything"
        if origin is not None and _host_of(origin) != host.lower():
            return HTTPStatus.FORBIDDEN, (
                f"origin {origin!r:.100}: only the dashboard's own pages may change anything"
            )
        if headers.get("content-length", "0") != "0" or "transfer-encoding" in headers:
            media_type = headers.get("content-type", "").partition(";")[0].strip().lower()
            if media_type != "application/json":
                return HTTPStatus.UNSUPPORTED_MEDIA_TYPE, (
                    f"content type {media_type!r:.80}: it must be application/json"
                )
        length = headers.get("content-length", "0")
        if not length.isdigit() or int(length) > MOST_BYTES:
            return HTTPStatus.REQUEST_ENTITY_TOO_LARGE, (
                f"a body of {length[:20]} bytes: the maximum is {MOST_BYTES}"
            )
        return None

    def _is_allowed(self, host: str) -> bool:
        name = _without_port(host)
        if name in self._allowed or name == "localhost" or name.endswith(".localhost"):
            return True
        try:
            ipaddress.ip_address(name.removeprefix("[").removesuffix("]"))
        except ValueError:
            return False
        return True


def _without_port(host: str) -> str:
    if host.startswith("["):
        return host.partition("]")[0] + "]"
    return host.partition(":")[0].lower().rstrip(".")


def _host_of(origin: str) -> str | None:
    """Return the host of an origin, with its port; None if it is malformed."""
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:
        return None


def _limit(receive: Receive) -> Receive:
    """End a body that exceeds the limit, however it is sent."""
    received = 0

    async def receive_limited() -> Message:
        nonlocal received
        message = await receive()
        received += len(message.get("body", b""))
        if received > MOST_BYTES:
            return {"type": "http.request", "body": b"", "more_body": False}
        return message

    return receive_limited
