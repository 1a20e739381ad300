from eyewall_papers.bimodal.metric import DELAY, PAYMENT, Balanced, balance
from eyewall_papers.bimodal.network import LinkKind
from eyewall_papers.bimodal.partial_map import Hop, MapVisit, PartialMap
from hypothesis import given
from hypothesis import strategies as st

D, P = LinkKind.DEDICATED, LinkKind.PUBLIC
METRIC = Balanced()


def whole(load: float, *arrived: LinkKind) -> PartialMap:
    """Return a map of one operator on each node, reached by those links."""
    visits = tuple(MapVisit(f"n{at}", 1, kind) for at, kind in enumerate((D, *arrived)))
    return PartialMap(visits, len(visits), loads=(("n0", load), ("n1", load)))


def test_costs_are_delays_or_what_is_paid_in_a_second() -> None:
    hop = Hop("b", D, delay=0.02, price=3.0)
    assert (DELAY.charge(hop, 10.0), PAYMENT.charge(hop, 10.0)) == (0.02, 30.0)


def test_the_balance_factor_is_the_mean_load_of_the_servers_in_the_map() -> None:
    partial = PartialMap((), loads=(("a", 0.5), ("b", 0.1), ("c", 0.6)))
    assert abs(balance(partial) - 0.4) < 1e-12


def test_a_balance_that_is_better_by_more_than_a_tenth_decides() -> None:
    assert METRIC.better(whole(0.3, P, P), whole(0.41, D, D))
    assert not METRIC.better(whole(0.41, D, D), whole(0.3, P, P))


def test_of_like_balances_more_dedicated_streams_decide_then_fewer_public_ones() -> None:
    assert METRIC.better(whole(0.4, D, D), whole(0.31, D, P))
    one_public = whole(0.4, D, P)
    two_public = whole(0.31, D, P, P)
    assert METRIC.better(one_public, two_public)
    assert not METRIC.better(two_public, one_public)


def test_a_stream_through_forwarding_nodes_is_one_dedicated_stream() -> None:
    # Three hops carry one stream on the left; two streams take one hop each on the right.
    hops = (MapVisit("a", 1, D), MapVisit("b", 0, D), MapVisit("c", 0, D), MapVisit("d", 1, D))
    forwarded = PartialMap(hops, 2)
    assert METRIC.better(whole(0.0, D, D), forwarded)


def test_the_first_in_rank_is_the_best_of_those_like_the_most_balanced() -> None:
    # "Within a tenth" is not transitive: c beats b and b beats a, but a beats c by balance.
    a, b, c = whole(0.30, P, P), whole(0.38, D, P), whole(0.46, D, D)
    assert METRIC.better(c, b)
    assert METRIC.better(b, a)
    assert METRIC.better(a, c)
    assert METRIC.ranked([a, b, c]) == [b, a, c]


@given(
    st.permutations([whole(load, *kinds) for load in (0.1, 0.15, 0.3) for kinds in ((D,), (P,))])
)
def test_a_rank_does_not_depend_on_the_order_of_maps(maps: list[PartialMap]) -> None:
    assert METRIC.ranked(maps) == METRIC.ranked(maps[::-1])
