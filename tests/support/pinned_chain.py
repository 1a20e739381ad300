"""A chain with pinned ends, on three hosts of which the middle one is near both."""

from eyewall_sidecar.storm import Topology
from obedient_nimbus import Nimbus
from storm_builders import chain, supervisor

TRIANGLE = {("a", "b"): 10, ("b", "c"): 10, ("a", "c"): 50}
"""a and c are nearer by way of b."""


def ends_pinned(**settings: object) -> Topology:
    """source on a, sink on c, and one bolt between them."""
    pins = {"pin": {"source": ["a"], "sink": ["c"]}, "rate.hint": {"source": 10}}
    return chain(("source", 1), ("tag", 1), ("sink", 1), settings=pins | settings)


def three_hosts(**limits: float | bool) -> Nimbus:
    return Nimbus([supervisor("a"), supervisor("b"), supervisor("c")], TRIANGLE, **limits)


def moved_delays(nimbus: Nimbus) -> None:
    """By way of b it is 200 ms now; straight on it is 50 ms."""
    nimbus.delays.milliseconds |= {("a", "b"): 100, ("b", "c"): 100}
