"""Why there is no platform: who or what is in the way, and what it would take."""

from dataclasses import replace
from math import inf

import eyewall_papers.provisioning.exact as exact_method
import pytest
from every_provision import least_price
from eyewall_papers.provisioning import BasicObject, DataServer, MachineType, ProvisioningProblem
from eyewall_papers.provisioning.exact import exact
from eyewall_papers.provisioning.infeasibility import (
    TOGETHER,
    UNDECIDED,
    binding_reasons,
    obvious_reasons,
)
from eyewall_papers.provisioning.partition import Partition
from eyewall_sidecar.exact.finding import Outcome
from eyewall_sidecar.model import Operator
from hypothesis import given, settings
from random_provisioning import provisioning_problems
from small_provisioning import LARGE, SMALL, pair


def stopped() -> float:
    return 0.0


def reasons(problem: ProvisioningProblem) -> tuple[str, ...]:
    return exact(problem, time_limit=60, seed=0, clock=stopped)[0].reasons


def test_a_problem_with_a_platform_has_no_reason() -> None:
    assert obvious_reasons(pair()) == ()


def test_a_platform_that_is_too_small_for_all_together_is_reported() -> None:
    # 3 + 3 cores; of small machines one is there, with 4.
    assert obvious_reasons(pair(types=(replace(SMALL, count=1.0),))) == (
        "all operators together take 6 of cpu; all available machines have 4",
    )
    assert obvious_reasons(pair(types=(replace(SMALL, count=2.0),))) == ()
    assert obvious_reasons(pair(types=(replace(SMALL, cpu=inf, count=1.0),))) == ()


def test_an_operator_that_no_machine_runs_is_named_with_what_it_takes() -> None:
    assert obvious_reasons(pair(works=(9, 1))) == (
        (
            "operator a runs on no machine type: it takes at least cpu 9 (the most there is: 8), "
            "card 5, memory 0"
        ),
    )


def test_a_machine_type_that_an_operator_may_not_use_does_not_help_it() -> None:
    problem = pair(works=(1, 5))
    choosy = Operator("b", cpu=5, candidates=("small",))
    assert obvious_reasons(replace(problem, operators=(problem.operators[0], choosy))) == (
        (
            "operator b runs on no machine type: it takes at least cpu 5 (the most there is: 4), "
            "card 0, memory 0"
        ),
    )


def test_a_need_that_no_single_type_meets_differs_from_one_that_none_meets() -> None:
    fast, wide = replace(SMALL, cpu=8.0, card=4.0), replace(LARGE, cpu=2.0)
    assert obvious_reasons(pair(works=(6, 1), types=(fast, wide))) == (
        (
            "operator a runs on no machine type: it takes at least cpu 6, card 5, memory 0; each "
            "alone is there, but no type has all of it"
        ),
    )


def test_operators_that_have_to_share_a_machine_are_named_together() -> None:
    # 2 bytes/s flow between them, the link carries 1; together they take 10 of 8 cores.
    assert obvious_reasons(pair(works=(5, 5), link=1)) == (
        (
            "operators a, b have to share a machine (no link or card carries what flows between "
            "them) and run on no machine type: it takes at least cpu 10 (the most there is: 8), "
            "card 5, memory 0"
        ),
    )


def test_operators_that_have_to_share_a_machine_but_have_no_type_in_common_are_named() -> None:
    operators = (
        Operator("a", cpu=1, candidates=("small",)),
        Operator("b", cpu=1, candidates=("large",)),
    )
    assert obvious_reasons(replace(pair(link=1), operators=operators)) == (
        (
            "operators a, b have to share a machine (no link or card carries what flows between "
            "them) and run on no machine type: their candidates have none in common"
        ),
    )


def test_an_object_whose_holders_links_are_too_small_is_named() -> None:
    servers = (DataServer("s", ("k",), link=4), DataServer("t", ("k",), card=3))
    assert obvious_reasons(pair(servers=servers)) == (
        "object k: 5 bytes/s are downloaded; its holders (s, t) send at most 4 over one link",
    )


def test_a_server_that_cannot_send_what_it_alone_holds_is_named() -> None:
    # k and m are 5 bytes/s each, both only on s, which sends 9.
    problem = replace(
        pair(),
        needs={"a": ("k",), "b": ("m",)},
        objects=(BasicObject("k", 5), BasicObject("m", 5)),
        servers=(DataServer("s", ("k", "m"), card=9),),
    )
    assert obvious_reasons(problem) == (
        "server s: what it alone holds (k, m) takes 10 bytes/s at least, its card sends 9",
    )


def test_an_object_is_named_whose_links_to_every_machine_type_are_too_small() -> None:
    server = DataServer("s", ("k",), links={"small": 4, "large": 3})
    assert obvious_reasons(pair(servers=(server,))) == (
        "object k: 5 bytes/s are downloaded; its holders (s) send at most 4 over one link",
    )


def test_a_server_is_not_charged_with_what_another_one_could_send() -> None:
    # k and m are 5 bytes/s each; s sends 9, but k is on t, too.
    problem = replace(
        pair(),
        needs={"a": ("k",), "b": ("m",)},
        objects=(BasicObject("k", 5), BasicObject("m", 5)),
        servers=(DataServer("s", ("k", "m"), card=9), DataServer("t", ("k",), card=9)),
    )
    assert obvious_reasons(problem) == ()


def test_the_limits_that_leave_nothing_are_named_where_a_search_was_needed_to_see_it() -> None:
    # Both use k, and 4 + 5 cores are more than a machine has; two downloads are 10 of 9 bytes/s.
    problem = replace(
        pair(works=(4, 5), servers=(DataServer("s", ("k",), card=9),)),
        needs={"a": ("k",), "b": ("k",)},
    )
    assert obvious_reasons(problem) == ()
    assert reasons(problem) == (
        (
            "the servers' cards and links, (3) and (4), leave no valid provision; without them "
            "there is one for 26"
        ),
    )


@pytest.mark.parametrize(("price", "said"), [(inf, TOGETHER), (None, UNDECIDED)])
def test_that_no_limits_alone_are_the_cause_is_reported_only_if_known(
    price: float | None, said: str
) -> None:
    problem = pair(servers=(DataServer("s", ("k",), card=9),))
    assert binding_reasons(problem, lambda _: price) == (said,)


def test_to_find_what_is_in_the_way_takes_no_longer_than_the_time_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given_to: list[float] = []

    def nothing(*_: object, ends_at: float, **__: object) -> tuple[Partition, str]:
        given_to.append(ends_at)
        return Partition(Outcome.INFEASIBLE, None, inf, 0), "none"

    monkeypatch.setattr(exact_method, "_cheapest", nothing)
    narrow = replace(pair(link=50), servers=(DataServer("s", ("k",), card=9),))
    problem = replace(narrow, types=tuple(replace(it, count=1.0) for it in narrow.types))
    assert reasons(problem) == (TOGETHER,)
    # The question itself has the 60 s; then servers, links, cards and numbers are taken away.
    first, *relaxed = given_to
    assert (first, len(relaxed)) == (60, 4)
    assert sum(relaxed) == 60


def test_links_between_machines_are_named_where_they_leave_nothing() -> None:
    # a runs on small machines, b1 and b2 on large ones, of which there is one: a sends 1 byte/s to
    # each, and the link carries 2 of 1.5.
    base = pair()
    operators = (
        Operator("a", cpu=4, candidates=("small",)),
        Operator("b1", cpu=2, candidates=("large",)),
        Operator("b2", cpu=2, candidates=("large",)),
    )
    types = (SMALL, replace(LARGE, count=1.0))
    streams = tuple(replace(base.streams[0], target=it, tuple_bytes=1.0) for it in ("b1", "b2"))
    problem = replace(base, operators=operators, streams=streams, types=types, link=1.5)
    assert obvious_reasons(problem) == ()
    assert reasons(problem) == (
        (
            "the links between machines, (5), leave no valid provision; without them there is one "
            "for 26"
        ),
        (
            "the numbers of available machines leave no valid provision; without them there "
            "is one for 42"
        ),
    )


def test_a_group_that_no_machine_holds_with_any_others_is_named() -> None:
    # a sends 8 to b, which sends 8 to c: b's card would carry 16 of 10 alone, and with a or c,
    # whose work takes a whole machine, there is no room.
    small = MachineType("small", cpu=4, card=10, price=10)
    base = pair(types=(small,))
    operators = (Operator("a", cpu=4), Operator("b", cpu=4), Operator("c", cpu=4))
    streams = (
        replace(base.streams[0], tuple_bytes=8.0),
        replace(base.streams[0], source="b", target="c", tuple_bytes=8.0),
    )
    problem = replace(base, operators=operators, streams=streams, needs={})
    assert reasons(problem) == (
        (
            "operator b runs on no machine type, alone or with others: there it takes 4 cpu, "
            "and its downloads and flows overload every card or link (largest card: 10 bytes/s)"
        ),
    )


@settings(max_examples=100, deadline=None, derandomize=True)
@given(provisioning_problems(operators=5))
def test_a_problem_for_which_there_is_a_reason_has_no_platform(
    problem: ProvisioningProblem,
) -> None:
    if obvious_reasons(problem):
        assert least_price(problem) == inf
