import pytest
from eyewall_deploy import cluster_file
from eyewall_deploy.pins import pinned_hosts


@pytest.mark.parametrize(
    ("pins", "hosts"),
    [
        (["edge-2"], {"edge-2"}),
        (["label:source"], {"edge-1"}),
        (["site:cloud"], {"cloud-1", "cloud-2"}),
        (["edge-1", "site:cloud"], {"edge-1", "cloud-1", "cloud-2"}),
    ],
)
def test_a_pin_is_a_host_a_label_or_a_site(pins: list[str], hosts: set[str]) -> None:
    assert pinned_hosts(cluster_file.load("three-sites"), pins) == hosts
