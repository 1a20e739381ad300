"""Algorithm 4 at every host of a running cluster: one network, and what each host leaves of it."""

from collections import Counter
from itertools import pairwise
from math import inf

import pytest
from eyewall_papers.bimodal.link_choice import (
    ConnectionPromise,
    LinkChoice,
    ObservedRates,
    ObservedTraffic,
    choose_links,
)
from eyewall_papers.bimodal.mapping import Route
from eyewall_papers.bimodal.network import DedicatedLink, LinkKind, TwoKindNetwork
from eyewall_papers.bimodal.reallocation import LinkReason
from eyewall_sidecar.model import Node, ProblemError
from hypothesis import given
from hypothesis import strategies as st

INTERVAL = 2.0
NOTHING = ObservedTraffic(0.0, 0.0)


def network(*links: tuple[str, str, float], price: float = 1.0) -> TwoKindNetwork:
    """Hosts by the names that links have, each link with its bandwidth in bytes/s."""
    hosts = sorted({host for one, other, _ in links for host in (one, other)})
    dedicated = tuple(
        DedicatedLink(one, other, bandwidth, price=price) for one, other, bandwidth in links
    )
    return TwoKindNetwork(tuple(Node(id=host) for host in hosts), dedicated)


TRIANGLE = network(("a", "b", 400.0), ("a", "c", 400.0), ("c", "b", 400.0))


def connection(
    topology: str, budget: float, *, source: str = "a", port: int = 1
) -> ConnectionPromise:
    return ConnectionPromise(topology, source, "b", port, 300.0, budget)


def choose(
    links: TwoKindNetwork, *connections: ConnectionPromise, seen: ObservedTraffic = NOTHING
) -> dict[str, LinkChoice]:
    observed = dict.fromkeys(connections, seen)
    return {
        it.topology: c for it, c in choose_links(links, connections, observed, INTERVAL).items()
    }


def test_the_higher_budget_has_the_direct_link_the_next_a_path_within_its_budget() -> None:
    # 400 bytes/s hold one flow of 300: urgent has 50 · 300 against 2 · 300 and 1.5 · 300.
    chosen = choose(
        TRIANGLE, connection("thrifty", 1.5), connection("bulk", 2.0), connection("urgent", 50.0)
    )
    assert chosen["urgent"].route == Route(LinkKind.DEDICATED, ("a", "b"))
    assert chosen["bulk"].route == Route(LinkKind.DEDICATED, ("a", "c", "b"))
    assert chosen["bulk"].reason is LinkReason.MULTI_HOP
    # One hop is all that 1.5 pays for, and the only one is taken.
    assert chosen["thrifty"].route == Route(LinkKind.PUBLIC, ("a", "b"))
    assert chosen["thrifty"].reason is LinkReason.NO_BUDGET


def test_who_is_far_behind_comes_before_who_may_pay_a_little_more() -> None:
    # b1 had all of its 300 bytes/s: it needs 300, times 2. b2 had none for 10 s: 300 + 3,000 / 2 =
    # 1,800, times 1.5.
    ahead, behind = connection("b1", 2.0), connection("b2", 1.5, port=2)
    observed = {ahead: ObservedTraffic(10.0, 3_000.0), behind: ObservedTraffic(10.0, 0.0)}
    chosen = choose_links(network(("a", "b", 400.0)), [ahead, behind], observed, INTERVAL)
    assert chosen[behind].route.kind is LinkKind.DEDICATED
    assert chosen[ahead].route.kind is LinkKind.PUBLIC
    assert (chosen[ahead].rate, chosen[behind].rate) == (300.0, 0.0)


def test_what_one_host_forwards_over_another_the_other_finds_taken() -> None:
    # a decides first: its two flows fill a–b and a–c–b, so that c's own does not fit any more.
    chosen = choose(
        TRIANGLE,
        connection("first", 9.0),
        connection("second", 9.0, port=2),
        connection("late", 9.0, source="c", port=3),
    )
    assert chosen["second"].route.hops == ("a", "c", "b")
    assert chosen["late"].route.kind is LinkKind.PUBLIC
    assert chosen["late"].reason is LinkReason.NO_PATH


def test_a_hop_costs_as_much_as_the_dearest_link() -> None:
    # 2.5 pays for two hops of 1, but for no second one of 2.
    dear = DedicatedLink("c", "b", 400.0, price=2.0)
    links = TwoKindNetwork(TRIANGLE.nodes, (TRIANGLE.dedicated[1], dear))
    assert choose(TRIANGLE, connection("x", 2.5))["x"].route.kind is LinkKind.DEDICATED
    assert choose(links, connection("x", 2.5))["x"].reason is LinkReason.NO_BUDGET


def test_two_connections_with_the_same_name_and_ends_are_decided_on_once() -> None:
    with pytest.raises(ProblemError, match="a → b:1 is listed more than once"):
        choose(TRIANGLE, connection("x", 1.0), connection("x", 2.0))


@pytest.mark.parametrize(("source", "target"), [("q", "b"), ("a", "q")])
def test_a_connection_of_an_unknown_host_is_named(source: str, target: str) -> None:
    stray = ConnectionPromise("x", source, target, 1, 300.0)
    with pytest.raises(
        ProblemError, match=f"x {source} → {target}:1: no host q; hosts are a, b, c"
    ):
        choose(TRIANGLE, stray)


hosts = st.sampled_from("abcde")
ends = st.tuples(hosts, hosts).filter(lambda it: it[0] != it[1])


@st.composite
def asked(draw: st.DrawFn) -> tuple[TwoKindNetwork, dict[ConnectionPromise, ObservedTraffic]]:
    pairs = draw(st.dictionaries(ends, st.floats(1.0, 1_000.0), min_size=1, max_size=7))
    rates = [(*pair, rate) for pair, rate in pairs.items() if pair[::-1] not in pairs]
    links = network(*rates, ("x", "y", 1.0))
    known = [node.id for node in links.nodes]
    flows = {}
    for port in range(draw(st.integers(0, 8))):
        source, target = draw(st.permutations(known))[:2]
        budget = draw(st.sampled_from([0.0, 1.0, 1.5, 2.0, 3.0, inf]))
        promised = draw(st.floats(0.0, 600.0))
        seen = ObservedTraffic(draw(st.floats(0.0, 10.0)), draw(st.floats(0.0, 6_000.0)))
        flows[ConnectionPromise("t", source, target, port, promised, budget)] = seen
    return links, flows


@given(asked())
def test_no_link_is_overfilled_no_budget_overdrawn_and_every_route_leads_there(
    given_: tuple[TwoKindNetwork, dict[ConnectionPromise, ObservedTraffic]],
) -> None:
    links, observed = given_
    chosen = choose_links(links, observed, observed, INTERVAL)
    assert chosen.keys() == observed.keys()
    taken: Counter[tuple[str, str]] = Counter()
    for it, choice in chosen.items():
        hops = choice.route.hops
        assert (hops[0], hops[-1]) == (it.source, it.target)
        if choice.route.kind is LinkKind.PUBLIC:
            continue
        assert len(set(hops)) == len(hops)
        assert (len(hops) - 1) * 1.0 <= it.budget * (1 + 1e-9)
        for way in pairwise(hops):
            taken[way] += it.promised  # type: ignore[assignment]
    for (sender, receiver), bytes_per_second in taken.items():
        link = links.link(sender, receiver)
        assert link is not None
        assert bytes_per_second <= link.bandwidth * (1 + 1e-6)


WINDOW = 10.0


def after(*seen: tuple[float, float]) -> ObservedTraffic:
    """What is known of a connection whose counter was read at these times: (time, bytes)."""
    rates: ObservedRates[str] = ObservedRates(WINDOW)
    for as_of, total in seen:
        rates.update({"a": total}, as_of)
    return rates.of("a")


def test_a_connection_that_was_seen_once_delivered_nothing_yet() -> None:
    assert after((5.0, 700.0)) == ObservedTraffic(0.0, 0.0)
    assert after((5.0, 700.0)).rate is None
    assert ObservedRates[str](WINDOW).of("never seen") == ObservedTraffic(0.0, 0.0)


def test_the_rate_is_that_between_the_first_and_the_last_look() -> None:
    # 700 to 1,900 bytes in 4 s.
    assert after((5.0, 700.0), (7.0, 1_000.0), (9.0, 1_900.0)) == ObservedTraffic(4.0, 1_200.0)
    assert after((5.0, 700.0), (9.0, 1_900.0)).rate == 300.0


def test_a_deficit_before_the_window_is_not_made_up_again() -> None:
    # At 20 s the last 10 s begin at 10 s: 100 bytes in 10 s, not the 1,000 before.
    assert after((0.0, 0.0), (10.0, 1_000.0), (20.0, 1_100.0)) == ObservedTraffic(10.0, 100.0)


def test_a_look_at_the_same_file_changes_nothing() -> None:
    assert after((0.0, 0.0), (2.0, 60.0), (2.0, 60.0)) == ObservedTraffic(2.0, 60.0)


@pytest.mark.parametrize("again", [(4.0, 10.0), (1.0, 90.0)])
def test_a_restarted_counter_is_read_from_its_restart(
    again: tuple[float, float],
) -> None:
    # Fewer bytes than before, or an earlier time: the router was restarted.
    assert after((0.0, 0.0), (2.0, 60.0), again) == ObservedTraffic(0.0, 0.0)


def test_a_connection_that_is_gone_is_forgotten() -> None:
    rates: ObservedRates[str] = ObservedRates(WINDOW)
    rates.update({"a": 0.0, "b": 0.0}, 0.0)
    rates.update({"b": 50.0}, 1.0)
    rates.update({"a": 900.0, "b": 80.0}, 2.0)
    assert rates.of("a") == ObservedTraffic(0.0, 0.0)
    assert rates.of("b") == ObservedTraffic(2.0, 80.0)


@given(st.lists(st.tuples(st.floats(0.1, 30.0), st.floats(0.0, 1e6)), min_size=1, max_size=40))
def test_no_less_than_the_window_is_looked_back_on_and_little_more(
    steps: list[tuple[float, float]],
) -> None:
    rates: ObservedRates[str] = ObservedRates(WINDOW)
    times, totals = [0.0], [0.0]
    rates.update({"a": 0.0}, 0.0)
    for seconds, delivered in steps:
        times.append(times[-1] + seconds)
        totals.append(totals[-1] + delivered)
        rates.update({"a": totals[-1]}, times[-1])
    # The latest look that is at least a window ago, or the first one.
    old = [place for place, at in enumerate(times) if times[-1] - at >= WINDOW]
    begin = old[-1] if old else 0
    seen = rates.of("a")
    assert seen.elapsed == pytest.approx(times[-1] - times[begin])
    assert seen.delivered == pytest.approx(totals[-1] - totals[begin], abs=1e-6)
