from __future__ import annotations

from dataclasses import replace

from eyewall_contracts.rates import Rates, StreamRate, TaskRate, decode_rates
from eyewall_monitor.rates.figures import Figures, WindowGroup, WindowSample
from eyewall_monitor.rates.rates_document import Batch, batch_of, encode_fitting, merge_batch
from eyewall_monitor.rates.rows import RowKind
from msgspec import structs
from rate_documents import UNTIL, an_estimate

WINDOW, FORGET = 60.0, 600.0


def batch(number: int, *streams: StreamRate, time: float = UNTIL + 1, run: str = "r") -> Batch:
    return Batch(run, number, time, {"t": Figures(streams=streams)}, {}, 0)


def stream(name: str, value: float, until: float = UNTIL) -> StreamRate:
    return StreamRate("spout", name, "bolt", 1, 1.0, an_estimate(value, until), None)


def after(before: Rates | None, it: Batch) -> Rates:
    found = merge_batch(before, "t", it, WINDOW, FORGET)
    assert found is not None
    return found


def test_what_a_batch_says_nothing_of_stays_as_it_was() -> None:
    first = after(None, batch(0, stream("a", 10), stream("b", 20)))
    second = after(first, batch(1, stream("b", 30, UNTIL + 5)))
    assert [(it.stream, it.rate.value) for it in second.streams] == [("a", 10), ("b", 30)]


def test_a_batch_that_is_done_again_changes_nothing() -> None:
    first = after(None, batch(7, stream("a", 10)))
    assert merge_batch(first, "t", batch(7, stream("a", 99)), WINDOW, FORGET) is None
    assert merge_batch(first, "t", batch(6, stream("a", 99)), WINDOW, FORGET) is None


def test_a_new_checkpoint_numbers_its_batches_from_the_start() -> None:
    first = after(None, batch(7, stream("a", 10)))
    assert after(first, batch(0, stream("a", 99), run="other")).streams[0].rate.value == 99


def test_older_news_do_not_replace_newer() -> None:
    first = after(None, batch(0, stream("a", 10)))
    assert after(first, batch(1, stream("a", 99, UNTIL - 5))).streams[0].rate.value == 10


def test_what_was_not_heard_of_for_long_is_left_out_not_set_to_zero() -> None:
    first = after(None, batch(0, stream("a", 10), stream("b", 20)))
    later = UNTIL + FORGET + 1
    second = after(first, batch(1, stream("b", 20, later), time=later))
    assert [it.stream for it in second.streams] == ["b"]


def test_losses_stand_for_the_length_of_a_window() -> None:
    bad = replace(batch(0, stream("a", 10), time=100.0), hosts_lost={("h", "missing"): 3}, late=2)
    first = after(None, bad)
    assert (first.lost, first.late, first.troubled) == (3, 2, 100.0)
    second = after(first, batch(1, stream("a", 10), time=159.0))
    assert (second.lost, second.late) == (3, 2)
    third = after(second, batch(2, stream("a", 10), time=160.0))
    assert (third.lost, third.late, third.troubled) == (0, 0, 0)


def test_rows_of_single_tasks_are_left_out_as_far_as_they_do_not_fit() -> None:
    # A row of about 140 bytes: 5,000 do not fit into 512 KB.
    inputs = tuple(
        TaskRate(i, "bolt", "spout", "default", "a-host-with-a-name", 6700, an_estimate(i / 7))
        for i in range(5000)
    )
    whole = structs.replace(after(None, batch(0, stream("a", 10))), inputs=inputs)
    found = decode_rates(encode_fitting(whole))
    assert (found.inputs, found.left_out) == ((), 5000)
    assert found.streams == whole.streams


def sampled(task: int, until: float, amount: float, host: str = "h") -> WindowSample:
    return WindowSample(task, until, 5.0, amount, 0.0, 0.0, 1, host, 6700)


def test_a_batch_tells_streams_from_losses() -> None:
    streams = WindowGroup(0, "t", RowKind.RECEIVED, "bolt", "spout", "s", (sampled(1, 5.0, 500),))
    lost = WindowGroup(
        0, "", RowKind.LOST, "", "", "missing", (sampled(0, 5.0, 4), sampled(0, 9.0, 1, "i"))
    )
    late = WindowGroup(0, "", RowKind.LATE, "", "", "", (sampled(1, 5.0, 1), sampled(1, 6.0, 1)))
    found = batch_of("r", 3, 10.0, [streams, lost, late])
    assert found.topologies["t"].streams[0].rate.value == 100
    assert found.hosts_lost == {("h", "missing"): 4, ("i", "missing"): 1}
    assert (found.lost, found.late) == (5, 2)
