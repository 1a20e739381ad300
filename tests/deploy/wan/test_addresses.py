"""Names and addresses inside the emulated network."""

from __future__ import annotations

from eyewall_deploy.wan.addresses import addresses, host_address, hosts_file


def test_control_comes_first_and_hosts_follow_in_their_order() -> None:
    assert addresses(["edge-1", "fog-1"]) == {
        "control": "10.83.0.1",
        "edge-1": "10.83.1.1",
        "fog-1": "10.83.1.2",
    }


def test_the_300th_host_still_has_an_address_of_the_network() -> None:
    # 10.83.1.0 + 300 = 10.83.(1 + 1).(300 - 256)
    assert host_address(299) == "10.83.2.44"


def test_the_names_are_added_to_what_the_machine_knew_less_its_own_line_for_one_of_them() -> None:
    existing = "127.0.0.1\tlocalhost\n192.0.2.7 edge-1 old\n# edge-1 in a comment\n"
    assert hosts_file({"control": "10.83.0.1", "edge-1": "10.83.1.1"}, existing) == (
        "127.0.0.1\tlocalhost\n# edge-1 in a comment\n# the emulated network\n"
        "10.83.0.1\tcontrol\n10.83.1.1\tedge-1\n"
    )
