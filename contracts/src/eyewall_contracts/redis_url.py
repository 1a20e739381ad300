"""The URL of a Redis server: what it may be, and how people may read it.

All of it is checked when a program reads its configuration: redis-py does so when it first
connects, and not with errors of Redis.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qsl, unquote, urlsplit

from eyewall_contracts.errors import ContractError

if TYPE_CHECKING:
    from collections.abc import Callable
    from urllib.parse import SplitResult

_ALLOWED: Final = (
    "it must be redis://HOST:PORT/DB, rediss://… or unix://…, with %2F for / and %40 for @ in a "
    "password"
)

_DATABASE: Final = re.compile(r"(?:/[0-9]*)?")
_DIGITS: Final = re.compile(r"[0-9]{1,9}")
_NOT_IN_HOSTS: Final = re.compile(r"[\x00-\x20\x7f]")
_LONGEST_SHOWN: Final = 40
_MOST_SECONDS: Final = 3600


@dataclass(frozen=True, slots=True)
class _Kind:
    """What the value of an option may be."""

    allows: Callable[[str], bool]
    allowed: str


def _is_seconds(value: str) -> bool:
    try:
        return 0 < float(value) <= _MOST_SECONDS
    except ValueError:
        return False


_TEXT: Final = _Kind(lambda value: "\0" not in value, "text")
_WHOLE: Final = _Kind(lambda value: bool(_DIGITS.fullmatch(value)), "a whole number")
_SECONDS: Final = _Kind(_is_seconds, f"seconds above 0, up to {_MOST_SECONDS}")
_FLAG: Final = _Kind(lambda value: value.lower() in ("true", "false"), "true or false")

_OPTIONS: Final = {
    "db": _WHOLE,
    "username": _TEXT,
    "password": _TEXT,
    "client_name": _TEXT,
    "protocol": _Kind(("2", "3").__contains__, "2 or 3"),
    "health_check_interval": _WHOLE,
    "socket_timeout": _SECONDS,
    "socket_connect_timeout": _SECONDS,
    "retry_on_timeout": _FLAG,
}
_OVER_TCP: Final = {"socket_keepalive": _FLAG}
_OVER_TLS: Final = {
    "ssl_ca_certs": _TEXT,
    "ssl_ca_path": _TEXT,
    "ssl_certfile": _TEXT,
    "ssl_keyfile": _TEXT,
    "ssl_password": _TEXT,
    "ssl_cert_reqs": _Kind(
        ("none", "optional", "required").__contains__, "none, optional or required"
    ),
    "ssl_check_hostname": _FLAG,
    "ssl_ciphers": _TEXT,
}
_SCHEMES: Final = {
    "redis": _OPTIONS | _OVER_TCP,
    "rediss": _OPTIONS | _OVER_TCP | _OVER_TLS,
    "unix": _OPTIONS,
}
"""Scheme → the options that make sense with it."""
_SECRET: Final = frozenset({"password", "ssl_password"})


def require_redis_url(text: str) -> None:
    """Raise ContractError unless this names a Redis server; the message shows no password."""
    parts = _split(text)
    if parts is None:
        raise ContractError(_ALLOWED)
    known = _SCHEMES[parts.scheme]
    for name, value in parse_qsl(parts.query, keep_blank_values=True):
        kind = known.get(name)
        if kind is None:
            raise ContractError(
                f"option {name[:_LONGEST_SHOWN]}; allowed are {', '.join(sorted(known))}"
            )
        if not kind.allows(value):
            shown = "" if name in _SECRET else f" is {value[:_LONGEST_SHOWN]!r}"
            raise ContractError(f"option {name}{shown}; it must be {kind.allowed}")


def server_of(url: str) -> str:
    """Return a Redis URL as people may read it: without account and options."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def _split(text: str) -> SplitResult | None:
    """Split a URL whose server can be looked for; None if it cannot."""
    try:
        parts = urlsplit(text)
        if parts.scheme not in _SCHEMES or parts.port == 0:
            return None
        # A password with a slash that is not written %2F would pass for a path, and be shown.
        if "@" in f"{parts.path}{parts.query}{parts.fragment}":
            return None
        if parts.scheme == "unix":
            return parts if parts.path and "\0" not in unquote(parts.path) else None
        host = unquote(parts.hostname or "")
        host.encode("idna")  # as the resolver does: not a..b
    except ValueError:
        return None
    good = host and _NOT_IN_HOSTS.search(host) is None and _DATABASE.fullmatch(parts.path)
    return parts if good else None
