"""A host has one name everywhere: what one agent takes, the other must not refuse."""

from eyewall_latency.contract import HOST_NAME
from eyewall_monitor.checked import HOST


def test_both_agents_take_the_same_names_of_hosts() -> None:
    # They share no code: each is installed by itself.
    assert HOST_NAME.pattern == HOST.pattern
