"""Each constraint of paper 003, section 2.3, broken by a little and kept to the last byte."""

from dataclasses import replace
from math import inf

import pytest
from eyewall_papers.provisioning import (
    BasicObject,
    DataServer,
    Machine,
    MachineType,
    Provision,
    ProvisioningProblem,
    violations,
)
from eyewall_sidecar.model import Operator, Stream
from small_provisioning import LARGE, SMALL, apart, pair, together


def test_a_provision_that_keeps_everything_breaks_nothing() -> None:
    # u: 3 of 4 cores, 5 + 2 of 10 bytes/s; v: 3 of 4 cores, 2 of 10 bytes/s.
    assert violations(pair(), apart()) == ()


def test_constraint_1_counts_the_work_of_all_operators_of_a_machine_at_the_throughput() -> None:
    # 1.25 · (3 + 3) = 7.5 of 8 cores; 1.5 · 6 = 9 of 8.
    assert violations(pair(throughput=1.25), together()) == ()
    assert violations(pair(throughput=1.5), together()) == ("node u: cpu 9 placed, 8 there",)


def test_constraint_2_counts_downloads_once_and_flows_with_other_machines_at_the_throughput() -> (
    None
):
    # At ρ: u carries 5 + 2 ρ. The download does not grow: ρ = 2.5 gives 10, ρ = 2.6 gives 10.2.
    cheap_work = pair(works=(0, 0))
    assert violations(cheap_work.at(2.5), apart()) == ()
    assert violations(cheap_work.at(2.6), apart()) == (
        "machine u: its card carries 10.2 bytes/s, 10 there",
    )


def test_constraint_2_counts_a_flow_on_the_cards_of_both_ends() -> None:
    # 6 · 2 bytes/s leave u and enter v: 12 of 10 on each card; nothing is downloaded.
    problem = pair(works=(0, 0), rate=0, throughput=6)
    assert violations(problem, apart()) == (
        "machine u: its card carries 12 bytes/s, 10 there",
        "machine v: its card carries 12 bytes/s, 10 there",
    )


def test_constraint_2_shares_one_download_among_the_operators_of_a_machine() -> None:
    # Both use k, 6 bytes/s: together 6 of 10, not 12. Apart, each downloads it.
    problem = replace(pair(rate=6, works=(1, 1)), needs={"a": ("k",), "b": ("k",)})
    assert violations(problem, together(SMALL)) == ()
    assert violations(problem, apart()) == (
        "machine v downloads k, which operator b uses, from no server",
    )


def test_constraint_2_counts_what_stays_on_a_machine_for_nothing() -> None:
    assert violations(pair(works=(1, 1), flow=1000), together(SMALL)) == ()


def test_constraint_3_counts_all_downloads_from_a_server() -> None:
    # Both machines download k from s: 5 + 5 of 9 bytes/s.
    server = DataServer("s", ("k",), card=9)
    problem = replace(pair(servers=(server,)), needs={"a": ("k",), "b": ("k",)})
    both = replace(apart(), downloads={("u", "k"): "s", ("v", "k"): "s"})
    assert violations(problem, both) == ("server s: its card sends 10 bytes/s, 9 there",)
    assert violations(replace(problem, servers=(replace(server, card=10.0),)), both) == ()


def test_constraint_4_counts_the_downloads_over_one_link_from_a_server() -> None:
    problem = pair(servers=(DataServer("s", ("k",), card=9, link=4.9),))
    assert violations(problem, apart()) == ("link s → u: 5 bytes/s downloaded, 4.9 there",)


def test_constraint_4_takes_the_link_to_the_type_of_the_machine() -> None:
    # The link to large machines carries 4, the one to all others 5.
    problem = pair(servers=(DataServer("s", ("k",), link=5, links={"large": 4}),))
    assert violations(problem, apart()) == ()
    assert violations(problem, apart(of_a=LARGE)) == ("link s → u: 5 bytes/s downloaded, 4 there",)


def test_constraint_5_counts_both_directions_between_two_machines() -> None:
    # a → b carries 2, b → a carries 1.5: 3.5 of 3 bytes/s.
    problem = replace(
        pair(link=3),
        streams=(
            Stream("a", "b", tuple_bytes=2),
            Stream("b", "a", tuple_bytes=1.5, system=True),  # as acks go
        ),
    )
    assert violations(problem, apart()) == ("link between u and v: 3.5 bytes/s, 3 there",)
    assert violations(replace(problem, link=3.5), apart()) == ()


@pytest.mark.parametrize("ends", [("small", "large"), ("large", "small")])
def test_constraint_5_takes_the_link_between_the_two_types_in_either_order(
    ends: tuple[str, str],
) -> None:
    problem = pair(link=inf, links={ends: 1})
    assert violations(problem, apart()) == ()
    assert violations(problem, apart(of_b=LARGE)) == ("link between u and v: 2 bytes/s, 1 there",)


def test_no_more_machines_are_bought_than_can_be_had() -> None:
    only = replace(SMALL, count=1)
    assert violations(pair(types=(only, LARGE)), apart(only, only)) == (
        "machine type small: 2 used, 1 available",
    )


def test_a_machine_that_is_not_in_the_catalogue_is_named() -> None:
    free = replace(SMALL, price=0.0)
    assert violations(pair(), apart(of_a=free)) == (
        "machine u: no such machine type small is available",
    )


def test_an_operator_keeps_to_its_candidates() -> None:
    problem = pair()
    choosy = replace(problem.operators[1], candidates=("large",))
    problem = replace(problem, operators=(problem.operators[0], choosy))
    assert violations(problem, apart()) == (
        "operator b is on a machine of type small, which is not among its candidates",
    )


def test_memory_does_not_grow_with_the_throughput() -> None:
    tight = MachineType("tight", cpu=100, card=100, price=1, memory=3)
    problem = ProvisioningProblem((Operator("a", cpu=1, memory=3),), (), (tight,), throughput=10.0)
    alone = Provision((Machine("u", tight),), {"a": "u"}, {})
    assert violations(problem, alone) == ()


def test_downloads_that_nobody_needs_or_nobody_can_send_are_named() -> None:
    problem = replace(
        pair(servers=(DataServer("s", ("k",)), DataServer("t", ()))),
        objects=(BasicObject("k", size=5),),
    )
    assert violations(problem, replace(apart(), downloads={("u", "k"): "t"})) == (
        "machine u downloads k from t, which does not hold it",
    )
    extra = replace(apart(), downloads={("u", "k"): "s", ("v", "k"): "s"})
    assert violations(problem, extra) == (
        "machine v downloads k, which none of its operators uses",
    )


def test_an_operator_without_a_machine_is_named() -> None:
    assert violations(pair(), replace(apart(), placement={"a": "u"})) == (
        "operator b is placed nowhere",
    )


def test_an_operator_on_a_machine_that_is_not_bought_is_named() -> None:
    assert violations(pair(), replace(apart(), placement={"a": "u", "b": "w"})) == (
        "operator b is on w, which is not bought",
    )


def test_two_machines_of_one_name_are_refused() -> None:
    twice = replace(apart(), machines=(Machine("u", SMALL), Machine("u", SMALL)))
    assert "two machines have the same id" in violations(pair(), twice)
