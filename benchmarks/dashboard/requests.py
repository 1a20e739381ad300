"""Asks a dashboard over and over, in a process of its own, and tells how long each answer took.

    python -m benchmarks.dashboard.requests URL CLIENTS COUNT ENCODING TAG PATH

ENCODING is gzip or identity; TAG is `known` (the ETag of the answer before goes along) or `new`.
Prints the latencies in seconds and the bytes of each answer as JSON.
"""

from __future__ import annotations

import json
import socket
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from urllib.parse import urlsplit

LONGEST_SECONDS = 30.0
"""What takes so long altogether is asked no more."""


@dataclass
class Asked:
    """What one client saw."""

    seconds: list[float] = field(default_factory=list)
    bytes: list[int] = field(default_factory=list)
    """On the wire, headers included."""
    statuses: dict[int, int] = field(default_factory=dict)


class Connection:
    """HTTP/1.1 with as little beside the socket as possible, for it is what is timed."""

    def __init__(self, url: str) -> None:
        where = urlsplit(url)
        self.host = where.netloc
        self.socket = socket.create_connection((where.hostname or "", where.port or 80), timeout=60)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.waiting = b""

    def get(self, path: str, headers: str) -> tuple[int, str, int]:
        """Status, ETag and bytes of an answer."""
        self.socket.sendall(f"GET {path} HTTP/1.1\r\nHost: {self.host}\r\n{headers}\r\n".encode())
        while b"\r\n\r\n" not in self.waiting:
            self._more()
        head, _, rest = self.waiting.partition(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        named = dict(it.lower().split(": ", 1) for it in lines[1:])
        length = int(named.get("content-length", "0"))
        if "transfer-encoding" in named:
            raise SystemExit(f"{path}: an answer of unknown length")
        parts, size = [rest], len(rest)
        while size < length:
            self.waiting = b""
            self._more()
            parts.append(self.waiting)
            size += len(self.waiting)
        self.waiting = b"".join(parts)[length:] if size > length else b""
        return int(lines[0].split()[1]), named.get("etag", ""), len(head) + 4 + length

    def _more(self) -> None:
        data = self.socket.recv(1 << 18)
        if not data:
            raise SystemExit("the dashboard hung up")
        self.waiting += data


def ask(url: str, path: str, count: int, encoding: str, *, known: bool) -> Asked:
    """Ask up to `count` times, one after the other, once untimed before."""
    asked, connection = Asked(), Connection(url)
    always = f"Accept-Encoding: {encoding}\r\nAccept: application/json\r\n"
    _, tag, _ = connection.get(path, always)
    end = time.monotonic() + LONGEST_SECONDS
    for _ in range(count):
        if time.monotonic() > end:
            break
        headers = f"{always}If-None-Match: {tag}\r\n" if known and tag else always
        began = time.perf_counter()
        status, tag, size = connection.get(path, headers)
        asked.seconds.append(time.perf_counter() - began)
        asked.bytes.append(size)
        asked.statuses[status] = asked.statuses.get(status, 0) + 1
    return asked


def main() -> None:
    url, clients, count, encoding, tag, path = sys.argv[1:]
    each = int(count) // int(clients)
    with ThreadPoolExecutor(int(clients)) as pool:
        under_way = [
            pool.submit(ask, url, path, each, encoding, known=tag == "known")
            for _ in range(int(clients))
        ]
        found = [it.result() for it in under_way]
    statuses: dict[int, int] = {}
    for it in found:
        for status, times in it.statuses.items():
            statuses[status] = statuses.get(status, 0) + times
    seconds = [second for it in found for second in it.seconds]
    sizes = [size for it in found for size in it.bytes]
    print(json.dumps({"seconds": seconds, "bytes": sizes, "statuses": statuses}))


if __name__ == "__main__":
    main()
