"""Where a server is reached."""

from __future__ import annotations

from dataclasses import dataclass

from eyewall_deploy.failure import Failure

LARGEST_PORT = 65_535


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Host and port of a server."""

    host: str
    port: int

    def __str__(self) -> str:
        """`host:port`."""
        return f"{self.host}:{self.port}"


def parse_endpoint(text: str, default_port: int) -> Endpoint | Failure:
    """Read `host` or `host:port`."""
    host, colon, port = text.rpartition(":")
    if not colon:
        host, port = text, str(default_port)
    if not host or not port.isdigit() or not 0 < int(port) <= LARGEST_PORT:
        return Failure(f"address {text!r}: expected is HOST:PORT with a port of 1 to 65535")
    return Endpoint(host, int(port))
