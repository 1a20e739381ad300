from __future__ import annotations

from eyewall_monitor.agent.listener import LineBuffer
from hypothesis import given
from hypothesis import strategies as st


def test_a_line_that_comes_in_pieces_is_one_line() -> None:
    lines = LineBuffer()
    assert lines.cut(b"a 1") == []
    assert lines.torn
    assert lines.cut(b" 2\nb 3 4\r\nc") == [b"a 1 2", b"b 3 4"]


def test_a_line_of_a_megabyte_is_dropped_and_the_next_one_is_read() -> None:
    lines = LineBuffer(longest=100)
    got = [found for _ in range(1000) for found in lines.cut(b"x" * 1024)]
    assert got == []
    assert lines.cut(b"\na 1 2\n") == [b"a 1 2"]
    assert lines.too_long == 1


def test_a_line_as_long_as_allowed_is_taken_and_one_byte_more_is_not() -> None:
    lines = LineBuffer(longest=3)
    assert lines.cut(b"abc\nabcd\nab\n") == [b"abc", b"ab"]
    assert lines.too_long == 1


def test_a_connection_that_ends_with_a_line_is_not_torn() -> None:
    lines = LineBuffer()
    lines.cut(b"a 1 2\n")
    assert not lines.torn


@given(st.lists(st.binary(max_size=8).filter(lambda b: b"\n" not in b)), st.data())
def test_however_a_stream_is_cut_the_lines_are_the_same(
    sent: list[bytes], data: st.DataObject
) -> None:
    stream = b"".join(line + b"\n" for line in sent)
    lines = LineBuffer(longest=5)
    got: list[bytes] = []
    while stream:
        size = data.draw(st.integers(1, len(stream)))
        got += lines.cut(stream[:size])
        stream = stream[size:]
    assert got == [line.removesuffix(b"\r") for line in sent if len(line) <= 5]
    assert lines.too_long == sum(len(line) > 5 for line in sent)
    assert not lines.torn
