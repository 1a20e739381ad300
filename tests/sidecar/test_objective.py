import pytest
from eyewall_sidecar.objective import Objective, ObjectiveError, Term
from hypothesis import given, settings
from hypothesis import strategies as st


def test_terms_and_weights_are_read_whatever_the_spaces() -> None:
    objective = Objective.parse(" R=0.5, A=0.2 ,N=0.3")
    assert objective.weights == {Term.R: 0.5, Term.A: 0.2, Term.N: 0.3}
    assert objective.single is None
    assert objective.maximised


def test_a_term_of_weight_0_is_no_term() -> None:
    objective = Objective.parse("R=1,A=0,N=0")
    assert objective.single is Term.R
    assert not objective.maximised
    assert str(objective) == "R=1"


def test_of_the_single_terms_only_availability_is_maximised() -> None:
    assert [term for term in Term if Objective({term: 1.0}).maximised] == [Term.A]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (
            "r=1",
            (
                "objective 'r=1': no term 'r'; terms are R, A, T, N and EE, each with a weight, "
                "as R=0.5,A=0.2,N=0.3 (did you mean R?)"
            ),
        ),
        (
            "latency=1",
            (
                "objective 'latency=1': no term 'latency'; terms are R, A, T, N and EE, each with "
                "a weight, as R=0.5,A=0.2,N=0.3"
            ),
        ),
        (
            "R",
            (
                "objective 'R': 'R' has no weight; write R, A, T, N and EE, each with a weight, "
                "as R=0.5,A=0.2,N=0.3"
            ),
        ),
        ("R=x", "objective 'R=x': weight of R is 'x'; it must be a number in [0, 1]"),
        ("R=1.5,A=-0.5", "objective: weight of R is 1.5; it must be in [0, 1]"),
        ("R=nan", "objective: weight of R is nan; it must be in [0, 1]"),
        ("R=0.5,A=0.2", "objective R=0.5,A=0.2: the weights sum to 0.7; they must sum to 1"),
        ("R=0.5,R=0.5", "objective 'R=0.5,R=0.5': R is given twice"),
    ],
)
def test_a_bad_objective_is_refused_with_term_value_and_what_is_allowed(
    text: str, complaint: str
) -> None:
    with pytest.raises(ObjectiveError) as refused:
        Objective.parse(text)
    assert str(refused.value) == complaint


@settings(deadline=None)
@given(st.lists(st.sampled_from(list(Term)), min_size=1, unique=True))
def test_an_objective_reads_back_what_it_says(terms: list[Term]) -> None:
    objective = Objective({term: 1 / len(terms) for term in terms})
    assert (
        Objective.parse(",".join(f"{t}={w!r}" for t, w in objective.weights.items())) == objective
    )
