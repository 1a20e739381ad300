"""Which nodes a topology can do without, as a question to `eyewall provision`."""

import json
from pathlib import Path

from eyewall_papers.provisioning.problem_file import (
    UNCOUNTED,
    UNSIZED,
    ProvisioningOptions,
    parse_provisioning,
    priced_to_switch_off,
)
from eyewall_sidecar.model import Link, Node, Operator, PlacementProblem, Stream
from eyewall_sidecar.problem_file.writing import write_problem

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


def test_sizes_that_are_given_are_left_to_whoever_reads_the_file() -> None:
    text, said = priced_to_switch_off(TEXT, (), 100)
    assert "tuple_bytes" not in json.loads(text)["streams"][0]
    assert said == (UNCOUNTED,)
