import struct

import pytest
from eyewall_latency.probe.icmp import Echo, checksum, reply, request

ECHO = Echo(identifier=0x1234, sequence=7, nonce=b"01234567")


def answered(echo: Echo = ECHO) -> bytes:
    """The request as a peer sends it back: type 0."""
    return b"\0" + request(echo)[1:]


def test_a_request_is_an_echo_request_whose_checksum_holds() -> None:
    packet = request(ECHO)
    assert packet[:2] == b"\x08\x00"
    assert packet[4:8] == struct.pack("!HH", 0x1234, 7)
    assert checksum(packet) == 0


def test_the_checksum_is_that_of_rfc_1071() -> None:
    # Its example: 0001 f203 f4f5 f6f7 sum to ddf2; the checksum is the complement.
    assert checksum(bytes.fromhex("0001f203f4f5f6f7")) == 0xFFFF - 0xDDF2
    assert checksum(b"\x01") == 0xFFFF - 0x0100


def test_a_reply_names_its_echo_with_an_ip_header_and_without() -> None:
    assert reply(answered(), with_ip_header=False) == ECHO
    header = bytes([0x46]) + bytes(23)  # six words: 20 bytes and an option
    assert reply(header + answered(), with_ip_header=True) == ECHO


@pytest.mark.parametrize(
    "packet", [b"", b"\0", request(ECHO), b"\x03" + answered()[1:], answered()[:15], bytes(64)]
)
def test_torn_packets_and_those_of_others_are_no_reply(packet: bytes) -> None:
    assert reply(packet, with_ip_header=False) is None
    assert reply(packet, with_ip_header=True) is None
