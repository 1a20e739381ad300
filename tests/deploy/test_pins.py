import pytest
from eyewall_deploy import cluster_file
from eyewall_deploy.failure import Failure
from eyewall_deploy.pins import check_pins, pinned_hosts


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


def test_an_option_that_pins_to_what_is_not_there_is_refused() -> None:
    cluster = cluster_file.load("three-sites")
    failure = check_pins(cluster, ['eyewall.pin={"split": ["edge-1", "label:gpu"]}'])
    assert isinstance(failure, Failure)
    assert failure.reason.startswith(
        "-o eyewall.pin: split is pinned to label:gpu, which three-sites does not have; allowed are"
    )
    assert check_pins(cluster, ["eyewall.pin={split: edge-1}", "topology.workers=3"]) is None
