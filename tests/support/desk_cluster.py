"""A small cluster that operators look at: three sites, one topology, and a real gRPC server."""

from collections.abc import Iterator
from contextlib import contextmanager

from eyewall_sidecar.rpc import RpcServer
from eyewall_sidecar.storm import Topology
from obedient_nimbus import Nimbus
from storm_builders import chain, supervisor

DELAYS = {("edge-1", "fog-1"): 15.0, ("fog-1", "cloud-1"): 25.0, ("edge-1", "cloud-1"): 40.0}
"""Milliseconds, one way."""
TOPOLOGY = chain(
    ("source", 1),
    ("tag", 2),
    ("sink", 1),
    name="words-1-1700000000",
    settings={
        "pin": {"source": ["edge-1"], "sink": ["cloud-1"]},
        "rate.hint": {"source": 20},
        "execution.time.hint.ms": {"tag": 1},
    },
)
"""source[1-1] → tag[2-2], tag[3-3] → sink[4-4]; 20 tuples/s, 10 through each tag.

Everything but tag is pinned, and tag anywhere takes 40 ms + 1 ms: edge → cloud is 40 ms straight on
and by way of the fog.
"""


def three_sites(**limits: float | bool | None) -> Nimbus:
    """A Nimbus with a supervisor at each site, of two slots and 8 cores."""
    hosts = [supervisor("edge-1"), supervisor("fog-1"), supervisor("cloud-1")]
    return Nimbus(hosts, DELAYS, **limits)


def running(nimbus: Nimbus, topology: Topology = TOPOLOGY) -> Nimbus:
    """Let it place the topology, and look whether that can be better."""
    nimbus.rounds(topology, 3)
    return nimbus


@contextmanager
def served(nimbus: Nimbus) -> Iterator[str]:
    """Answer by gRPC; the address."""
    server = RpcServer(nimbus.planner, "127.0.0.1:0")
    server.start()
    try:
        yield f"127.0.0.1:{server.port}"
    finally:
        server.stop(0)
