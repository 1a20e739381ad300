import pytest
from workload.load import burn, passes
from workload.pace import Pace
from workload.sentences import sentence, tag_of, tokens


def test_work_ends_when_the_cpu_clock_has_moved_by_its_length() -> None:
    # The clock does not advance while the host is throttled (the repeated readings).
    readings = iter([10.0, 10.0, 10.0, 10.001, 10.001, 10.002, 10.5])
    burn(0.002, cpu_clock=lambda: next(readings))
    assert next(readings) == 10.5


def test_the_filter_decides_the_same_for_the_same_id() -> None:
    ids = [f"9-abc-{n}" for n in range(200)]
    assert [passes(i, 0.5) for i in ids] == [passes(i, 0.5) for i in ids]


def test_the_filter_passes_its_share() -> None:
    # 2000 draws at 0.3: mean 600, standard deviation √(2000·0.3·0.7) = 20.5; five of them are 103.
    passed = sum(passes(f"9-abc-{n}", 0.3) for n in range(2000))
    assert passed == pytest.approx(600, abs=103)


def test_a_share_of_one_passes_everything() -> None:
    assert all(passes(f"9-abc-{n}", 1.0) for n in range(2000))


@pytest.mark.parametrize("length", [16, 100, 1000])
def test_a_sentence_has_exactly_its_length(length: int) -> None:
    assert len(sentence(7, length).encode()) == length


def test_the_same_number_gives_the_same_sentence() -> None:
    assert sentence(7, 100) == sentence(7, 100) != sentence(8, 100)


def test_a_sentence_is_tagged_by_its_first_subject() -> None:
    assert tag_of(tokens("Old CAMERA reports the tram")) == "camera"
    assert tag_of(tokens("nothing known")) == "other"


def test_a_pace_of_four_per_second_is_due_every_quarter() -> None:
    pace = Pace(rate=4, start=100.0)
    due = [at for at in (100.0, 100.1, 100.25, 100.3, 100.5, 100.74, 100.75) if pace.due(at)]
    assert due == [100.0, 100.25, 100.5, 100.75]


def test_being_asked_late_does_not_lower_the_rate() -> None:
    # Asked every 0.2 s at 4/s: due at 0, 0.25, 0.5, 0.75, asked at 0, 0.4, 0.6, 0.8.
    pace = Pace(rate=4, start=0.0)
    assert [at for at in (0.0, 0.2, 0.4, 0.6, 0.8) if pace.due(at)] == [0.0, 0.4, 0.6, 0.8]


def test_what_was_due_during_a_stall_is_skipped() -> None:
    pace = Pace(rate=4, start=0.0)
    assert pace.due(0.0)
    assert [at for at in (60.0, 60.1, 60.2, 60.25, 60.3) if pace.due(at)] == [60.0, 60.25]
