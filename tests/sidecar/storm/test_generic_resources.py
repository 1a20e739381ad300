"""Generic resources, and executors of a component that a supervisor may hold."""

from dataclasses import replace
from typing import Any

from eyewall_sidecar.model.generic_resources import RESOURCES
from eyewall_sidecar.model.violations import violations
from eyewall_sidecar.storm import (
    Supervisor,
    Topology,
)
from eyewall_sidecar.storm.generic_resources import generic_needs
from storm_builders import (
    ask,
    chain,
    state,
    supervisor,
    worker,
)

GPU = "gpu.count"


def with_gpus(host: str, gpus: float) -> Supervisor:
    return replace(supervisor(host), generic=((GPU, gpus),))


def needing(topology: Topology, **of: Any) -> Topology:
    """Return the topology with components changed by their ids."""
    components = (replace(it, **of.get(it.id, {})) for it in topology.components)
    return replace(topology, components=tuple(components))


def test_generic_resources_are_what_other_topologies_leave() -> None:
    # Of a's two GPUs another topology uses one; b has none.
    gpu = {"generic": ((GPU, 1.0),)}
    other = state(needing(chain(("x", 1), name="other-1"), x=gpu), worker("a", 6700, 1))
    topology = needing(chain(("source", 1), ("tag", 1)), tag=gpu)
    problem = ask([with_gpus("a", 2), supervisor("b")], topology, others=[other]).problem
    assert problem.resources[-1] == GPU
    assert {it.id: it.capacity(GPU) for it in problem.nodes} == {"a": 1, "b": 0}
    assert [it.requirement(GPU) for it in problem.operators] == [0, 1]


def test_a_topology_that_needs_none_knows_nothing_of_generic_resources() -> None:
    problem = ask([with_gpus("a", 2)], chain(("source", 1))).problem
    assert problem.resources == RESOURCES
    assert problem.nodes[0].generic == ()


def test_what_runs_on_a_supervisor_may_stay_though_it_offers_less_by_now() -> None:
    gpu = {"generic": ((GPU, 1.0),)}
    topology = needing(chain(("source", 2)), source=gpu)
    problem = ask([with_gpus("a", 0), with_gpus("b", 1)], topology, worker("a", 6700, 1)).problem
    assert {it.id: it.capacity(GPU) for it in problem.nodes} == {"a": 1, "b": 1}
    assert violations(problem, {"source[1-1]": "a", "source[2-2]": "b"}) == ()


def test_a_supervisor_holds_so_many_executors_of_a_component_that_is_spread() -> None:
    topology = needing(chain(("source", 1), ("tag", 3)), tag={"most_on_supervisor": 2})
    problem = ask([supervisor("a"), supervisor("b")], topology).problem
    on_a = dict.fromkeys((it.id for it in problem.operators), "a")
    assert violations(problem, on_a) == ("node a: executors of tag 3 placed, 2 there",)
    assert violations(problem, {**on_a, "tag[4-4]": "b"}) == ()


def test_a_generic_resource_may_have_the_name_of_one_of_the_models() -> None:
    topology = needing(chain(("source", 1)), source={"generic": (("memory", 2.0),)})
    supervisors = [replace(supervisor("a"), generic=(("memory", 3.0),))]
    (node,) = ask(supervisors, topology).problem.nodes
    assert node.generic == (("generic memory", 3.0),)
    for name in ("bandwidth", "candidates", "executors of x", "generic memory"):
        (own,) = generic_needs(replace(topology.components[0], generic=((name, 1.0),)))
        assert own == (f"generic {name}", 1.0)
