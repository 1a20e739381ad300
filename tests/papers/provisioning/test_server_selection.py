"""Both server selections and the downgrade of paper 003, section 6.2."""

from collections.abc import Sequence

from eyewall_papers.provisioning import DataServer
from eyewall_papers.provisioning.groups import ProvisioningArrays
from eyewall_papers.provisioning.heuristics import FailedStep, HeuristicFailure
from eyewall_papers.provisioning.heuristics.heuristic import downgrade
from eyewall_papers.provisioning.heuristics.server_selection import (
    select_intelligently,
    select_randomly,
)
from eyewall_papers.provisioning.problem import MachineType
from eyewall_papers.provisioning.purchases import Purchases
from numpy.random import default_rng
from provisioning_trees import LARGE, SMALL, tree_of


def bought(
    needs: Sequence[Sequence[str]],
    servers: Sequence[DataServer],
    rates: dict[str, float],
    types: Sequence[MachineType] = (SMALL, LARGE),
) -> Purchases:
    """Return one large machine for each of these sets of objects."""
    names = [chr(ord("a") + place) for place in range(len(needs))]
    problem = tree_of(
        dict.fromkeys(names, 1.0),
        {},
        dict(zip(names, needs, strict=True)),
        servers=servers,
        rates=rates,
        types=types,
    )
    purchases = Purchases(ProvisioningArrays.of(problem))
    for operator in range(len(names)):
        purchases.buy(len(types) - 1, purchases.instance.alone[operator])
    return purchases


def test_objects_that_one_server_holds_come_first() -> None:
    # l is on s alone and takes all of its card, so k, on s and t, comes from t.
    servers = [DataServer("s", ("k", "l"), card=5), DataServer("t", ("k",), card=5)]
    purchases = bought([["k", "l"]], servers, {"k": 3, "l": 4})
    assert select_intelligently(purchases, default_rng(0)) == {(0, 1): 0, (0, 0): 1}


def test_servers_that_hold_one_object_send_as_much_of_it_as_they_can() -> None:
    # t holds k alone, and has room for one of both downloads; the other comes from s.
    servers = [DataServer("s", ("k", "l"), card=9), DataServer("t", ("k",), card=5)]
    purchases = bought([["k"], ["k"], ["l"]], servers, {"k": 3, "l": 1})
    selected = select_intelligently(purchases, default_rng(0))
    assert selected == {(2, 1): 0, (0, 0): 1, (1, 0): 0}


def test_the_rest_comes_from_the_server_with_the_most_room_on_card_or_link() -> None:
    # s's card has 9 but its links 2, t has 5 and 5: k comes from t, which has 3 and 5 left for l.
    servers = [
        DataServer("s", ("k", "l"), card=9, link=2),
        DataServer("t", ("k", "l"), card=5, link=5),
    ]
    purchases = bought([["k"], ["l"]], servers, {"k": 2})
    assert select_intelligently(purchases, default_rng(0)) == {(0, 0): 1, (1, 1): 1}


def test_a_server_that_must_send_more_than_its_card_makes_the_selection_fail() -> None:
    servers = [DataServer("s", ("k",), card=5)]
    failure = select_intelligently(bought([["k"], ["k"]], servers, {"k": 3}), default_rng(0))
    assert isinstance(failure, HeuristicFailure)
    assert (failure.step, failure.subject) == (FailedStep.SERVERS, "k")
    assert "takes 3 bytes/s" in failure.reason


def test_the_random_selection_takes_any_server_that_holds_the_object() -> None:
    servers = [DataServer("s", ("k",)), DataServer("t", ("k",)), DataServer("u", ("l",))]
    purchases = bought([["k"], ["l"]], servers, {})
    taken = [select_randomly(purchases, default_rng(seed)) for seed in range(20)]
    assert all(not isinstance(it, HeuristicFailure) for it in taken)
    assert {it[0, 0] for it in taken if not isinstance(it, HeuristicFailure)} == {0, 1}
    assert {it[1, 1] for it in taken if not isinstance(it, HeuristicFailure)} == {2}


def test_a_machine_is_downgraded_to_the_cheapest_that_its_downloads_still_reach() -> None:
    # The small machine holds a's core and card, but a server's link to it carries 1 of 3 bytes/s.
    for links, left in (({"small": 1.0}, "large"), ({}, "small")):
        servers = [DataServer("s", ("k",), links=links)]
        purchases = bought([["k"]], servers, {"k": 3})
        downgrade(purchases, {(0, 0): 0})
        assert purchases.instance.types[purchases.owned[0].type].name == left
