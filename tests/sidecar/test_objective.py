import pytest
from eyewall_contracts.objective_terms import LETTERS, PAPER_TERMS
from eyewall_sidecar.objective import EckerWeights, Objective, ObjectiveError, Term
from hypothesis import given
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


def test_of_the_single_terms_availability_and_the_sustainable_rate_are_maximised() -> None:
    maximised = [term for term in Term if Objective({term: 1.0}).maximised]
    assert maximised == [Term.A, Term.THETA]


@pytest.mark.parametrize(
    ("text", "weighed"),
    [("L=1", True), ("R=0.1,N=0.9", True), ("N=1", False), ("ecker", True), ("ecker=lat:0", False)],
)
def test_latency_is_weighed_by_whatever_gets_better_as_tuples_arrive_sooner(
    text: str, weighed: bool
) -> None:
    assert Objective.parse(text).weighs_latency is weighed


@pytest.mark.parametrize("text", ["L=0.5,R=0.5", "THETA=0.9,T=0.1", "L=0.5,THETA=0.5"])
def test_terms_of_the_load_model_are_not_mixed(text: str) -> None:
    with pytest.raises(ObjectiveError, match="cannot be mixed"):
        Objective.parse(text)


def test_ecker_alone_has_the_weights_of_the_paper_and_no_terms() -> None:
    objective = Objective.parse(" ecker ")
    assert objective.ecker == EckerWeights(lat=1e-6, sup=1.0, co=1.0, event=1.0)
    assert objective.weights == {}
    assert objective.single is None


def test_the_score_of_ecker_is_minimised() -> None:
    assert not Objective.parse("ecker").maximised


def test_a_weight_of_ecker_that_is_not_given_is_the_papers() -> None:
    objective = Objective.parse("ecker=co:0.5, lat : 2")
    assert objective.ecker == EckerWeights(lat=2.0, sup=1.0, co=0.5, event=1.0)
    assert Objective.parse(str(objective)) == objective


def test_an_objective_of_terms_has_no_ecker_score() -> None:
    assert Objective.parse("R=1").ecker is None


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (
            "r=1",
            (
                f"objective 'r=1': no term 'r'; terms are {LETTERS}, each with a weight, "
                "as R=0.5,A=0.2,N=0.3 (did you mean R?)"
            ),
        ),
        (
            "latency=1",
            (
                f"objective 'latency=1': no term 'latency'; terms are {LETTERS}, each with "
                "a weight, as R=0.5,A=0.2,N=0.3"
            ),
        ),
        (
            "R",
            (
                f"objective 'R': 'R' has no weight; write {LETTERS}, each with a weight, "
                "as R=0.5,A=0.2,N=0.3"
            ),
        ),
        ("R=x", "objective 'R=x': weight of R is 'x'; it must be a number in [0, 1]"),
        ("R=1.5,A=-0.5", "objective: weight of R is 1.5; it must be in [0, 1]"),
        ("R=nan", "objective: weight of R is nan; it must be in [0, 1]"),
        ("R=0.5,A=0.2", "objective R=0.5,A=0.2: the weights sum to 0.7; they must sum to 1"),
        ("R=0.5,R=0.5", "objective 'R=0.5,R=0.5': R is given twice"),
        ("R=0.5,ecker=0.5", "objective 'R=0.5,ecker=0.5': ecker cannot be mixed with other terms"),
        (
            "ecker=latency:1",
            (
                "objective 'ecker=latency:1': no weight 'latency'; ecker has lat, sup, co and "
                "event, as ecker=lat:1e-06,sup:1,co:1,event:1 (did you mean lat?)"
            ),
        ),
        (
            "ecker=lat",
            (
                "objective 'ecker=lat': 'lat' has no weight; ecker has lat, sup, co and event, "
                "as ecker=lat:1e-06,sup:1,co:1,event:1"
            ),
        ),
        (
            "ecker=co:much",
            (
                "objective 'ecker=co:much': weight of co is 'much'; it must be a number from 0 to "
                "1e+15"
            ),
        ),
        ("ecker=co:1,co:2", "objective 'ecker=co:1,co:2': co is given twice"),
        (
            "ecker=sup:-1",
            "objective: ecker's weight of sup is -1; it must be a number from 0 to 1e+15",
        ),
        (
            "ecker=sup:inf",
            "objective: ecker's weight of sup is inf; it must be a number from 0 to 1e+15",
        ),
        (
            "ecker=lat:1e300",
            "objective: ecker's weight of lat is 1e+300; it must be a number from 0 to 1e+15",
        ),
    ],
)
def test_a_bad_objective_is_refused_with_term_value_and_what_is_allowed(
    text: str, complaint: str
) -> None:
    with pytest.raises(ObjectiveError) as refused:
        Objective.parse(text)
    assert str(refused.value) == complaint


@given(st.lists(st.sampled_from(PAPER_TERMS), min_size=1, unique=True))
def test_an_objective_reads_back_what_it_says(terms: list[Term]) -> None:
    objective = Objective({term: 1 / len(terms) for term in terms})
    assert (
        Objective.parse(",".join(f"{t}={w!r}" for t, w in objective.weights.items())) == objective
    )
