"""Which method answers what was asked of another."""

from eyewall_sidecar.model import Operator, Status
from eyewall_sidecar.provisioning import ProvisioningProblem
from eyewall_sidecar.provisioning.methods import METHODS, TOO_LARGE
from small_provisioning import LARGE, SMALL, pair


def stopped() -> float:
    return 0.0


def workers(count: int) -> ProvisioningProblem:
    """Return operators that share nothing, and that none of the seven packs best."""
    works = (1.7, 2.9, 3.1, 3.7, 2.3)
    operators = tuple(Operator(f"o{it}", cpu=works[it % 5]) for it in range(count))
    return ProvisioningProblem(operators, (), (SMALL, LARGE))


def test_exact_proves_what_is_small_enough() -> None:
    solution, _ = METHODS["exact"](pair(), time_limit=60, seed=0, clock=stopped)
    assert solution.status is Status.OPTIMAL
    assert TOO_LARGE not in solution.reasons


def test_what_is_too_large_for_a_proof_gets_all_of_the_time_for_repairing_and_it_is_said() -> None:
    # 24 operators that share nothing are more than subsets are looked at for. They take nine large
    # machines at least (66.2 cores), and so 9 · (24 + 2) + 2 variables; a thousandth of a second is
    # for 50.
    asked = workers(24)
    solution, provision = METHODS["exact"](asked, time_limit=1e-3, seed=0, clock=stopped)
    alone = METHODS["repairing"](asked, time_limit=1e-3, seed=0, clock=stopped)
    assert provision is not None
    assert provision == alone.provision
    assert solution.evaluated == alone.solution.evaluated > 0
    assert (solution.policy, solution.status) == ("exact", Status.HEURISTIC)
    assert solution.reasons == (TOO_LARGE,)
    # A second is for 50,000 variables.
    longer, _ = METHODS["exact"](asked, time_limit=1, seed=0, clock=stopped)
    assert TOO_LARGE not in longer.reasons
