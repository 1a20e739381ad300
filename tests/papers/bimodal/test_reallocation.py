"""Algorithm 4 of paper 004: priorities, direct links, paths within the budget, the public rest."""

from collections import Counter
from collections.abc import Mapping

import pytest
from eyewall_papers.bimodal.mapping import Route
from eyewall_papers.bimodal.network import LinkKind
from eyewall_papers.bimodal.reallocation import (
    LinkFlow,
    LinkReason,
    NoReservation,
    permitted_hops,
    rate_to_comply,
    reallocate,
)
from eyewall_sidecar.model import ProblemError
from eyewall_sidecar.model.violations import exceeds
from hypothesis import given
from hypothesis import strategies as st

HOST = "u"
DIRECT = Route(LinkKind.DEDICATED, ("u", "v"))
PUBLIC = Route(LinkKind.PUBLIC, ("u", "v"))
OVER_W = Route(LinkKind.DEDICATED, ("u", "w", "v"))


def flow(
    name: str, *, target: float = 100.0, needed: float = 100.0, budget: float = 1.0
) -> LinkFlow:
    return LinkFlow(name, "v", target, needed, budget)


def nothing_found(*_: object) -> NoReservation:
    return NoReservation.NO_PATH


def over_w(wanted: LinkFlow, hops: int, left: Mapping[str, float]) -> Route | NoReservation:
    room = hops >= 2 and not exceeds(wanted.target, left.get("w", 0.0))
    return OVER_W if room else NoReservation.NO_PATH


def test_a_flow_needs_its_target_and_what_it_is_behind_over_the_interval() -> None:
    # 100 bytes/s for 30 s are 3000 bytes, 2400 came: 100 + 600 / 10 = 160 bytes/s in the next 10 s.
    assert rate_to_comply(target=100, elapsed=30, delivered=2400, interval=10) == 160


def test_a_flow_that_is_an_interval_ahead_needs_nothing() -> None:
    assert rate_to_comply(target=100, elapsed=30, delivered=4500, interval=10) == 0


def test_an_interval_of_no_length_is_refused() -> None:
    with pytest.raises(ProblemError, match=r"interval is 0 s; it must be positive"):
        rate_to_comply(target=100, elapsed=30, delivered=0, interval=0)


def test_the_direct_link_goes_to_the_highest_budget_times_bandwidth_needed() -> None:
    # 2 · 100 = 200 and 1 · 150 = 150 come before 1 · 120 = 120; 250 bytes/s hold two of 100.
    flows = [flow("late", needed=120), flow("later", needed=150), flow("payer", budget=2)]
    assigned = reallocate(HOST, flows, {"v": 250}, nothing_found, price=1)
    assert assigned["payer"].route == assigned["later"].route == DIRECT
    assert assigned["payer"].reason is LinkReason.DIRECT
    assert assigned["late"].route == PUBLIC


def test_equal_priorities_are_served_in_the_order_of_names() -> None:
    for flows in ([flow("a"), flow("b")], [flow("b"), flow("a")]):
        assigned = reallocate(HOST, flows, {"v": 100}, nothing_found, price=1)
        assert (assigned["a"].route, assigned["b"].route) == (DIRECT, PUBLIC)


def test_unlimited_budgets_are_equal_and_the_bandwidth_needed_decides() -> None:
    flows = [flow("a", budget=float("inf")), flow("b", needed=110, budget=float("inf"))]
    assigned = reallocate(HOST, flows, {"v": 100}, nothing_found, price=1)
    assert (assigned["a"].route, assigned["b"].route) == (PUBLIC, DIRECT)


def test_a_flow_that_does_not_fit_is_passed_over_and_the_next_may_fit() -> None:
    flows = [flow("big", target=300, needed=300), flow("small", target=80, needed=80)]
    assigned = reallocate(HOST, flows, {"v": 100}, nothing_found, price=1)
    assert (assigned["big"].route, assigned["small"].route) == (PUBLIC, DIRECT)


def test_a_flow_takes_its_target_of_a_link_however_far_it_is_behind() -> None:
    assigned = reallocate(HOST, [flow("a", needed=900)], {"v": 100}, nothing_found, price=1)
    assert assigned["a"].route == DIRECT


def test_what_has_no_room_on_the_direct_link_takes_a_path_that_its_budget_pays_for() -> None:
    # A budget of 2 pays for two hops at 1 a byte, one of 1.9 does not.
    flows = [flow("a", budget=3), flow("b", budget=2), flow("c", budget=1.9)]
    assigned = reallocate(HOST, flows, {"v": 100, "w": 500}, over_w, price=1)
    assert assigned["b"].route == OVER_W
    assert assigned["b"].reason is LinkReason.MULTI_HOP
    assert assigned["c"].route == PUBLIC
    assert assigned["c"].reason is LinkReason.NO_BUDGET


def test_a_path_shares_the_first_link_with_those_who_have_it_directly() -> None:
    # u → w has 250: one flow to w takes 100 of it, one path over w 100, and the next finds 50.
    flows = [flow("a", budget=3), flow("b", budget=2), LinkFlow("to w", "w", 100, 100, 1)]
    assigned = reallocate(HOST, flows, {"w": 250}, over_w, price=1)
    assert assigned["to w"].reason is LinkReason.DIRECT
    assert assigned["a"].reason is LinkReason.MULTI_HOP
    assert assigned["b"].reason is LinkReason.NO_PATH


def test_a_flow_whose_path_is_still_searched_for_uses_the_public_network() -> None:
    assigned = reallocate(
        HOST, [flow("a", budget=2)], {}, lambda *_: NoReservation.SEARCHING, price=1
    )
    assert assigned["a"].route == PUBLIC
    assert assigned["a"].reason is LinkReason.SEARCHING


def test_a_budget_that_allows_no_hop_leaves_the_public_network_alone() -> None:
    assigned = reallocate(HOST, [flow("a", budget=0.5)], {"v": 100, "w": 100}, over_w, price=1)
    assert assigned["a"].route == PUBLIC
    assert assigned["a"].reason is LinkReason.NO_HOP


def test_a_budget_of_three_tenths_pays_for_three_hops_at_a_tenth() -> None:
    # 0.3 / 0.1 is 2.9999999999999996 in floating point.
    assert permitted_hops(budget=0.3, price=0.1, most_hops=9) == 3


def test_free_hops_are_limited_by_the_longest_path_alone() -> None:
    assert permitted_hops(budget=0.0, price=0.0, most_hops=3) == 3


@pytest.mark.parametrize(
    ("path", "says"),
    [
        (("u", "w"), "flow a from u to v: its probe leads u → w"),
        (("u", "x", "w", "v"), "flow a: its probe took 3 hops, 2 are permitted"),
        (("u", "x", "v"), "its probe took 100 bytes/s of the link from u to x, 0 are left"),
    ],
)
def test_a_probe_that_answers_with_a_wrong_path_is_named(path: tuple[str, ...], says: str) -> None:
    wrong = Route(LinkKind.DEDICATED, path)
    with pytest.raises(ProblemError, match=says):
        reallocate(HOST, [flow("a", budget=2)], {"w": 500}, lambda *_: wrong, price=1)


def test_a_flow_to_its_own_host_and_two_of_one_name_are_refused() -> None:
    with pytest.raises(ProblemError, match="flow a of u leads to u; it needs no link"):
        reallocate(HOST, [LinkFlow("a", "u", 1, 1)], {}, nothing_found, price=1)
    with pytest.raises(ProblemError, match="flow a is listed more than once"):
        reallocate(HOST, [flow("a"), flow("a")], {}, nothing_found, price=1)


NODES = ("v", "w", "x")
AMOUNTS = st.integers(0, 5).map(float)


@st.composite
def flows_of_a_host(draw: st.DrawFn) -> list[LinkFlow]:
    return [
        LinkFlow(str(at), draw(st.sampled_from(NODES)), draw(AMOUNTS), draw(AMOUNTS), draw(AMOUNTS))
        for at in range(draw(st.integers(0, 8)))
    ]


def over_any(wanted: LinkFlow, hops: int, left: Mapping[str, float]) -> Route | NoReservation:
    """Go over each other node that has room, as far as permitted, and then to the end."""
    over = [it for it in NODES if it != wanted.next_hop and left.get(it, -1.0) >= wanted.target]
    if not over:
        return NoReservation.NO_PATH
    return Route(LinkKind.DEDICATED, (HOST, *over[: hops - 1], wanted.next_hop))


@given(flows=flows_of_a_host(), free=st.dictionaries(st.sampled_from(NODES), AMOUNTS))
def test_no_dedicated_link_carries_more_than_it_has_free(
    flows: list[LinkFlow], free: dict[str, float]
) -> None:
    assigned = reallocate(HOST, flows, free, over_any, price=1)
    carried: Counter[str] = Counter()
    for it in flows:
        route = assigned[it.id].route
        if route.kind is LinkKind.DEDICATED:
            carried[route.hops[1]] += it.target  # type: ignore[assignment]
    assert all(amount <= free.get(node, 0.0) for node, amount in carried.items())


@given(flows=flows_of_a_host(), free=st.dictionaries(st.sampled_from(NODES), AMOUNTS))
def test_nobody_has_a_direct_link_that_a_higher_priority_would_fit_on(
    flows: list[LinkFlow], free: dict[str, float]
) -> None:
    assigned = reallocate(HOST, flows, free, over_any, price=1)
    for node in NODES:
        group = [it for it in flows if it.next_hop == node and it.budget >= 1]
        holders = [it for it in group if assigned[it.id].reason is LinkReason.DIRECT]
        for waiting in group:
            if waiting in holders or node not in free:
                continue
            before = sum(it.target for it in holders if it.rank < waiting.rank)
            assert before + waiting.target > free[node]


@given(flows=flows_of_a_host(), free=st.dictionaries(st.sampled_from(NODES), AMOUNTS))
def test_no_flow_pays_for_more_hops_than_its_budget_permits(
    flows: list[LinkFlow], free: dict[str, float]
) -> None:
    assigned = reallocate(HOST, flows, free, over_any, price=1)
    for it in flows:
        route = assigned[it.id].route
        if route.kind is LinkKind.DEDICATED:
            assert len(route.links) * 1.0 <= it.budget


@given(flows=flows_of_a_host(), free=st.dictionaries(st.sampled_from(NODES), AMOUNTS))
def test_each_flow_has_links_to_its_next_hop_in_whatever_order_flows_are_given(
    flows: list[LinkFlow], free: dict[str, float]
) -> None:
    assigned = reallocate(HOST, flows, free, over_any, price=1)
    assert {it.id: it.next_hop for it in flows} == {
        name: it.route.hops[-1] for name, it in assigned.items()
    }
    assert reallocate(HOST, flows[::-1], free, over_any, price=1) == assigned
