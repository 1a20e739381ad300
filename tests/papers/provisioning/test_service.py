"""What to buy for a topology that runs, and which supervisors it can do without."""

from dataclasses import replace

import pytest
from desk_cluster import TOPOLOGY, running, three_sites
from eyewall_contracts.operations import LONGEST_SOLVE
from eyewall_papers.provisioning import violations
from eyewall_papers.provisioning.service import MOST_AT_ONCE, PlatformRequest, PlatformSearch
from eyewall_sidecar.messages import Code, message
from eyewall_sidecar.model import Status
from eyewall_sidecar.service.lookup import InvalidRequestError, UnavailableError, UnknownNameError
from eyewall_sidecar.service.solver_pool import SolverFailure
from obedient_nimbus import Nimbus
from storm_builders import chain, supervisor, worker

WANTED = PlatformRequest(TOPOLOGY.name, method="subtree-bottom-up")
CLOUD = replace(WANTED, catalogue="made-up-cloud", tuple_bytes=100)
OWN = """
currency = "EUR"
unit = "cores"
[[types]]
name = "half"
cpu = 0.5
card_gbit = 1
price = 7
"""


def yes() -> bool:
    return True


@pytest.fixture
def nimbus() -> Nimbus:
    """source at the edge and sink in the cloud by their pins, two tags anywhere; 0.1 cores each."""
    return running(three_sites())


def test_the_supervisors_that_pins_do_not_ask_for_can_be_switched_off(nimbus: Nimbus) -> None:
    found = PlatformSearch(nimbus.context).find(WANTED, yes)
    assert found.answer.provision is not None
    assert {it.type.name for it in found.answer.provision.machines} == {"edge-1", "cloud-1"}
    assert found.answer.provision.price == 2  # each counts 1
    assert found.not_needed == ("fog-1",)
    assert (found.catalogue, found.currency) == ("", "")
    assert "network cards and links are not checked: no sizes of tuples were given" in (
        found.assumptions
    )


def test_a_supervisor_that_others_keep_on_costs_nothing_and_is_not_named_to_switch_off() -> None:
    # A pinned to nothing: 3 · 0.1 cores fit anywhere; b runs another topology in any case.
    nimbus = Nimbus([supervisor("a", 2), supervisor("b", 2), supervisor("c", 2)],
                    {("a", "b"): 10, ("b", "c"): 10, ("a", "c"): 10})  # fmt: skip
    mine, other = chain(("x", 3), name="mine-1-1"), chain(("y", 1), name="other-2-1")
    nimbus.running[other.id] = (worker("b", 6700, 1),)
    nimbus.running[mine.id] = (worker("a", 6700, 1, 2, 3),)
    nimbus.round(mine, other, obey=False)
    found = PlatformSearch(nimbus.context).find(PlatformRequest(mine.name), yes)
    assert found.answer.provision is not None
    assert [it.type.name for it in found.answer.provision.machines] == ["b"]
    assert found.answer.provision.price == 0
    assert found.not_needed == ("a", "c")
    assert "on in any case, as other topologies run there: b" in found.assumptions


def test_a_supervisor_that_others_keep_on_is_not_switched_off_even_if_it_is_not_needed() -> None:
    # x is pinned to a: neither b nor c is needed for it, but b runs another topology.
    nimbus = Nimbus([supervisor("a", 2), supervisor("b", 2), supervisor("c", 2)],
                    {("a", "b"): 10, ("b", "c"): 10, ("a", "c"): 10})  # fmt: skip
    mine = chain(("x", 1), name="mine-1-1", settings={"pin": {"x": ["a"]}})
    other = chain(("y", 1), name="other-2-1")
    nimbus.running[other.id] = (worker("b", 6700, 1),)
    nimbus.running[mine.id] = (worker("a", 6700, 1),)
    nimbus.round(mine, other, obey=False)
    found = PlatformSearch(nimbus.context).find(replace(WANTED, topology=mine.name), yes)
    assert found.not_needed == ("c",)


def test_machines_of_a_catalogue_are_bought_whatever_hosts_are_pinned_to(nimbus: Nimbus) -> None:
    found = PlatformSearch(nimbus.context).find(CLOUD, yes)
    provision = found.answer.provision
    assert provision is not None
    # 4 · 0.1 cores fit on one of 2: the smallest of the catalogue, 68 €.
    assert (provision.price, found.currency) == (68, "€")
    (asked,) = nimbus.solvers.tasks
    assert violations(asked.task.problem, provision) == ()
    left_aside = (
        "candidates of source[1-1], sink[4-4] left aside: they are nodes, not machine types"
    )
    assert left_aside in found.assumptions


def test_throughput_is_in_multiples_of_what_the_topology_carries_now(nimbus: Nimbus) -> None:
    PlatformSearch(nimbus.context).find(replace(CLOUD, throughput=3), yes)
    problem = nimbus.solvers.tasks[0].task.problem
    # source emits 20 tuples/s, half to each tag: 3 · 10 of 100 bytes on each of four streams.
    assert [it.rate for it in problem.flows] == pytest.approx([30] * 4)
    assert {it.tuple_bytes for it in problem.flows} == {100}
    assert [it.cpu for it in problem.demands] == pytest.approx([0.3] * 4)


def test_a_catalogue_may_be_sent_as_its_text(nimbus: Nimbus) -> None:
    found = PlatformSearch(nimbus.context).find(replace(CLOUD, catalogue=OWN, throughput=2), yes)
    assert found.answer.provision is not None
    # 4 · 0.2 cores on machines of 0.5, two each: 2 · 7.
    assert found.answer.provision.price == 14
    assert (found.catalogue, found.currency) == ("own", "EUR")


def test_that_no_machine_can_run_an_operator_is_an_answer(nimbus: Nimbus) -> None:
    found = PlatformSearch(nimbus.context).find(replace(CLOUD, catalogue=OWN, throughput=6), yes)
    # 0.6 cores of one executor on machines of 0.5.
    assert found.answer.solution.status is Status.INFEASIBLE
    assert found.answer.provision is None
    assert any("source[1-1]" in it for it in found.answer.solution.reasons)


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        (replace(CLOUD, throughput=0), "throughput is 0; it must be a number > 0, in multiples of"),
        (replace(CLOUD, throughput=-1), "throughput is -1; it must be a number > 0"),
        (replace(CLOUD, throughput=float("nan")), "throughput is nan; it must be"),
        (replace(CLOUD, tuple_bytes=-5), "tuple_bytes is -5; it must be a number of bytes ≥ 0"),
        (replace(CLOUD, tuple_bytes=None), "tuple_bytes is not given"),
        (replace(CLOUD, time_limit=61), f"at most {LONGEST_SOLVE:g}"),
        (replace(CLOUD, seed=-1), "seed -1: it must be a whole number from 0 to"),
        (replace(CLOUD, catalogue="dell-2008"), "unit is GHz; it must be cores"),
        (replace(CLOUD, catalogue="a = "), "catalogue: "),
        (replace(CLOUD, catalogue=OWN.replace("price = 7", "")), "half: price is missing"),
    ],
)
def test_what_makes_no_sense_is_refused_with_its_value_and_what_is_allowed(
    nimbus: Nimbus, wanted: PlatformRequest, said: str
) -> None:
    with pytest.raises(InvalidRequestError) as refused:
        PlatformSearch(nimbus.context).find(wanted, yes)
    assert said in str(refused.value)
    assert nimbus.solvers.tasks == []


@pytest.mark.parametrize(
    ("wanted", "nearest"),
    [
        (replace(CLOUD, topology="words-1-17"), TOPOLOGY.name),
        (replace(CLOUD, catalogue="made-up-clouds"), "made-up-cloud"),
    ],
)
def test_an_unknown_name_is_refused_with_the_nearest(
    nimbus: Nimbus, wanted: PlatformRequest, nearest: str
) -> None:
    with pytest.raises(UnknownNameError) as refused:
        PlatformSearch(nimbus.context).find(wanted, yes)
    assert nearest in refused.value.nearest


def test_a_process_that_died_is_a_failed_answer_with_its_reason(nimbus: Nimbus) -> None:
    nimbus.solvers.task_answer = SolverFailure(message(Code.SOLVER_DIED))
    found = PlatformSearch(nimbus.context).find(CLOUD, yes)
    assert found.answer.solution.status is Status.FAILED
    assert found.answer.solution.reasons == (str(message(Code.SOLVER_DIED)),)


def test_what_nobody_waits_for_any_more_is_dropped_and_its_place_is_free(nimbus: Nimbus) -> None:
    nimbus.solvers.late = True
    for _ in range(MOST_AT_ONCE + 1):  # one more than there are places
        with pytest.raises(UnavailableError, match="nobody waits for the answer any more"):
            PlatformSearch(nimbus.context).find(CLOUD, lambda: False)
    assert all(it.cancelled for it in nimbus.solvers.tasks)


def test_one_more_than_may_be_looked_for_at_a_time_is_refused(nimbus: Nimbus) -> None:
    nimbus.solvers.late = True
    buying = PlatformSearch(nimbus.context)
    refused: list[str] = []

    def asks_meanwhile() -> bool:
        if len(nimbus.solvers.tasks) == MOST_AT_ONCE:
            with pytest.raises(UnavailableError) as error:
                buying.find(CLOUD, asks_meanwhile)
            refused.append(str(error.value))
        elif not refused:
            with pytest.raises(UnavailableError):
                buying.find(CLOUD, asks_meanwhile)
        return False

    with pytest.raises(UnavailableError):
        buying.find(CLOUD, asks_meanwhile)
    assert refused == ["2 platforms are being looked for already; try again in a moment"]
