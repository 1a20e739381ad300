from eyewall_sidecar.heuristic.stopping_criteria import After, At, Either, SearchProgress, never


def test_a_search_ends_at_its_time_whatever_it_has_done() -> None:
    times = iter([1.0, 1.9, 2.0])
    stop = At(2.0, lambda: next(times))
    assert [stop(SearchProgress()) for _ in range(3)] == [False, False, True]


def test_a_search_ends_after_so_many_steps_or_so_many_without_a_better_placement() -> None:
    stop = After(steps=10, idle=3)
    assert not stop(SearchProgress(steps=9, idle=2))
    assert stop(SearchProgress(steps=10, idle=0))
    assert stop(SearchProgress(steps=3, idle=3))


def test_of_two_criteria_either_ends_a_search() -> None:
    assert Either(never, After(1, 1))(SearchProgress(1, 0))
    assert Either(After(1, 1), never)(SearchProgress(1, 0))
    assert not Either(never, never)(SearchProgress(1, 1))
