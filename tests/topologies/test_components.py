"""Components against a scripted Storm: what they are sent is in memory, what they send is kept."""

import io
import json
import time
from pathlib import Path
from typing import Any

import pytest
from bolts.meet import Join
from bolts.relay import Step
from bolts.tag_and_count import Consumer, Count, Filter, Rank, Tag, Tokenise
from bolts.word_count import Split
from spouts.sentences import LeftSource, TagAndCountSource


def started(
    cls: type[Any], conf: dict[str, Any] | None = None, component: str = "c", task: int = 1
) -> Any:
    """A component after Storm's handshake, with `sent(component)` for what it said since."""
    component_conf = {"storm.id": "t-1-1", "topology.name": "t", **(conf or {})}
    made = cls(input_stream=io.BytesIO(), output_stream=io.BytesIO(), rdb_signal=None)
    made.messages = []
    made.send_message = made.messages.append
    made.initialize(component_conf, {"componentid": component, "taskid": task})
    return made


def given(bolt: Any, *values: Any) -> list[Any]:
    """What the bolt emits for a tuple with these values."""
    bolt.messages.clear()
    bolt.process(type("Tuple", (), {"values": values})())
    return [message["tuple"] for message in bolt.messages if message["command"] == "emit"]


FREE = {"tag_and_count.cpu.ms": 0}


def test_a_step_of_the_relay_passes_on_what_it_gets() -> None:
    assert given(started(Step, {"relay.cpu.ms": 0}), "m", 1.5, "The tram stops") == [
        ["m", 1.5, "The tram stops"]
    ]


def test_a_sentence_passes_through_all_operators_with_its_id_and_time() -> None:
    assert given(started(Tokenise, FREE), "m", 1.5, "The TRAM stops") == [
        ["m", 1.5, "the tram stops"]
    ]
    assert given(started(Tag, FREE), "m", 1.5, "the tram stops") == [
        ["m", 1.5, "tram", "the tram stops"]
    ]
    assert given(started(Filter, FREE), "m", 1.5, "tram", "the tram stops") == [
        ["m", 1.5, "tram", "the tram stops"]
    ]
    assert given(started(Count, FREE), "m", 1.5, "tram", "the tram stops") == [
        ["m", 1.5, "tram", 1, "the tram stops"]
    ]


def test_the_rank_of_a_tag_is_its_place_by_count() -> None:
    rank = started(Rank, FREE)
    assert given(rank, "m1", 0.0, "tram", 5, "")[0][3] == 1
    assert given(rank, "m2", 0.0, "buoy", 3, "")[0][3] == 2
    assert given(rank, "m3", 0.0, "buoy", 6, "")[0][3] == 1


def test_what_the_filter_drops_is_written_down(tmp_path: Path) -> None:
    conf = {**FREE, "tag_and_count.selectivity": 1e-9, "measure.dir": str(tmp_path)}
    bolt = started(Filter, conf, component="filter")
    assert given(bolt, "m", 1.5, "tram", "") == []
    (file,) = tmp_path.iterdir()
    assert json.loads(file.read_text())["event"] == "dropped"


def test_the_consumer_writes_down_when_it_saw_a_tuple(tmp_path: Path) -> None:
    bolt = started(Consumer, {"measure.dir": str(tmp_path)}, component="consumer")
    given(bolt, "m", 1.5, "tram", 1, "")
    (file,) = tmp_path.iterdir()
    event = json.loads(file.read_text())
    assert (event["event"], event["id"], event["emitted_at"]) == ("seen", "m", 1.5)


def test_words_are_split_and_lowered() -> None:
    assert given(started(Split), "m", 1.5, "The TRAM stops") == [["the"], ["tram"], ["stops"]]


def emitted(spout: Any) -> list[Any]:
    return [(m["id"], m["tuple"]) for m in spout.messages if m["command"] == "emit"]


def test_a_failed_sentence_is_replayed_as_it_was_until_it_is_acked() -> None:
    source = started(TagAndCountSource, {"tag_and_count.payload.bytes": 50}, task=9)
    source.next_tuple()
    ((message, values),) = emitted(source)
    assert len(values[2]) == 50
    source.fail(message)
    source.fail(message)
    assert emitted(source) == [(message, values)] * 3
    source.ack(message)
    source.fail(message)
    assert len(emitted(source)) == 3


def test_a_restarted_source_emits_again_what_has_no_ack(tmp_path: Path) -> None:
    conf = {"measure.dir": str(tmp_path), "tag_and_count.rate": 10_000}
    killed = started(TagAndCountSource, conf, component="source", task=9)
    while len(emitted(killed)) < 3:
        killed.next_tuple()
    (first, _), (second, values), (third, _) = emitted(killed)
    killed.ack(first)
    killed.ack(third)

    again = started(TagAndCountSource, conf, component="source", task=9)
    again.next_tuple()
    assert emitted(again) == [(second, values)]
    again.next_tuple()
    assert emitted(again)[1][0] not in {first, second, third}
    events = [
        json.loads(line) for file in tmp_path.iterdir() for line in file.read_text().splitlines()
    ]
    assert [event["id"] for event in events if event["event"] == "failed"] == [second]


@pytest.mark.parametrize("cls", [TagAndCountSource, Tokenise, Filter])
def test_a_bad_setting_stops_the_component_with_its_name(cls: type[Any]) -> None:
    with pytest.raises(ValueError, match=r"tag_and_count\.rate: -1; allowed"):
        started(cls, {"tag_and_count.rate": -1})


def test_join_passes_on_one_sentence_of_ten() -> None:
    bolt = started(Join, {"meet.cpu.ms": 0})
    passed = [len(given(bolt, f"m{number}", 0.0, "x")) for number in range(30)]
    assert [n for n, count in enumerate(passed) if count] == [9, 19, 29]


def test_a_sources_rate_is_that_of_the_file_from_the_next_look_on(tmp_path: Path) -> None:
    rates = tmp_path / "rates.json"
    spout = started(LeftSource, {"meet.left.rate": 1, "meet.rates.file": str(rates)})
    spout.next_tuple()  # at once, by its own rate of one a second
    rates.write_text('{"left": 10000, "right": 1}')
    spout.rates._next = 0.0
    sent = []
    for _ in range(3):
        time.sleep(0.001)
        spout.next_tuple()
        sent.append(len([m for m in spout.messages if m["command"] == "emit"]))
    assert sent[-1] >= 3
