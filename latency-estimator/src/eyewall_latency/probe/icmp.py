"""ICMP echo requests and replies (RFC 792), as bytes."""

import struct
from typing import NamedTuple

ECHO_REQUEST, ECHO_REPLY = 8, 0
HEADER = struct.Struct("!BBHHH")
MAGIC = b"eyewall!"
"""In the payload, with a nonce: other programs' echoes are not ours."""


class Echo(NamedTuple):
    """The identity of an echo."""

    identifier: int
    sequence: int
    nonce: bytes


def request(echo: Echo) -> bytes:
    """Return the packet that asks for an echo."""
    payload = MAGIC + echo.nonce
    bare = HEADER.pack(ECHO_REQUEST, 0, 0, echo.identifier, echo.sequence) + payload
    head = HEADER.pack(ECHO_REQUEST, 0, checksum(bare), echo.identifier, echo.sequence)
    return head + payload


def reply(packet: bytes, *, with_ip_header: bool) -> Echo | None:
    """Return which echo a packet answers; None if it answers no echo of ours, or is torn."""
    if with_ip_header:
        if not packet:
            return None
        packet = packet[(packet[0] & 0x0F) * 4 :]
    if len(packet) < HEADER.size + len(MAGIC):
        return None
    kind, code, _, identifier, sequence = HEADER.unpack_from(packet)
    payload = packet[HEADER.size :]
    if (kind, code) != (ECHO_REPLY, 0) or not payload.startswith(MAGIC):
        return None
    return Echo(identifier, sequence, payload[len(MAGIC) :])


def checksum(packet: bytes) -> int:
    """Return the Internet checksum (RFC 1071)."""
    if len(packet) % 2:
        packet += b"\0"
    total: int = sum(struct.unpack(f"!{len(packet) // 2}H", packet))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF
