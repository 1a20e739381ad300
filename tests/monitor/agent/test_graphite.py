from __future__ import annotations

import string

import pytest
from eyewall_monitor.agent.graphite import UNUSED, Measurement, Metric, Refusal, Unused, parse
from graphite_lines import line
from hypothesis import example, given
from hypothesis import strategies as st

WC = "word_count-1-1700000000"


def test_a_count_of_executed_tuples_says_from_which_component_and_stream() -> None:
    read = parse(
        b"storm.worker.word_count-1-1700000000.edge-1.count.default.3.6700"
        b"-__execute-count-split:default.count 1000 1700000005"
    )
    assert read == Measurement(
        WC, 6700, "count", 3, Metric.EXECUTED, "split", "default", 1000, 1_700_000_005
    )


def test_what_a_task_emits_has_no_source() -> None:
    read = parse(
        b"storm.worker.word_count-1-1700000000.edge-1.split.words.2.6700"
        b"-__emit-count-words.count 40 1700000005"
    )
    assert read == Measurement(
        WC, 6700, "split", 2, Metric.EMITTED, None, "words", 40, 1_700_000_005
    )


def test_acks_of_a_bolt_belong_to_an_input_and_acks_of_a_spout_to_an_output() -> None:
    start = f"storm.worker.{WC}.edge-1.x.default.1.6700-__ack-count-"
    of_bolt = parse(f"{start}split:default.count 20 5".encode())
    of_spout = parse(f"{start}default.count 20 5".encode())
    assert isinstance(of_bolt, Measurement)
    assert isinstance(of_spout, Measurement)
    assert (of_bolt.source, of_bolt.stream) == ("split", "default")
    assert (of_spout.source, of_spout.stream) == (None, "default")


def test_latencies_are_in_seconds() -> None:
    read = parse(
        f"storm.worker.{WC}.h.count.default.3.6700-__execute-latency-split:default 12.50 5".encode()
    )
    assert isinstance(read, Measurement)
    assert read.value == 0.0125  # 12.50 ms


def test_a_queue_belongs_to_a_task_and_to_no_stream() -> None:
    read = parse(f"storm.worker.{WC}.h.count.3.6700-receive-queue-population 12 5".encode())
    assert read == Measurement(WC, 6700, "count", 3, Metric.QUEUE_POPULATION, None, None, 12, 5)


def test_a_source_with_dots_is_named_as_everywhere_else() -> None:
    # Storm writes `my.bolt` as my_bolt in place of a component; a metric's name keeps the dot.
    read = parse(
        f"storm.worker.{WC}.h.sink.a_b.3.6700-__execute-count-my.bolt:a.b.count 20 5".encode()
    )
    assert isinstance(read, Measurement)
    assert (read.source, read.stream) == ("my_bolt", "a_b")


def test_a_source_with_colons_ends_where_the_stream_begins() -> None:
    read = parse(f"storm.worker.{WC}.h.sink.out.3.6700-__execute-count-a:b:out.count 20 5".encode())
    assert isinstance(read, Measurement)
    assert (read.source, read.stream) == ("a:b", "out")


@pytest.mark.parametrize(
    "text",
    [
        f"storm.topology.{WC}.h.count.3.6700-my.metric 5 5",
        f"storm.worker.{WC}.h.__system.-1.6700-memory.heap.used 5 5",
        f"storm.worker.{WC}.h.count.default.3.6700-__execute-count-split:default.m1_rate 5.00 5",
        f"storm.worker.{WC}.h.__system.-1.6700-__send-iconnection-sent-10.0.0.1:6701 5 5",
        f"storm.worker.{WC}.h.count.3.6700-receive-queue-pct_full 0.50 5",
    ],
)
def test_metrics_that_nobody_needs_are_no_mistake(text: str) -> None:
    assert parse(text.encode()) is UNUSED


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"\xff\xfe\x00\x01",
        b"hello",
        b"storm.worker 1 2",
        b"carbon.agents.a.b.c.d.e 1 2",
        b"storm.worker.t.h.c.s.3.6700-__emit-count-s.count 1",
        b"storm.worker.t.h.c.s.3.6700-__emit-count-s.count 1 2 3",
        b"storm.worker.t.h.c.s.3.6700-__emit-count-s.count 1 now",
        b"storm.worker.t.h.c.s.3.6700-__emit-count-s.count 1 -5",
        b"storm.worker.t.h.c.s.x.6700-__emit-count-s.count 1 5",
        b"storm.worker.t.h.c.s.3.port-__emit-count-s.count 1 5",
        b"storm.worker..h.c.s.3.6700-__emit-count-s.count 1 5",
        b"storm.worker.t.h.c.s.3.6700-__emit-count-s.count 1 5\x00",
        b"storm.worker.t\x07.h.c.s.3.6700-__emit-count-s.count 1 5",
    ],
)
def test_what_is_no_metric_is_refused(text: bytes) -> None:
    assert parse(text) is Refusal.NO_METRIC


@pytest.mark.parametrize("value", ["NaN", "inf", "-1", "1e300", "one", "0.5", "0x10", ""])
def test_a_count_that_is_no_count_is_refused(value: str) -> None:
    read = parse(f"storm.worker.t.h.c.s.3.6700-__emit-count-s.count {value} 5".encode())
    assert read is Refusal.BAD_VALUE


@given(st.binary(max_size=300))
def test_no_bytes_make_the_parser_fail(data: bytes) -> None:
    assert isinstance(parse(data), Measurement | Unused | Refusal)


PIECES = st.sampled_from(
    [
        *("storm", "worker", "topology", ".", "-", ":", " ", "count", "3", "6700", "default"),
        *("__emit-count", "__execute-count", "receive-queue-population", "__capacity"),
        *("²", "\n", "\x00", "-1"),
    ]
)


@given(st.lists(PIECES, max_size=30).map("".join))
def test_nothing_that_looks_much_like_a_metric_makes_the_parser_fail(text: str) -> None:
    assert isinstance(parse(text.encode()), Measurement | Unused | Refusal)


NAME = st.text(string.ascii_letters + string.digits + "_-:é", min_size=1, max_size=20)
OF_INPUTS = [Metric.EXECUTED, Metric.ACKED, Metric.FAILED]
OF_OUTPUTS = [Metric.EMITTED, Metric.TRANSFERRED, Metric.ACKED, Metric.FAILED]
OF_TASKS = [Metric.QUEUE_POPULATION, Metric.QUEUE_CAPACITY, Metric.QUEUE_OVERFLOW]


@st.composite
def measurements(draw: st.DrawFn) -> Measurement:
    kind = draw(st.sampled_from([OF_INPUTS, OF_OUTPUTS, OF_TASKS]))
    stream = None if kind is OF_TASKS else draw(NAME)
    return Measurement(
        topology=draw(NAME),
        port=draw(st.integers(0, 65535)),
        component=draw(NAME),
        task=draw(st.integers(0, 10**6)),
        metric=draw(st.sampled_from(kind)),
        source=draw(NAME) if kind is OF_INPUTS else None,
        stream=stream,
        value=float(draw(st.integers(0, 2**53))),
        time=draw(st.integers(0, 10**11)),
    )


@given(measurements())
@example(Measurement("t", 1, "c", 1, Metric.ACKED, "a:a", "a", 0.0, 0))
def test_what_is_accepted_can_be_written_and_read_again(it: Measurement) -> None:
    read = parse(line(it))
    assert isinstance(read, Measurement)
    assert parse(line(read)) == read
    assert (read.topology, read.port, read.component, read.task) == (
        it.topology,
        it.port,
        it.component,
        it.task,
    )
    assert (read.metric, read.stream, read.value, read.time) == (
        it.metric,
        it.stream,
        it.value,
        it.time,
    )
    if it.stream is None or f":{it.stream}" not in (it.source or ""):
        assert read == it
