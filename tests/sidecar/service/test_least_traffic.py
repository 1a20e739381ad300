from collections.abc import Iterator

from eyewall_sidecar.model import Link, Node, Operator, PlacementProblem, Solution, Status, Stream
from eyewall_sidecar.objective import Objective
from eyewall_sidecar.objectives import evaluate
from eyewall_sidecar.service.least_traffic import with_least_traffic

R = Objective.parse("R=1")


def asked(capacity: float = 3, current: dict[str, str] | None = None) -> PlacementProblem:
    """source (on u) → sink (on v), and an acker that hears of both; w is far from everywhere."""
    delays = {("u", "v"): 0.010, ("u", "w"): 0.050, ("v", "w"): 0.050}
    links = {ends: Link(delay) for (a, b), delay in delays.items() for ends in ((a, b), (b, a))}
    return PlacementProblem(
        operators=(
            Operator("source", candidates=("u",)),
            Operator("sink", candidates=("v",)),
            Operator("acker"),
        ),
        streams=(
            Stream("source", "sink", 10),
            Stream("source", "acker", 10, system=True),
            Stream("sink", "acker", 30, system=True),
        ),
        nodes=tuple(Node(it, operators=capacity) for it in "uvw"),
        links=links,
        current=current,
    )


def solution(problem: PlacementProblem, placement: dict[str, str]) -> Solution:
    value = evaluate(problem, placement, R, {})
    return Solution(Status.OPTIMAL, "odp", "test", placement, value)


def never() -> bool:
    return False


def always() -> bool:
    return True


FAR = {"source": "u", "sink": "v", "acker": "w"}


def test_an_acker_that_the_objective_leaves_open_goes_to_whom_it_hears_most_of() -> None:
    # On v: 10/s · 10 ms = 0.1 tuples in flight; on u: 30/s · 10 ms = 0.3; on w: 40/s · 50 ms = 2.
    problem = asked()
    near = with_least_traffic(problem, R, solution(problem, FAR), never)
    assert near.placement == FAR | {"acker": "v"}
    assert near.evaluation == evaluate(problem, FAR | {"acker": "v"}, R, {})


def test_no_step_overloads_a_node() -> None:
    problem = asked(capacity=1)
    assert with_least_traffic(problem, R, solution(problem, FAR), never).placement == FAR


def test_what_runs_where_it_is_stays() -> None:
    problem = asked(current=FAR)
    assert with_least_traffic(problem, R, solution(problem, FAR), never).placement == FAR


def test_no_step_costs_the_objective_anything() -> None:
    # b on u saves its 100/s from a over 10 ms, but takes 20 ms per tuple there instead of 1 ms.
    problem = PlacementProblem(
        operators=(Operator("a", candidates=("u",)), Operator("b", execution_time=0.020)),
        streams=(Stream("a", "b", 100),),
        nodes=(Node("u"), Node("v", speedup=20)),
        links={("u", "v"): Link(0.010), ("v", "u"): Link(0.010)},
    )
    best = {"a": "u", "b": "v"}  # 10 ms + 1 ms, against 20 ms
    assert with_least_traffic(problem, R, solution(problem, best), never).placement == best


def test_when_it_is_late_the_placement_is_left_as_it_is() -> None:
    problem = asked()
    found = solution(problem, FAR)
    assert with_least_traffic(problem, R, found, always) is found


class Streams(tuple[Stream, ...]):
    """Streams that count how often somebody goes through all of them."""

    __slots__ = ()
    scans = 0

    def __iter__(self) -> Iterator[Stream]:
        Streams.scans += 1
        return super().__iter__()


def test_a_step_that_gains_nothing_costs_no_look_at_other_operators_streams() -> None:
    # Twenty pairs, each together on u: nothing is in flight, so none of the 40 operators gains by a
    # step. Whose streams are whose is found in one pass over all of them.
    pairs = [(Operator(f"a{n}", candidates=("u",)), Operator(f"b{n}")) for n in range(20)]
    streams = Streams(Stream(a.id, b.id) for a, b in pairs)
    problem = PlacementProblem(
        operators=tuple(it for pair in pairs for it in pair),
        streams=streams,
        nodes=(Node("u"), Node("v")),
        links={("u", "v"): Link(0.010), ("v", "u"): Link(0.010)},
    )
    together = solution(problem, {it.id: "u" for pair in pairs for it in pair})
    Streams.scans = 0
    assert with_least_traffic(problem, R, together, never) is together
    assert Streams.scans == 1
