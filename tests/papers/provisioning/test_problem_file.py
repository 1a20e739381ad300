import json
from math import inf
from pathlib import Path
from typing import Any

import pytest
from eyewall_papers.provisioning import MachineType, ProvisioningProblem
from eyewall_papers.provisioning.problem_file import (
    UNCOUNTED,
    UNSIZED,
    ProvisioningOptions,
    parse_provisioning,
    priced_to_switch_off,
)
from eyewall_sidecar.model import Link, Node, Operator, PlacementProblem, ProblemError, Stream
from eyewall_sidecar.problem_file.writer import write_problem

SMALL = MachineType("small", cpu=2, card=1e9, price=10)


def file(**changes: Any) -> str:
    """Return a file: a → b, a needs the object o of server s; a change of None takes a key away."""
    whole: dict[str, Any] = {
        "version": 1,
        "operators": [{"id": "a", "objects": ["o"]}, {"id": "b", "cpu": 0.5}],
        "streams": [{"from": "a", "to": "b", "rate": 10, "tuple_bytes": 100}],
        "objects": [{"id": "o", "size": 3e6, "frequency": 0.5}],
        "servers": [{"id": "s", "objects": ["o"], "card": 2e6, "link": 1e6}],
    }
    return json.dumps({key: value for key, value in (whole | changes).items() if value is not None})


def nodes(*entries: dict[str, Any]) -> dict[str, Any]:
    links = [{"from": "n1", "to": "n2", "delay": 0.001, "bandwidth": 5e5}]
    return {"nodes": list(entries), "links": links}


def read(text: str, **wanted: Any) -> ProvisioningProblem:
    return parse_provisioning(text, Path(), ProvisioningOptions(**wanted)).problem


def refusal(text: str, **wanted: Any) -> str:
    with pytest.raises(ProblemError) as refused:
        read(text, **wanted)
    return str(refused.value)


def test_machines_of_a_catalogue_run_the_file_at_the_requested_throughput() -> None:
    problem = read(file(machine_link=7e6), catalogue=(SMALL,), throughput=4)
    assert problem.types == (SMALL,)
    assert problem.link == 7e6
    # b needs 0.5 of a core for a result: 2 at 4 results/s. 10 tuples of 100 bytes: 4 kB/s.
    assert problem.demands[1].cpu == 2
    assert problem.flows[0].rate * (problem.flows[0].tuple_bytes or 0) == 4000
    # The download does not depend on the throughput: 3 MB every other second.
    assert problem.object("o").rate == 1.5e6
    assert [(it.id, it.card, it.link) for it in problem.holders("o")] == [("s", 2e6, 1e6)]


def test_without_a_catalogue_each_node_can_be_had_once() -> None:
    text = file(**nodes({"id": "n1", "cpu": 4, "card": 1e8, "price": 3}, {"id": "n2", "price": 2}))
    problem = read(text)
    assert [(it.name, it.count, it.price) for it in problem.types] == [("n1", 1, 3), ("n2", 1, 2)]
    assert (problem.types[0].cpu, problem.types[0].card, problem.types[1].card) == (4, 1e8, inf)
    assert problem.link_between("n2", "n1") == 5e5


def test_nodes_without_prices_count_one_each_with_a_remark() -> None:
    found = parse_provisioning(
        file(**nodes({"id": "n1"}, {"id": "n2"})), Path(), ProvisioningOptions()
    )
    assert [it.price for it in found.problem.types] == [1, 1]
    assert found.assumptions == ("no node has a price: each counts 1, so the fewest are best",)


def test_executors_need_what_their_operator_needs() -> None:
    operators = [{"id": "a", "executors": 2, "objects": ["o"]}, {"id": "b"}]
    streams = [
        {"from": "a", "to": "b", "rate": 10, "tuple_bytes": 100, "grouping": "shuffle"},
    ]
    problem = read(file(operators=operators, streams=streams), catalogue=(SMALL,))
    assert problem.needs == {"a#1": ("o",), "a#2": ("o",)}


def test_a_stream_without_a_size_takes_the_given_one_with_a_remark() -> None:
    text = file(streams=[{"from": "a", "to": "b", "rate": 10}])
    assert "tuple_bytes is not given" in refusal(text, catalogue=(SMALL,))
    found = parse_provisioning(
        text, Path(), ProvisioningOptions(tuple_bytes=50, catalogue=(SMALL,))
    )
    assert found.problem.streams[0].tuple_bytes == 50
    assert found.assumptions == ("50 bytes a tuple were taken for stream a → b",)


@pytest.mark.parametrize(
    ("changes", "wanted", "complaint"),
    [
        (
            {},
            {"throughput": 0},
            "throughput is 0 results/s; it must be more than 0 and at most 1e+15",
        ),
        (
            {},
            {"throughput": 1e15, "catalogue": (SMALL,)},
            (
                "stream a → b at a throughput of 1e+15 results/s: rate is 1e+16; "
                "it must be a number from 0 to 1e+15"
            ),
        ),
        (
            {"operators": [{"id": "a", "cpu": 3}, {"id": "b"}], "streams": []},
            {"throughput": 1e15},
            (
                "operator a at a throughput of 1e+15 results/s: cpu is 3e+15; "
                "it must be a number from 0 to 1e+15"
            ),
        ),
        (
            {},
            {"catalogue": ()},
            "there are no machine types; at least one must be there to choose",
        ),
        (
            {"servers": [{"id": "s", "objects": []}]},
            {},
            "object o, which operator a uses, is held by no server; servers are s",
        ),
        (
            {"objects": None, "servers": None},
            {},
            "objects of operator a: no object o; there are no objects",
        ),
        (
            {"servers": [{"id": "s", "objects": ["o", "p"]}]},
            {},
            "server s: no object p; objects are o",
        ),
        (
            {"servers": [{"id": "s", "objects": ["o"], "links": {"smal": 1e6}}]},
            {},
            (
                "links of server s: no machine type smal; machine types are small "
                "(did you mean small?)"
            ),
        ),
        (
            {"operators": [{"id": "a", "candidates": ["big"]}, {"id": "b"}]},
            {},
            "candidates of operator a: no machine type big; machine types are small",
        ),
        (
            {"objects": [{"id": "o", "size": -1}]},
            {},
            "objects[0].size is -1; it must be ≥ 0",
        ),
    ],
)
def test_bad_input_is_refused_with_offender_value_and_what_is_allowed(
    changes: dict[str, Any], wanted: dict[str, Any], complaint: str
) -> None:
    assert refusal(file(**changes), **({"catalogue": (SMALL,)} | wanted)) == complaint


def test_a_price_that_only_some_nodes_have_is_refused() -> None:
    said = refusal(file(**nodes({"id": "n1", "price": 3}, {"id": "n2"})))
    assert said.startswith("node n2: price is not given, but other nodes have one")


def test_links_are_those_of_the_file_s_nodes_and_listed_or_in_a_matrix_but_not_both() -> None:
    links = [{"from": "n1", "to": "n9", "delay": 0}]
    two = [{"id": "n1"}, {"id": "n2"}]
    assert refusal(file(nodes=two, links=links)) == ("link n1 → n9: no node n9; nodes are n1, n2")
    delays = {"file": "delays.tsv", "unit": "ms", "kind": "rtt"}
    said = refusal(file(nodes=two, links=links, delays=delays))
    assert said == "give links or delays, not both"


def test_the_limit_of_operators_of_a_node_is_ignored_with_a_remark() -> None:
    text = file(**nodes({"id": "n1", "operators": 1}, {"id": "n2"}))
    said = "how many operators n1 may hold is not checked"
    assert said in parse_provisioning(text, Path(), ProvisioningOptions()).assumptions
    bought = parse_provisioning(text, Path(), ProvisioningOptions(catalogue=(SMALL,)))
    assert said not in bought.assumptions


def test_a_tree_with_a_cycle_is_refused_with_the_cycle() -> None:
    back = [
        {"from": "a", "to": "b", "tuple_bytes": 1},
        {"from": "b", "to": "a", "tuple_bytes": 1},
    ]
    said = refusal(file(streams=back), catalogue=(SMALL,))
    assert said == "streams a → b → a form a cycle; no operator may wait for its own result"
    back[1]["system"] = True  # as an acker's are
    read(file(streams=back), catalogue=(SMALL,))


def test_with_a_catalogue_candidates_that_are_nodes_of_the_file_are_left_aside() -> None:
    # a may be on n1 alone, b on n2 or on a small machine: the nodes are not what is bought.
    operators = [{"id": "a", "candidates": ["n1"]}, {"id": "b", "candidates": ["n2", "small"]}]
    text = file(operators=operators, **nodes({"id": "n1"}, {"id": "n2"}))
    found = parse_provisioning(text, Path(), ProvisioningOptions(catalogue=(SMALL,)))
    assert [it.candidates for it in found.problem.operators] == [None, ("small",)]
    said = "candidates of a, b left aside: they are nodes, not machine types"
    assert said in found.assumptions


TEXT = write_problem(
    PlacementProblem(
        (Operator("a"), Operator("b")),
        (Stream("a", "b", 20),),
        (Node("n1", cpu=4, operators=2), Node("n2", cpu=4)),
        {("n1", "n2"): Link(0.01), ("n2", "n1"): Link(0.01)},
    )
)


def prices(text: str) -> dict[str, float]:
    problem = parse_provisioning(text, Path(), ProvisioningOptions()).problem
    return {it.name: it.price for it in problem.types}


def test_every_node_counts_one_and_sizes_do_not_matter_where_none_are_known() -> None:
    text, said = priced_to_switch_off(TEXT, (), None)
    assert prices(text) == {"n1": 1, "n2": 1}
    assert said == (UNCOUNTED, UNSIZED)
    found = parse_provisioning(text, Path(), ProvisioningOptions())
    # Slots are in UNCOUNTED already.
    assert found.assumptions == ("no node has a price: each counts 1, so the fewest are best",)


def test_a_node_that_others_keep_on_costs_nothing() -> None:
    text, said = priced_to_switch_off(TEXT, ("n2",), None)
    assert prices(text) == {"n1": 1, "n2": 0}
    assert said[-1] == "on in any case, as other topologies run there: n2"


def test_given_sizes_are_left_to_the_reader_of_the_file() -> None:
    text, said = priced_to_switch_off(TEXT, (), 100)
    assert "tuple_bytes" not in json.loads(text)["streams"][0]
    assert said == (UNCOUNTED,)
