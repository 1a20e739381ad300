"""What is written as a problem file is read back as the same problem."""

import json
from dataclasses import replace
from pathlib import Path

from eyewall_sidecar.model import Link, LoadModel, Node, Operator, PlacementProblem, Stream
from eyewall_sidecar.problem_file import parse_problem
from eyewall_sidecar.problem_file.writer import write_problem, write_without_links
from hypothesis import given
from hypothesis import strategies as st
from random_problems import random_problem

CHAIN = PlacementProblem(
    operators=(
        Operator("tag[3-4]", cpu=0.25, memory=2.0**27, execution_time=0.003),
        Operator("zähler", candidates=("n2", "n1"), demand=0.3, demand_error=0.05),
    ),
    streams=(
        Stream("tag[3-4]", "zähler", 20, 100, shuffle="zähler"),
        Stream("zähler", "tag[3-4]", 5, 8, system=True),
    ),
    nodes=(
        Node("n1", cpu=4, operators=2, speedup=1.5, background=0.5, cores=6),
        Node("n2", coordinates=(1.0, -2.5)),
    ),
    links={("n1", "n2"): Link(0.02, 0.9, 1e6), ("n2", "n1"): Link(0.03)},
    current={"zähler": "n2"},
    load=LoadModel(headroom=1.5, executors_per_worker=4, send_cpu=2e-5, uncertainty=2.0),
)


@given(st.integers(min_value=0, max_value=10**6), st.data())
def test_what_is_written_is_read_back_as_the_same_problem(seed: int, data: st.DataObject) -> None:
    problem = random_problem(seed)
    operators = st.sampled_from([it.id for it in problem.operators])
    nodes = st.sampled_from([it.id for it in problem.nodes])
    running = st.none() | st.dictionaries(operators, nodes)  # some of them, none, or not known
    problem = replace(problem, current=data.draw(running))
    assert parse_problem(write_problem(problem), Path()).problem == problem


def test_names_pins_limits_load_and_a_way_back_that_differs_are_read_back() -> None:
    assert parse_problem(write_problem(CHAIN), Path()).problem == CHAIN


def test_without_links_all_else_is_the_same() -> None:
    whole, rest = json.loads(write_problem(CHAIN)), json.loads(write_without_links(CHAIN))
    assert whole.pop("links")
    assert rest == whole


def test_each_operator_stream_node_and_link_has_a_line_of_its_own() -> None:
    lines = write_problem(CHAIN).splitlines()
    assert '  {"from": "n1", "to": "n2", "delay": 0.02, "availability": 0.9, "bandwidth": 1000000.0},' in lines  # fmt: skip  # noqa: E501
    assert '  {"from": "n2", "to": "n1", "delay": 0.03}' in lines


def test_a_way_back_that_is_the_same_is_not_written_a_second_time() -> None:
    links = {("n1", "n2"): Link(0.02), ("n2", "n1"): Link(0.02)}
    problem = PlacementProblem((Operator("a"),), (), (Node("n1"), Node("n2")), links)
    written = json.loads(write_problem(problem))
    assert written["links"] == [{"from": "n1", "to": "n2", "delay": 0.02}]
    # One operator alone has no streams, and nothing runs yet: there is no `current`.
    assert written["streams"] == []
    assert "current" not in written


def test_what_is_too_small_for_the_format_is_its_least_rather_than_zero() -> None:
    # A rate of 1e-12 tuples/s was measured; the format takes 0, or 1e-9 and more.
    operators = (Operator("a", cpu=1e-12), Operator("b", cpu=0))
    problem = PlacementProblem(operators, (Stream("a", "b", 1e-12),), (Node("n"),), {})
    read = parse_problem(write_problem(problem), Path()).problem
    assert [it.cpu for it in read.operators] == [1e-9, 0]
    assert read.streams[0].rate == 1e-9
