"""Addresses and usual ports of servers."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from eyewall_deploy.failure import Failure

LARGEST_PORT: Final = 65_535
_DIGITS: Final = re.compile(r"[0-9]{1,5}")
LOCALHOST: Final = "127.0.0.1"

NIMBUS_PORT: Final = 6627
UI_PORT: Final = 8080
SIDECAR_PORT: Final = 7077
DASHBOARD_PORT: Final = 8089
ZOOKEEPER_PORT: Final = 2181
REDIS_PORT: Final = 6379


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Host and port of a server."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"


def parse_endpoint(text: str, default_port: int) -> Endpoint | Failure:
    """Read `HOST` or `HOST:PORT`."""
    host, colon, port = text.rpartition(":")
    if not colon:
        host, port = text, str(default_port)
    if not host or not _DIGITS.fullmatch(port) or not 0 < int(port) <= LARGEST_PORT:
        return Failure(f"address {text!r}: expected HOST:PORT with a port of 1 to {LARGEST_PORT}")
    return Endpoint(host, int(port))
