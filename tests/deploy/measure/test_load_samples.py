import json
from pathlib import Path

import pytest
from eyewall_deploy.measure.load_samples import (
    bucket_middle,
    bucket_of,
    latency_percentile,
    read_seconds,
    read_start,
    seconds_of_events,
)
from eyewall_deploy.measure.tuple_events import TupleArrival, TupleEvents


def line(at: int, **given: object) -> str:
    record = {"at": at, "emitted": 0, "acked": 0, "failed": 0, "replayed": 0, "out": 0}
    return json.dumps(record | {"latency": {}} | given) + "\n"


@pytest.mark.parametrize(("micros", "bucket"), [(63, 63), (1_000, 317), (1_000_000, 954)])
def test_buckets_are_those_of_the_java_histogram(micros: int, bucket: int) -> None:
    # LatencyHistogramTest has these pairs: 1000 / 2³ = 125 of power 3, 10⁶ / 2¹³ = 122 of power 13.
    assert bucket_of(micros) == bucket


def test_a_latency_is_read_back_within_half_a_bucket() -> None:
    # A bucket is at most 1/64 of its least value wide; its middle is at most half of that away.
    for micros in range(0, 3_000_000, 997):
        assert abs(bucket_middle(bucket_of(micros)) * 1e6 - micros) <= max(0.5, micros / 128)


def test_a_percentile_is_the_nearest_rank() -> None:
    # Ranks 1 to 98 are 10 µs, 99 and 100 are 50 µs: p98 is the last of the first.
    counts = {10: 98, 50: 2}
    assert latency_percentile(counts, 98) == pytest.approx(10.5e-6)
    assert latency_percentile(counts, 99) == pytest.approx(50.5e-6)
    assert latency_percentile({}, 50) is None


def test_a_second_adds_up_all_sources_and_sinks(tmp_path: Path) -> None:
    source = line(7, emitted=10, acked=3, pending=7, behind_ms=20, latency={"5": 2, "9": 1})
    (tmp_path / "source-1.100.jsonl").write_text(source)
    (tmp_path / "source-1.200.jsonl").write_text(
        line(7, emitted=1, acked=2, pending=1, behind_ms=500, latency={"5": 2})
    )
    (tmp_path / "sink-2.100.jsonl").write_text(line(7, out=4) + line(8, out=5))
    seconds = read_seconds(tmp_path)
    assert (seconds[7].emitted, seconds[7].acked, seconds[7].pending) == (11, 5, 8)
    assert (seconds[7].out, seconds[8].out) == (4, 5)
    assert seconds[7].latency == {5: 4, 9: 1}
    assert seconds[7].behind == 0.5


def test_parts_of_a_second_with_output_are_those_of_any_sink(tmp_path: Path) -> None:
    (tmp_path / "source-1.1.jsonl").write_text(line(7) + line(8))
    (tmp_path / "sink-2.1.jsonl").write_text(line(7, out_slots=0b0011))
    (tmp_path / "sink-2.2.jsonl").write_text(line(7, out_slots=0b0110))
    seconds = read_seconds(tmp_path)
    assert [seconds[at].out_slots for at in (7, 8)] == [0b0111, None]


def test_half_a_line_at_the_end_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "sink-2.1.jsonl").write_text(line(7, out=4) + line(8, out=5)[:20])
    assert list(read_seconds(tmp_path)) == [7]


@pytest.mark.parametrize("text", ["nonsense\n", "[1]\n", '{"at": 7}\n'])
def test_a_line_that_is_no_second_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "sink-2.1.jsonl").write_text(line(7) + text)
    with pytest.raises(ValueError, match=r"sink-2\.1\.jsonl: line 2"):
        read_seconds(tmp_path)


def test_the_start_is_unknown_until_a_source_has_written_it(tmp_path: Path) -> None:
    assert read_start(tmp_path) is None
    (tmp_path / "start").write_text("1790000000000")
    assert read_start(tmp_path) == 1790000000.0


def test_a_topology_that_writes_every_tuple_has_the_same_seconds() -> None:
    events = TupleEvents(
        emitted={"a": 7.25, "b": 7.5},
        acked={"a": 7.75, "b": 9.5},
        dropped={},
        failed=(("b", 8.5),),
        arrivals=(TupleArrival("a", 7.25, 7.5), TupleArrival("b", 7.5, 9.0)),
    )
    seconds = seconds_of_events(events)
    assert [(at, seconds[at].emitted, seconds[at].acked) for at in (7, 9)] == [(7, 2, 1), (9, 0, 1)]
    assert (seconds[8].failed, seconds[8].replayed) == (1, 1)
    assert (seconds[7].out, seconds[9].out) == (1, 1)
    # half a second is the eleventh twentieth of it
    assert (seconds[7].out_slots, seconds[9].out_slots) == (1 << 10, 1)
    # a took 0.5 s, b with its replay 2 s
    assert seconds[7].latency == {bucket_of(500_000): 1}
    assert seconds[9].latency == {bucket_of(2_000_000): 1}
