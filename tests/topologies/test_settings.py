import pytest
from workload.settings import (
    MULTILANG_MS,
    BadSettingError,
    Meet,
    Relay,
    TagAndCount,
    hints,
    meet,
    relay,
    tag_and_count,
    word_count,
)


def test_settings_that_are_not_given_keep_the_papers_rate() -> None:
    assert tag_and_count({"topology.workers": 3}) == TagAndCount(rate=10.0)


def test_settings_are_read_by_their_keys() -> None:
    conf = {"tag_and_count.rate": 40, "tag_and_count.payload.bytes": 500,
            "tag_and_count.selectivity": 0.5, "tag_and_count.cpu.ms": 0}  # fmt: skip
    assert tag_and_count(conf) == TagAndCount(40, 500, 0.5, 0)


def test_only_the_filter_changes_the_rate() -> None:
    # 40 sentences/s, half of them pass the filter: 20/s leave it and what comes after it.
    assert TagAndCount(rate=40, selectivity=0.5).rate_hint() == {
        "source": 40, "tokenise": 40, "tag": 40, "filter": 20, "count": 20, "rank": 20,
    }  # fmt: skip


def test_each_operator_takes_its_work_and_the_way_through_its_process() -> None:
    times = TagAndCount(cpu_ms=5).execution_time_hint_ms()
    assert times["tag"] == 5 + MULTILANG_MS
    assert times["consumer"] == MULTILANG_MS


def test_hints_are_for_the_topology_whose_settings_are_there() -> None:
    assert hints({"word_count.rate": 2.0, "word_count.payload.bytes": 65}) == {
        # 65 bytes at 6.5 bytes a word are 10 words: 2 sentences/s make 20 words/s.
        "eyewall.rate.hint": {"source": 2.0, "split": 20.0},
        "eyewall.execution.time.hint.ms": {"split": MULTILANG_MS, "count": MULTILANG_MS},
    }
    assert hints({"topology.workers": 1}) == {}


def test_meet_declares_nothing_for_what_it_does_is_measured() -> None:
    conf = {"meet.left.rate": 50, "meet.rates.file": "/tmp/r"}
    assert meet(conf) == Meet(left_rate=50, rates_file="/tmp/r")
    assert hints(conf) == {}


def test_each_step_of_the_relay_gets_all_and_takes_its_work_and_the_way_through_its_process() -> (
    None
):
    conf = {"relay.rate": 25, "relay.cpu.ms": 0.5}
    assert relay(conf) == Relay(rate=25, cpu_ms=0.5)
    steps = ("step_1", "step_2", "step_3", "step_4")
    assert hints(conf) == {
        "eyewall.rate.hint": dict.fromkeys(("source", *steps), 25),
        "eyewall.execution.time.hint.ms": dict.fromkeys(steps, 0.5 + MULTILANG_MS)
        | {"consumer": MULTILANG_MS},
    }


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("meet.left.rate", 0, "meet.left.rate: 0; allowed is tuples per second, above 0"),
        ("meet.rates.file", 3, "meet.rates.file: 3; allowed is the name of a file"),
        ("meet.rate", 3, "meet.rate: no such setting; allowed are meet.left.rate"),
        ("tag_and_count.rate", 0, "tag_and_count.rate: 0; allowed is tuples per second, above 0"),
        ("tag_and_count.rate", "fast", "tag_and_count.rate: 'fast'; allowed"),
        ("tag_and_count.rate", True, "tag_and_count.rate: True; allowed"),
        ("tag_and_count.rate", float("nan"), "tag_and_count.rate: nan; allowed"),
        ("tag_and_count.payload.bytes", 100.5, "100.5; allowed is a whole number of bytes from 16"),
        ("tag_and_count.selectivity", 1.5, "1.5; allowed is a share above 0 and at most 1"),
        ("tag_and_count.cpu.ms", -1, "-1; allowed is milliseconds from 0"),
        ("tag_and_count.rates", 3, "no such setting; allowed are tag_and_count.rate, "),
        ("tag_and_count.rates", 3, "(did you mean tag_and_count.rate?)"),
    ],
)
def test_a_bad_setting_is_named_with_its_value_and_what_is_allowed(
    key: str, value: object, words: str
) -> None:
    with pytest.raises(BadSettingError) as raised:
        (meet if key.startswith("meet.") else tag_and_count)({key: value})
    assert words in str(raised.value)


def test_a_setting_of_the_other_topology_is_none_of_its_business() -> None:
    assert word_count({"tag_and_count.rate": -1}).rate == 10.0
