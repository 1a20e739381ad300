"""A cluster with two kinds of links: its programs, and changes to its links while it runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from deployments import make_deployment
from eyewall_deploy.failure import Failure
from eyewall_deploy.lifecycle import changes
from eyewall_deploy.lifecycle.programs import programs, start_stages
from eyewall_deploy.state import ClusterMode
from eyewall_deploy.state_file import write
from eyewall_deploy.wan import link_file

if TYPE_CHECKING:
    from pathlib import Path

    from eyewall_deploy.deployment import Deployment


def two_kinds(folder: Path, mode: ClusterMode = ClusterMode.NAMESPACES) -> Deployment:
    deployment = make_deployment(folder, "two-kinds", mode=mode)
    write(deployment.run.links, link_file.declared_links(deployment.cluster, as_of=0.0))
    return deployment


def test_two_kinds_of_links_need_three_more_programs(tmp_path: Path) -> None:
    one_kind = {it.name for it in programs(make_deployment(tmp_path))}
    found = {it.name for it in programs(two_kinds(tmp_path))}
    assert {"marks", "connections", "links"} <= found - one_kind


def test_marks_are_in_force_before_nimbus_starts_and_change_after_it(tmp_path: Path) -> None:
    deployment = two_kinds(tmp_path)
    order = [name for stage in start_stages(deployment) for name in stage]
    assert sorted(order) == sorted(it.name for it in programs(deployment))
    assert order.index("marks") < order.index("nimbus") < order.index("connections")
    assert order.index("nimbus") < order.index("links")


def test_on_loopback_there_is_one_kind_of_links_for_any_cluster_file(
    tmp_path: Path,
) -> None:
    deployment = two_kinds(tmp_path, ClusterMode.LOOPBACK)
    assert not {"marks", "connections", "links"} & {it.name for it in programs(deployment)}
    refused = changes.change_deviation(deployment, 0.0)
    assert isinstance(refused, Failure)


def test_a_links_bandwidth_is_changed_in_mbit(tmp_path: Path) -> None:
    deployment = two_kinds(tmp_path)
    assert changes.change_bandwidth(deployment, "plant", "relay", 2.4) is None
    table = link_file.read(deployment.run.links)
    assert [link.bandwidth for link in table.dedicated] == [500_000, 300_000, 500_000]


def test_how_much_the_public_network_varies_is_changed(tmp_path: Path) -> None:
    deployment = two_kinds(tmp_path)
    assert changes.change_deviation(deployment, 0.5) is None
    assert link_file.read(deployment.run.links).public.log2_deviation == 0.5


@pytest.mark.parametrize(
    ("a", "b", "mbit", "says"),
    [
        ("plant", "centr", 1.0, "no host centr; hosts are plant, relay, centre (did you mean c"),
        ("plant", "centre", -1.0, "-1 Mbit/s; allowed is more than 0, up to 1000000 Mbit/s"),
    ],
)
def test_a_change_that_makes_no_sense_is_refused_with_what_is_allowed(
    tmp_path: Path, a: str, b: str, mbit: float, says: str
) -> None:
    refused = changes.change_bandwidth(two_kinds(tmp_path), a, b, mbit)
    assert isinstance(refused, Failure)
    assert says in refused.reason
