import msgspec
import pytest
from eyewall_deploy.trial.records import TrialMove
from trial_runs import run, second


def test_tuples_that_are_missing_at_the_end_count_with_their_wait() -> None:
    # 10/s for 10 s, 60 acked after 10.5 µs each. The other 40 were due within the last 4 s: they
    # have waited 0.05 s, 0.15 s, … 3.95 s. Rank 99 of 100 is the one that waited 3.85 s.
    seconds = [second(at, acked=6) for at in range(10)]
    stalled = run(due=100.0, latency={10: 60}, seconds=seconds)
    assert stalled.missing == 40
    assert stalled.percentile(50) == pytest.approx(10.5e-6)
    assert stalled.percentile(99) == pytest.approx(3.85, rel=0.01)


def test_nothing_is_missing_where_sources_emit_as_much_as_goes() -> None:
    measured = run(due=None)
    assert measured.missing == 0


def test_a_move_happened_between_two_looks() -> None:
    assert TrialMove(20.4, 1, 1, unseen_since=12.1).earliest == 12.1
    # As records were until then: looks were a second apart.
    old = msgspec.json.decode(b'{"at": 20.5, "executors": 1, "workers": 1}', type=TrialMove)
    assert old.earliest == 19.5
