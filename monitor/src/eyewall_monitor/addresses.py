"""Where ZooKeeper and Redis are and what Eyewall's things are called there, as keys of a `Section`.

Also the addresses that are listened on, which have the same form.
"""

from __future__ import annotations

import ipaddress
import re
from typing import Annotated, Final

from eyewall_contracts.errors import ContractError
from eyewall_contracts.redis_prefix import require_prefix
from eyewall_contracts.redis_url import require_redis_url
from eyewall_contracts.znodes import Znodes
from pydantic import AfterValidator
from pydantic_core import PydanticCustomError

_LABEL: Final = "[A-Za-z0-9_-]{1,63}"
_HOST: Final = rf"{_LABEL}(?:\.{_LABEL})*\.?|\[[0-9A-Fa-f:.]+(?:%[A-Za-z0-9]+)?\]"
_ADDRESS: Final = re.compile(rf"({_HOST}):([0-9]{{1,5}})")
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
        require_redis_url(text)
    except ContractError as error:
        raise PydanticCustomError("url", "{why}", {"why": str(error)}) from None
    return text


def _root(text: str) -> str:
    try:
        return Znodes(text).root
    except ContractError as error:
        raise PydanticCustomError("root", "{why}", {"why": _what_is_allowed(error)}) from None


def _prefix(text: str) -> str:
    try:
        require_prefix(text)
    except ContractError as error:
        raise PydanticCustomError("prefix", "{why}", {"why": _what_is_allowed(error)}) from None
    return text


def _listen_address(text: str) -> str:
    if split_address(text) is None:
        raise PydanticCustomError(
            "address",
            "it must be HOST:PORT, with a name or address ([…] around IPv6) in ASCII and a port "
            "from 1 to 65535 (0: any that is free)",
        )
    return text


def _what_is_allowed(error: ValueError) -> str:
    """Leave off which value it was: the reader of the file names it with its key."""
    return str(error).rpartition(": ")[2]


Servers = Annotated[str, AfterValidator(_servers)]
"""ZooKeeper's: HOST:PORT, or several with commas between."""
RedisUrl = Annotated[str, AfterValidator(_redis_url)]
"""A key that has one belongs to its section's `secret`."""
Root = Annotated[str, AfterValidator(_root)]
"""The znode below which Eyewall's are."""
RedisPrefix = Annotated[str, AfterValidator(_prefix)]
"""What the keys of one Storm cluster begin with."""
ListenAddress = Annotated[str, AfterValidator(_listen_address)]
"""Where a server listens: HOST:PORT, port 0 for any that is free."""
