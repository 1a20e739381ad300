"""Paper 003's integer program as it is written has the optimum of ours, where it can be solved."""

import pytest
from eyewall_papers.experiments.paper_003.formulation import paper_program, size
from eyewall_papers.provisioning import BasicObject, DataServer, MachineType, ProvisioningProblem
from eyewall_papers.provisioning.exact import exact
from eyewall_sidecar.exact.finding import Outcome
from eyewall_sidecar.exact.highs import minimise
from eyewall_sidecar.model import Operator, Stream

SMALL = MachineType("small", cpu=4, card=10, price=10)
LARGE = MachineType("large", cpu=8, card=20, price=16)


def stopped() -> float:
    return 0.0


def tree(
    *works: float, flow: float = 2, link: float = 100, card: float = 100
) -> ProvisioningProblem:
    """Operators b and c send to a; b and c use k, which servers s and t hold."""
    return ProvisioningProblem(
        tuple(Operator(name, cpu=work) for name, work in zip("abc", works, strict=True)),
        (Stream("b", "a", tuple_bytes=flow), Stream("c", "a", tuple_bytes=flow)),
        (SMALL, LARGE),
        {"b": ("k",), "c": ("k",)},
        (BasicObject("k", 4),),
        (DataServer("s", ("k",), card, link), DataServer("t", ("k",), card, link)),
        link=link,
    )


@pytest.mark.parametrize(
    ("problem", "price"),
    [
        (tree(1, 1, 1), 10),  # all on a small machine: 3 of 4 cores, one download of 4
        (tree(2, 2, 2), 16),  # 6 cores: a large machine for 16, two small ones for 20
        (tree(4, 4, 4), 26),  # a large machine for two, a small one for the third
        (tree(4, 4, 4, link=1), None),  # nothing goes over links of 1, and 12 cores are on none
        (tree(4, 4, 4, flow=3, card=4), 26),  # k twice, from s and from t
    ],
)
def test_the_papers_program_has_our_optimum(
    problem: ProvisioningProblem, price: float | None
) -> None:
    linear = paper_program(problem)
    run = minimise(linear, ends_at=60.0, clock=stopped, seed=0)
    _, provision = exact(problem, time_limit=60, seed=0, clock=stopped)
    if price is None:
        assert (run.outcome, provision) == (Outcome.INFEASIBLE, None)
    else:
        assert provision is not None
        assert provision.price == price
        assert linear.objective.value() * LARGE.price == pytest.approx(price)


def test_the_size_of_the_program_is_counted_before_it_is_built() -> None:
    # 3 operators on 2 · 3 machines: 18 x, 6 · 1 · 2 d, 6 used; y: 9 · 36, or 2 · 36 of streams.
    problem = tree(1, 1, 1)
    assert size(problem).needed == 18 + 12 + 6 + 72
    assert size(problem).as_written == 18 + 12 + 6 + 324
    assert len(paper_program(problem).variables()) == size(problem).needed
