import networkx as nx
from eyewall_sidecar.model import Node, Operator, PlacementProblem, Stream
from eyewall_sidecar.model.path_order import path_order
from hypothesis import given
from hypothesis import strategies as st


def edges_of(text: str) -> list[tuple[str, str]]:
    return [(edge[0], edge[1]) for edge in text.split()]


def test_sources_come_first_and_sinks_last() -> None:
    assert path_order("abcd", edges_of("ab ac bd cd")) == ["a", "b", "c", "d"]


def test_a_cycle_is_entered_where_a_source_leads_into_it() -> None:
    # s → b and the cycle b → c → a → b: without s the first of a, b, c would do; s leads to b.
    assert path_order("abcs", edges_of("sb bc ca ab")) == ["s", "b", "c", "a"]


def test_a_cycle_without_a_source_is_entered_where_most_leads_out() -> None:
    # Successors less predecessors: a 1 − 2, b 2 − 1, c 1 − 1.
    assert path_order("abc", edges_of("ab bc ca ba")) == ["b", "c", "a"]


def test_the_first_of_two_cycles_is_broken_first() -> None:
    # {a, b} leads to {c, d}: though c is listed first, the order begins with a cycle before it.
    order = path_order("cdab", edges_of("ab ba bc cd dc"))
    assert order.index("b") < order.index("c") < order.index("d")


Graph = tuple[list[str], list[tuple[str, str]]]

graphs: st.SearchStrategy[Graph] = st.integers(1, 8).flatmap(
    lambda size: st.tuples(
        st.just([str(vertex) for vertex in range(size)]),
        st.sets(st.tuples(*[st.integers(0, size - 1).map(str)] * 2)).map(sorted),
    )
)


@given(graphs)
def test_every_vertex_is_in_the_order_once_and_no_edge_of_a_graph_without_cycles_points_back(
    graph: Graph,
) -> None:
    vertices, edges = graph
    order = path_order(vertices, edges)
    assert sorted(order) == vertices
    back = [(u, v) for u, v in edges if order.index(u) >= order.index(v)]
    if nx.is_directed_acyclic_graph(nx.DiGraph(edges)):
        assert back == []
    assert nx.is_directed_acyclic_graph(nx.DiGraph([edge for edge in edges if edge not in back]))


@given(graphs)
def test_only_edges_on_a_cycle_point_back(graph: Graph) -> None:
    vertices, edges = graph
    order = path_order(vertices, edges)
    component = {
        vertex: place
        for place, vertices in enumerate(nx.strongly_connected_components(nx.DiGraph(edges)))
        for vertex in vertices
    }
    back = [(u, v) for u, v in edges if order.index(u) >= order.index(v)]
    assert all(component[u] == component[v] for u, v in back)


def problem(operators: str, streams: list[Stream]) -> PlacementProblem:
    return PlacementProblem(tuple(map(Operator, operators)), tuple(streams), (Node("n"),), {})


def test_an_operator_that_has_only_system_streams_is_on_no_path() -> None:
    acked = [Stream("a", "b"), Stream("a", "k", system=True), Stream("k", "a", system=True)]
    assert problem("abk", acked).path_inputs == {"a": (), "b": ("a",)}


def test_an_operator_without_any_stream_is_a_path_of_its_own() -> None:
    assert problem("ab", []).path_inputs == {"a": (), "b": ()}


def test_two_streams_between_the_same_operators_are_one_step_of_a_path() -> None:
    assert problem("ab", [Stream("a", "b"), Stream("a", "b", 5)]).path_inputs["b"] == ("a",)
