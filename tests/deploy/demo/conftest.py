from collections.abc import Callable

import pytest
from eyewall_deploy.cluster_file import Cluster, ClusterHost, Site
from eyewall_deploy.wan.delay_file import EmulatedDelays

MakeCluster = Callable[..., Cluster]
MakeDelays = Callable[..., EmulatedDelays]


@pytest.fixture
def make_cluster() -> MakeCluster:
    """A cluster out of `host=(site, label, …)`."""

    def make(**hosts: tuple[str, ...]) -> Cluster:
        return Cluster(
            version=1,
            name="c",
            sites=tuple(map(Site, dict.fromkeys(site for site, *_ in hosts.values()))),
            hosts=tuple(
                ClusterHost(name, site, 2, 1.0, 2**30, tuple(labels), 1.0, 1.0)
                for name, (site, *labels) in hosts.items()
            ),
            origin="c.toml",
        )

    return make


@pytest.fixture
def make_delays() -> MakeDelays:
    """Delays in milliseconds out of `a_b=10`; what isn't named is 0."""

    def make(*hosts: str, **between: float) -> EmulatedDelays:
        rows = tuple(
            tuple(between.get(f"{a}_{b}", between.get(f"{b}_{a}", 0.0)) / 1000 for b in hosts)
            for a in hosts
        )
        nothing = tuple(tuple(0.0 for _ in hosts) for _ in hosts)
        unlimited = tuple(tuple(None for _ in hosts) for _ in hosts)
        return EmulatedDelays(hosts, rows, nothing, unlimited, "test", 0.0)

    return make
