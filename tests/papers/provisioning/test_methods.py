"""Which method answers what was asked of another, and in what time."""

from dataclasses import dataclass, field

import pytest
from eyewall_papers.provisioning import Provision, ProvisioningProblem, methods
from eyewall_papers.provisioning.methods import METHODS
from eyewall_papers.provisioning.provision import ProvisionSolution
from eyewall_sidecar.model import Operator, Solution, Status
from small_provisioning import LARGE, SMALL, apart, pair, together


def stopped() -> float:
    return 0.0


@dataclass
class Engines:
    """A fake of both methods: `finds` is what repairing finds, call by call, in all of its time.

    Exact takes a second to say that it proves nothing.
    """

    finds: list[Provision]
    now: float = 0.0
    limits: list[float] = field(default_factory=list)
    seeds: list[int] = field(default_factory=list)

    def clock(self) -> float:
        return self.now

    def repairing(
        self, _: ProvisioningProblem, *, time_limit: float, seed: int, **__: object
    ) -> ProvisionSolution:
        self.limits.append(time_limit)
        self.seeds.append(seed)
        self.now += time_limit
        found = self.finds.pop(0)
        return ProvisionSolution(
            Solution(Status.HEURISTIC, "repairing", "random", bound=12.0), found
        )

    def exact(self, _: ProvisioningProblem, *, start: Provision, **__: object) -> ProvisionSolution:
        self.now += 1.0
        solution = Solution(Status.FEASIBLE, "exact", "given", bound=14.0, reasons=("too large",))
        return ProvisionSolution(solution, start)


def asked(monkeypatch: pytest.MonkeyPatch, engines: Engines) -> ProvisionSolution:
    monkeypatch.setattr(methods, "repair", engines.repairing)
    monkeypatch.setattr(methods, "exact", engines.exact)
    return METHODS["exact"](pair(), time_limit=10.0, seed=3, clock=engines.clock)


def test_exact_proves_what_is_small_enough() -> None:
    solution, _ = METHODS["exact"](pair(), time_limit=60, seed=0, clock=stopped)
    assert solution.status is Status.OPTIMAL


def test_time_that_a_proof_leaves_is_for_another_search(monkeypatch: pytest.MonkeyPatch) -> None:
    # A fifth of 10 s for the start, a second for exact, and the 7 s that are left.
    engines = Engines([apart(), together()])
    found = asked(monkeypatch, engines)
    assert engines.limits == [2.0, 7.0]
    assert engines.seeds == [3, 4]
    # 16 for one large machine, against 20 for two small ones; the greater of both bounds is 14.
    assert found.provision == together()
    assert (found.solution.status, found.solution.policy) == (Status.FEASIBLE, "exact")
    assert (found.solution.bound, found.solution.gap) == (14.0, 2 / 16)
    assert (found.solution.reasons, found.solution.seconds) == (("too large",), 10.0)


def test_the_other_search_never_makes_it_dearer(monkeypatch: pytest.MonkeyPatch) -> None:
    found = asked(monkeypatch, Engines([together(), apart()]))
    assert found.provision == together()
    assert found.solution.status is Status.FEASIBLE


def test_a_program_that_is_not_built_leaves_its_time_to_repairing() -> None:
    # 60 operators that share nothing are more than subsets are looked at for. One machine alone
    # takes 60 + 2 variables and two numbers; a thousandth of a second is for 50.
    works = (1.7, 2.9, 3.1, 3.7, 2.3)
    operators = tuple(Operator(f"o{it}", cpu=works[it % 5]) for it in range(60))
    workers = ProvisioningProblem(operators, (), (SMALL, LARGE))
    found = METHODS["exact"](workers, time_limit=1e-3, seed=0, clock=stopped)
    alone = METHODS["repairing"](workers, time_limit=1e-3, seed=0, clock=stopped)
    assert any("was not built" in it for it in found.solution.reasons)
    assert found.provision is not None
    assert alone.provision is not None
    assert found.provision.price <= alone.provision.price
