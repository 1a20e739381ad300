from __future__ import annotations

import pytest
from eyewall_contracts.errors import ContractError
from eyewall_contracts.znodes import Znodes


@pytest.mark.parametrize("host", ["", ".", "..", "a/b", "a b", "\0", "é", "a\n"])
def test_a_host_that_would_be_another_path_has_none(host: str) -> None:
    with pytest.raises(ContractError, match="it must be a host's name"):
        Znodes().sample(host)


@pytest.mark.parametrize(
    "topology", ["", ".", "..", "a/b", "a b", "\0", "a\n", "\ud800", "a" * 300]
)
def test_a_topology_that_would_be_another_path_has_none(topology: str) -> None:
    with pytest.raises(ContractError, match="it must be an id"):
        Znodes().rates(topology)


@pytest.mark.parametrize("root", ["", "/", "eyewall", "/eyewall/", "/a//b", "/../x", "/a b"])
def test_a_root_that_is_no_path_is_refused(root: str) -> None:
    with pytest.raises(ContractError, match="it must be like /eyewall"):
        Znodes(root)


def test_two_clusters_in_one_zookeeper_have_paths_of_their_own() -> None:
    assert Znodes("/storm-1/eyewall").sample("a") == "/storm-1/eyewall/v1/samples/a"


def test_paths_are_where_they_always_were() -> None:
    paths = Znodes()
    assert paths.sample("edge-1") == "/eyewall/v1/samples/edge-1"
    assert paths.rates("wc-1-1700000000") == "/eyewall/v1/rates/wc-1-1700000000"
    assert paths.decisions_of("2026-01-31") == "/eyewall/v1/decisions/2026-01-31"
    assert paths.switches == "/eyewall/v1/switches"
    assert paths.waits == "/eyewall/v1/waits"
    assert paths.crossings == "/eyewall/v1/crossings"
    assert paths.starts == "/eyewall/v1/starts"
