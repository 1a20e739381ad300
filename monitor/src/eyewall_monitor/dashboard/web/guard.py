"""Who may ask what: keeps other web pages from using a browser that can reach the dashboard.

- The Host header must be an address, localhost or a name that is allowed: a page that has its own
  name point here afterwards (DNS rebinding) sends its own name.
- What changes something must come from the dashboard's own pages, as Origin and Sec-Fetch-Site
  tell, and be JSON: a form of another site can send neither.
- Every answer says that pages load nothing from elsewhere and are shown in nobody's frame.
"""

from __future__ import annotations

import ipaddress
from http import HTTPStatus
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders

from eyewall_monitor.dashboard.web.problems import problem

if TYPE_CHECKING:
    from collections.abc import Collection

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

MOST_BYTES: Final = 64 * 1024
"""Of a request's body."""
HARMLESS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
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


class Guard:
    """Stands before the application.

    Parameters
    ----------
    allowed_hosts
        Names, besides addresses and localhost, that a Host header may have.
    read_only
        Whether everything that changes something is refused.
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

        headers = Headers(scope=scope)
        refused = self._refusal(scope["method"], headers)
        if refused is not None:
            status, why = refused
            await problem(status, why)(scope, receive, send_guarded)
            return
        await self._app(scope, _bounded(receive), send_guarded)

    def _refusal(self, method: str, headers: Headers) -> tuple[HTTPStatus, str] | None:
        host = headers.get("host", "")
        if not self._is_allowed(host):
            return HTTPStatus.FORBIDDEN, (
                f"host {host!r:.100}: browsers reach the dashboard by an address, localhost or a "
                "name in [access] allowed_hosts"
            )
        if method in HARMLESS:
            return None
        if self._read_only:
            return HTTPStatus.FORBIDDEN, "this dashboard is for looking only ([access] read_only)"
        site, origin = headers.get("sec-fetch-site"), headers.get("origin")
        if site is not None and site not in ("same-origin", "none"):
            return HTTPStatus.FORBIDDEN, "only the dashboard's own pages may change anything"
        if origin is not None and _host_of(origin) != host.lower():
            return HTTPStatus.FORBIDDEN, (
                f"origin {origin!r:.100}: only the dashboard's own pages may change anything"
            )
        if _has_body(headers):
            kind = headers.get("content-type", "").partition(";")[0].strip().lower()
            if kind != "application/json":
                return HTTPStatus.UNSUPPORTED_MEDIA_TYPE, (
                    f"content type {kind!r:.80}: it must be application/json"
                )
        length = headers.get("content-length", "0")
        if not length.isdigit() or int(length) > MOST_BYTES:
            return HTTPStatus.REQUEST_ENTITY_TOO_LARGE, (
                f"a body of {length[:20]} bytes: at most {MOST_BYTES} are taken"
            )
        return None

    def _is_allowed(self, host: str) -> bool:
        name = _name(host)
        if name in self._allowed or name == "localhost" or name.endswith(".localhost"):
            return True
        try:
            ipaddress.ip_address(name.removeprefix("[").removesuffix("]"))
        except ValueError:
            return False
        return True


def _name(host: str) -> str:
    """Return the host without its port."""
    if host.startswith("["):
        return host.partition("]")[0] + "]"
    return host.partition(":")[0].lower().rstrip(".")


def _host_of(origin: str) -> str | None:
    """Return the host of an origin, with its port; None: it is no origin."""
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:
        return None


def _has_body(headers: Headers) -> bool:
    return headers.get("content-length", "0") != "0" or "transfer-encoding" in headers


def _bounded(receive: Receive) -> Receive:
    """Take no more of a body than is allowed, however it comes: what is beyond ends it."""
    taken = 0

    async def received() -> Message:
        nonlocal taken
        message = await receive()
        taken += len(message.get("body", b""))
        if taken > MOST_BYTES:
            return {"type": "http.request", "body": b"", "more_body": False}
        return message

    return received
