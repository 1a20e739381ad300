"""Sends probes and waits for their echoes, all in one thread.

A probe answers with a round-trip time in seconds, or not at all: loss, refusal of the network and a
packet of somebody else's are all just no answer.
"""

import errno
import os
import selectors
import socket
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from eyewall_latency.probe import icmp

Method = Literal["icmp", "tcp"]
LOST_BEFORE_TCP = 3
"""Echoes of one host in a row after which its network is taken to drop ICMP."""
IN_PROGRESS = {0, errno.EINPROGRESS}


@dataclass(frozen=True, slots=True)
class Target:
    """Where a host may be probed."""

    address: str
    port: int


class Prober:
    """Probes hosts at once, each by ICMP or, where that is not possible, by a TCP handshake."""

    def __init__(
        self, icmp_socket: socket.socket | None, clock: Callable[[], float] = time.perf_counter
    ) -> None:
        """Use the ICMP socket, if there is one; `clock` returns seconds."""
        self._icmp = icmp_socket
        self._raw = icmp_socket is not None and icmp_socket.type == socket.SOCK_RAW
        self._identifier = os.getpid() & 0xFFFF
        self._sequence = 0
        self._clock = clock
        self._lost: dict[str, int] = {}

    @property
    def method(self) -> Method:
        """What is tried first."""
        return "tcp" if self._icmp is None else "icmp"

    def probe(self, targets: Sequence[Target], timeout: float) -> dict[Target, float]:
        """Return the round-trip time of each target that answers within `timeout` seconds."""
        by_icmp = [target for target in targets if self._answers_icmp(target)]
        by_tcp = [target for target in targets if target not in by_icmp]
        with selectors.DefaultSelector() as selector:
            waiting = _Waiting(selector, self._clock)
            for target in by_icmp:
                self._send_echo(target, waiting)
            for target in by_tcp:
                waiting.connect(target)
            if self._icmp is not None and waiting.echoes:
                selector.register(self._icmp, selectors.EVENT_READ)
            waiting.until(self._clock() + timeout, self._icmp, raw=self._raw)
            waiting.close()
        for target in by_icmp:
            answered = target in waiting.rtts
            self._lost[target.address] = 0 if answered else self._lost.get(target.address, 0) + 1
        return waiting.rtts

    def forget(self, addresses: set[str]) -> None:
        """Keep only what is known of these addresses."""
        self._lost = {it: lost for it, lost in self._lost.items() if it in addresses}

    def close(self) -> None:
        """Give the socket back."""
        if self._icmp is not None:
            self._icmp.close()

    def _answers_icmp(self, target: Target) -> bool:
        return (
            self._icmp is not None
            and ":" not in target.address
            and self._lost.get(target.address, 0) < LOST_BEFORE_TCP
        )

    def _send_echo(self, target: Target, waiting: "_Waiting") -> None:
        assert self._icmp is not None  # noqa: S101
        self._sequence = (self._sequence + 1) & 0xFFFF
        nonce = os.urandom(8)
        packet = icmp.request(icmp.Echo(self._identifier, self._sequence, nonce))
        sent = self._clock()
        try:
            self._icmp.sendto(packet, (target.address, 0))
        except OSError:
            return
        waiting.echoes[nonce] = (target, sent)


class _Waiting:
    """The probes that are under way."""

    def __init__(self, selector: selectors.BaseSelector, clock: Callable[[], float]) -> None:
        self._selector = selector
        self._clock = clock
        self._handshakes: dict[socket.socket, tuple[Target, float]] = {}
        self.echoes: dict[bytes, tuple[Target, float]] = {}
        self.rtts: dict[Target, float] = {}

    def connect(self, target: Target) -> None:
        """Begin a handshake; a port that refuses has answered, too."""
        family = socket.AF_INET6 if ":" in target.address else socket.AF_INET
        try:
            handshake = socket.socket(family, socket.SOCK_STREAM)
        except OSError:
            return
        handshake.settimeout(0)
        sent = self._clock()
        try:
            begun = handshake.connect_ex((target.address, target.port))
        except OSError:
            begun = -1
        if begun == errno.ECONNREFUSED:
            self.rtts[target] = self._clock() - sent
        if begun not in IN_PROGRESS:
            handshake.close()
            return
        self._handshakes[handshake] = (target, sent)
        self._selector.register(handshake, selectors.EVENT_WRITE)

    def until(self, deadline: float, icmp_socket: socket.socket | None, *, raw: bool) -> None:
        """Take answers until all are there or the time is over."""
        while self.echoes or self._handshakes:
            left = deadline - self._clock()
            if left <= 0:
                return
            ready = self._selector.select(left)
            now = self._clock()
            for key, _ in ready:
                if key.fileobj is icmp_socket:
                    self._take_echo(icmp_socket, now, raw=raw)
                else:
                    self._take_handshake(key.fileobj, now)  # type: ignore[arg-type]

    def close(self) -> None:
        """Give up what has not answered."""
        for handshake in self._handshakes:
            handshake.close()

    def _take_echo(self, icmp_socket: socket.socket, now: float, *, raw: bool) -> None:
        try:
            packet, sender = icmp_socket.recvfrom(2048)
        except OSError:
            return
        echo = icmp.reply(packet, with_ip_header=raw)
        expected = self.echoes.get(echo.nonce) if echo is not None else None
        if echo is None or expected is None or expected[0].address != sender[0]:
            return
        target, sent = self.echoes.pop(echo.nonce)
        self.rtts[target] = max(0.0, now - sent)

    def _take_handshake(self, handshake: socket.socket, now: float) -> None:
        self._selector.unregister(handshake)
        target, sent = self._handshakes.pop(handshake)
        outcome = handshake.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
        handshake.close()
        if outcome in (0, errno.ECONNREFUSED):
            self.rtts[target] = max(0.0, now - sent)


def open_prober(method: Literal["auto", "icmp", "tcp"]) -> Prober:
    """Return a prober; OSError if ICMP is demanded and the kernel allows none."""
    if method == "tcp":
        return Prober(None)
    refused: OSError | None = None
    for kind in (socket.SOCK_DGRAM, socket.SOCK_RAW):  # a ping socket needs no privilege
        try:
            opened = socket.socket(socket.AF_INET, kind, socket.IPPROTO_ICMP)
        except OSError as error:
            refused = error
            continue
        opened.settimeout(0)
        return Prober(opened)
    if method == "icmp" and refused is not None:
        raise refused
    return Prober(None)
