import pytest
from eyewall_sidecar.model import Stream
from eyewall_sidecar.model.conserved_sets import conserved_sets
from shuffled_problems import A1, A2, B1, B2, SINK, SOURCE, chain, problem_of, shuffles_of


def test_those_among_whom_tuples_are_divided_are_sets_while_they_are_alike() -> None:
    alike = conserved_sets(chain(), ["s", "a", "a", "b", "b", "z"])
    assert [(alike == alike[it]).nonzero()[0].tolist() for it in (SOURCE, A1, B1, SINK)] == [
        [SOURCE],
        [A1, A2],
        [B1, B2],
        [SINK],
    ]
    assert (alike >= 0).all()
    # a1 and a2 are not alike: how much work there is depends on who gets the tuples. That b1 and b2
    # divide what comes, and the sink gets it all, is not known either.
    unlike = conserved_sets(chain(), ["s", "a", "other", "b", "b", "z"])
    assert (unlike >= 0).tolist() == [True, False, False, False, False, False]


@pytest.mark.parametrize(
    "streams",
    [
        # What t sends reaches b1 alone: b1's tuples are known before b2's.
        [("s", "b1", 5, "b"), ("s", "b2", 5, "b"), ("t", "b1", 5, None)],
        # Of what t shuffles, b1 gets nothing: the two shuffles have different targets.
        [("s", "b1", 5, "b"), ("s", "b2", 5, "b"), ("t", "b2", 5, "b"), ("t", "b3", 5, "b")],
        # Without rates there is no part, but the shuffles' weights differ.
        [("s", "b1", 0, None), ("s", "b2", 0, None), ("t", "b1", 5, "b"), ("t", "b2", 10, "b")],
        # Alike in what they get together, not in what from whom.
        [("s", "b1", 2, "b"), ("s", "b2", 6, "b"), ("t", "b1", 6, None), ("t", "b2", 2, None)],
    ],
)
def test_what_does_not_reach_all_of_them_alike_divides_nothing(
    streams: list[tuple[str, str, float, str | None]],
) -> None:
    problem = problem_of(
        [Stream(one, to, rate, shuffle=shuffle) for one, to, rate, shuffle in streams],
        "s",
        "t",
        "b1",
        "b2",
        "b3",
    )
    sets = conserved_sets(shuffles_of(problem), ["s", "t", "b", "b", "b"])
    assert sets[2] == -1
    assert sets[3] == -1
