"""Where ZooKeeper and Redis are and what Eyewall's things are called there, as keys of a `Section`.

Also the addresses that are listened on, which have the same form.
"""

from __future__ import annotations

import ipaddress
import re
from typing import Annotated, Final
from urllib.parse import urlsplit

from eyewall_contracts.errors import ContractError
from eyewall_contracts.metric_history import HistoryKeys
from eyewall_contracts.znodes import Znodes
from pydantic import AfterValidator
from pydantic_core import PydanticCustomError

_LABEL: Final = "[A-Za-z0-9_-]{1,63}"
_HOST: Final = rf"{_LABEL}(?:\.{_LABEL})*\.?|\[[0-9A-Fa-f:.]+(?:%[A-Za-z0-9]+)?\]"
_ADDRESS: Final = re.compile(rf"({_HOST}):([0-9]{{1,5}})")
_DATABASE: Final = re.compile(r"(?:/[0-9]*)?")
_REDIS_ALLOWED: Final = (
    "it must be redis://HOST:PORT/DB, rediss://… or unix://…, with %2F for / and %40 for @ in a "
    "password"
)
_LARGEST_PORT: Final = 65_535


class ListenError(OSError):
    """An address that cannot be listened on; says which and why."""


def split_address(text: str) -> tuple[str, int] | None:
    """Split HOST:PORT, with […] around an IPv6 address, which are taken off; None if it is none."""
    found = _ADDRESS.fullmatch(text)
    if found is None or int(found[2]) > _LARGEST_PORT:
        return None
    host = found[1].removeprefix("[").removesuffix("]")
    if host != found[1] and not _is_ipv6(host):
        return None
    return host, int(found[2])


def are_servers(text: str) -> bool:
    """Whether this is HOST:PORT, or several with commas between, none of them port 0."""
    addresses = [split_address(server) for server in text.split(",")]
    return all(address is not None and address[1] > 0 for address in addresses)


def _is_ipv6(host: str) -> bool:
    try:
        ipaddress.IPv6Address(host)
    except ValueError:
        return False
    return True


def _servers(text: str) -> str:
    if not are_servers(text):
        raise PydanticCustomError("servers", "it must be HOST:PORT, or several with commas between")
    return text


def _redis_url(text: str) -> str:
    try:
        parts = urlsplit(text)
        good = parts.scheme in ("redis", "rediss", "unix") and bool(parts.hostname or parts.path)
        good = good and (parts.port is None or parts.port > 0)
        # A password with a slash that is not written %2F would pass for a path, and be shown.
        good = good and "@" not in f"{parts.path}{parts.query}{parts.fragment}"
        good = good and (parts.scheme == "unix" or _DATABASE.fullmatch(parts.path) is not None)
    except ValueError:
        good = False
    if not good:
        raise PydanticCustomError("url", _REDIS_ALLOWED)
    return text


def _root(text: str) -> str:
    try:
        return Znodes(text).root
    except ContractError as error:
        raise PydanticCustomError("root", "{why}", {"why": what_is_allowed(error)}) from None


def _prefix(text: str) -> str:
    try:
        return HistoryKeys(text).prefix
    except ValueError as error:
        raise PydanticCustomError("prefix", "{why}", {"why": what_is_allowed(error)}) from None


def what_is_allowed(error: ValueError) -> str:
    """Leave off which value it was: the reader of the file names it with its key."""
    return str(error).rpartition(": ")[2]


Servers = Annotated[str, AfterValidator(_servers)]
"""ZooKeeper's: HOST:PORT, or several with commas between."""
RedisUrl = Annotated[str, AfterValidator(_redis_url)]
"""A key that has one belongs to its section's `secret`."""
Root = Annotated[str, AfterValidator(_root)]
"""The znode below which Eyewall's are."""
HistoryPrefix = Annotated[str, AfterValidator(_prefix)]
"""What the keys of the reports' history begin with."""
