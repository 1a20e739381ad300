"""A host has one name everywhere: what one agent takes, the other must not refuse."""

from eyewall_contracts.checked import HOST
from eyewall_contracts.latency import HOST_NAME


def test_both_agents_take_the_same_names_of_hosts() -> None:
    # They share no code: each is installed by itself.
    assert HOST_NAME.pattern == HOST.pattern
