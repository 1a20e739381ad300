"""Graphs of operations as a trial gives them: refused where the topology itself would."""

import re
from pathlib import Path

import pytest
from eyewall_deploy.trial.operation_graph import (
    USUAL,
    OperationGraph,
    OperationGraphError,
    parse_graph,
)

REPOSITORY = Path(__file__).resolve().parents[3]
JAVA_TEST = next(REPOSITORY.glob("topologies/**/OperationGraphTest.java")).read_text()
REFUSED = re.findall(r"^ +(\S+) \|(.*?)\|(.*?)\| --(\w+) ", JAVA_TEST, re.MULTILINE)
"""Graph, streams back, selectivities, and the argument at fault."""


def test_a_graph_has_streams_streams_back_and_selectivities() -> None:
    graph = parse_graph("source:a,a:b,b:sink", "b:a,b:b", "a=0.5,b=2")
    assert graph == OperationGraph(
        (("source", "a"), ("a", "b"), ("b", "sink")), (("b", "a"), ("b", "b")), {"a": 0.5, "b": 2.0}
    )
    # b gets half of a tuple from a, and its own 2 × 0.5 back; a gets the same of b.
    assert graph.tuples(1.0) == {"a": 1 + 1.0, "b": 0.5 + 1.0}


@pytest.mark.parametrize(("graph", "back", "selectivities", "argument"), REFUSED)
def test_what_the_topology_refuses_is_refused_for_the_same_argument(
    graph: str, back: str, selectivities: str, argument: str
) -> None:
    with pytest.raises(OperationGraphError, match=f"^{argument} .*: allowed are "):
        parse_graph(graph, back.strip(), selectivities.strip())


def test_there_are_such_cases_and_the_usual_graph_is_the_topologys() -> None:
    assert len(REFUSED) == 19
    source = next(REPOSITORY.glob("topologies/**/OperationGraph.java")).read_text()
    assert f'USUAL = "{USUAL}"' in source
