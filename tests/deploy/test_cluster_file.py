"""Cluster files: what the shipped ones say, and what each kind of bad input is answered."""

from __future__ import annotations

import re
import runpy
from importlib import resources
from typing import TYPE_CHECKING

import pytest
from eyewall_deploy.cluster_file import RESERVED, ClusterFileError, load, parse, shipped_clusters
from eyewall_deploy.wan.addresses import CONTROL, OUTER
from eyewall_deploy.wan.delay_file import declared_delays
from eyewall_deploy.wan.netem import SWITCH

if TYPE_CHECKING:
    from pathlib import Path

TWO_SITES = """
version = 1
name = "small"
[[sites]]
name = "edge"
[[sites]]
name = "cloud"
[[hosts]]
name = "edge-1"
site = "edge"
slots = 2
[[hosts]]
name = "cloud-1"
site = "cloud"
slots = 1
[[delays]]
between = ["edge", "cloud"]
one_way_ms = 15.0
"""


def refusal(text: str) -> str:
    with pytest.raises(ClusterFileError) as caught:
        parse(text, "small.toml")
    return str(caught.value)


def one_way_ms(name: str, source: str, target: str) -> float:
    table = declared_delays(load(name), as_of=0.0)
    return table.delay[table.hosts.index(source)][table.hosts.index(target)] * 1000


def test_units_end_at_the_file_seconds_bytes_and_bytes_per_second_inside() -> None:
    text = TWO_SITES.replace(
        "one_way_ms = 15.0", "one_way_ms = 15.0\ndeviation_ms = 1.5\nbandwidth_mbit = 8"
    ).replace("slots = 1", "slots = 1\nmemory_mb = 512")
    cluster = parse(text, "small.toml")
    table = declared_delays(cluster, as_of=7.0)
    assert cluster.host("cloud-1").memory == 512 * 1024 * 1024
    assert table.as_of == 7.0
    assert table.delay == ((0.0, 0.015), (0.015, 0.0))
    assert table.deviation == ((0.0, 0.0015), (0.0015, 0.0))
    assert table.bandwidth == ((None, 1_000_000), (1_000_000, None))  # 8 Mbit/s = 1 MB/s


def test_from_and_to_give_the_two_directions_different_delays() -> None:
    text = TWO_SITES.replace(
        'between = ["edge", "cloud"]\none_way_ms = 15.0',
        'from = "edge"\nto = "cloud"\none_way_ms = 5.0\n'
        '[[delays]]\nfrom = "cloud"\nto = "edge"\none_way_ms = 9.0',
    )
    assert declared_delays(parse(text, "f"), as_of=0.0).delay == ((0.0, 0.005), (0.009, 0.0))


def test_a_pair_of_hosts_overrides_the_pair_of_their_sites() -> None:
    text = TWO_SITES + '[[delays]]\nbetween = ["edge-1", "cloud-1"]\none_way_ms = 99.0\n'
    assert declared_delays(parse(text, "f"), as_of=0.0).delay == ((0.0, 0.099), (0.099, 0.0))


def test_an_unknown_key_is_named_with_its_value_the_allowed_ones_and_the_probable_one() -> None:
    said = refusal(TWO_SITES.replace("slots = 1", "slot = 1"))
    assert said.startswith("small.toml: hosts[1].slot = 1: unknown key; allowed are name, site, ")
    assert said.endswith("uplink_mbit, downlink_mbit (did you mean slots?)")


def test_an_unknown_key_at_the_top_is_named_too() -> None:
    said = refusal("cpuscale = 2.0\n" + TWO_SITES)
    assert said.startswith("small.toml: cpuscale = 2.0: unknown key; allowed are version, name, ")
    assert said.endswith("(did you mean cpu_scale?)")


def test_a_negative_delay_is_refused_with_its_value_and_the_least_allowed() -> None:
    assert refusal(TWO_SITES.replace("15.0", "-15.0")) == (
        "small.toml: delays[0].one_way_ms = -15.0: input should be greater than or equal to 0"
    )


@pytest.mark.parametrize("value", ["nan", "inf", "60001.0", '"15"', "true"])
def test_a_delay_that_is_no_usable_number_is_refused(value: str) -> None:
    assert "delays[0].one_way_ms" in refusal(TWO_SITES.replace("15.0", value))


def test_a_host_without_slots_is_named() -> None:
    assert refusal(TWO_SITES.replace("slots = 1\n", "")) == (
        "small.toml: hosts[1].slots: missing (cloud-1); needed: a whole number, 1 to 64"
    )


def test_a_host_with_no_slot_is_as_bad() -> None:
    assert refusal(TWO_SITES.replace("slots = 1", "slots = 0")) == (
        "small.toml: hosts[1].slots = 0: input should be greater than or equal to 1"
    )


def test_a_pair_without_a_delay_is_named_with_what_to_add() -> None:
    text = TWO_SITES.partition("[[delays]]")[0]
    assert refusal(text) == (
        "small.toml: delays: none from edge-1 to cloud-1; add a [[delays]] with "
        "between = ['edge', 'cloud'] and one_way_ms"
    )


def test_two_hosts_of_one_site_need_a_delay_within_it() -> None:
    text = TWO_SITES.replace('name = "cloud-1"\nsite = "cloud"', 'name = "edge-2"\nsite = "edge"')
    assert refusal(text) == (
        "small.toml: delays: none from edge-1 to edge-2; add a [[delays]] with "
        "between = ['edge', 'edge'] and one_way_ms"
    )


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('"cloud-1"', '"edge-1"', "hosts: name = 'edge-1' is given 2 times"),
        ('"cloud-1"', '"control"', "name = 'control': reserved"),
        ('"cloud-1"', '"edge"', "name = 'edge' is both a site and a host"),
        ('"cloud-1"', '"Cloud_1"', "hosts[1].name = 'Cloud_1': allowed: a-z, 0-9 and '-'"),
        ('site = "cloud"', 'site = "clowd"', "(cloud-1).site = 'clowd': no such site; sites are"),
        ('site = "cloud"', 'site = "clowd"', "(did you mean cloud?)"),
        ('["edge", "cloud"]', '["edge", "clod"]', "no site or host clod; they are edge, cloud,"),
        ('["edge", "cloud"]', '["edge", "cloud-1"]', "one is a host and one a site"),
        ('["edge", "cloud"]', '["edge"]', "delays[0].between[1]: missing"),
        ("version = 1", "version = 2", "version = 2"),
        ("version = 1", "version 1", "not TOML"),
        ("slots = 1", "slots = 1\navailability = 1.5", "hosts[1].availability = 1.5"),
        ("slots = 1", "slots = 1\nspeed = 0.0", "hosts[1].speed = 0.0"),
        ("slots = 1", "slots = 1\nmemory_mb = 12", "hosts[1].memory_mb = 12"),
        ("one_way_ms", 'from = "edge"\none_way_ms', "give either between"),
        ('between = ["edge", "cloud"]', 'from = "edge"', "give either between"),
    ],
)
def test_other_bad_input_is_refused_with_the_offender(old: str, new: str, says: str) -> None:
    assert old in TWO_SITES
    assert says in refusal(TWO_SITES.replace(old, new))


def test_a_delay_given_twice_is_refused() -> None:
    text = TWO_SITES + '[[delays]]\nfrom = "cloud"\nto = "edge"\none_way_ms = 1.0\n'
    assert refusal(text) == (
        "small.toml: delays: 'cloud' to 'edge' is given 2 times; each direction once"
    )


def test_a_name_that_is_neither_file_nor_shipped_gets_the_shipped_ones() -> None:
    with pytest.raises(ClusterFileError) as caught:
        load("three-site")
    assert str(caught.value) == (
        "cluster three-site: no such file, and shipped clusters are ecker11, odp8, six-unequal, "
        "three-sites, two-kinds (did you mean three-sites?)"
    )


def test_a_file_that_cannot_be_read_is_named_with_the_reason(tmp_path: Path) -> None:
    (tmp_path / "latin.toml").write_bytes('name = "é"'.encode("latin-1"))
    for given, says in (
        (tmp_path / "latin.toml", "latin.toml: not UTF-8"),
        (tmp_path, f"cluster {tmp_path}: a folder, not a file"),
        ("x" * 300, "File name too long"),
    ):
        with pytest.raises(ClusterFileError, match=re.escape(says)):
            load(given)


@pytest.mark.parametrize("name", ["1", "10", "0x7f", "3d-printer"])
def test_a_host_name_begins_with_a_letter_since_others_are_read_as_addresses(name: str) -> None:
    # gethostbyname("1") is 0.0.0.1, gethostbyname("0x7f") is 0.0.0.127
    assert refusal(TWO_SITES.replace('"cloud-1"', f'"{name}"')) == (
        f"small.toml: hosts[1].name = {name!r}: "
        "allowed: a-z, 0-9 and '-', at most 63 characters, the first of them a letter"
    )


def test_names_of_the_namespaces_that_are_no_hosts_are_reserved() -> None:
    assert {CONTROL, OUTER, SWITCH} <= set(RESERVED)


def test_a_host_has_at_most_a_tebibyte() -> None:
    text = TWO_SITES.replace("slots = 2", "slots = 2\nmemory_mb = 1_048_577", 1)
    assert refusal(text) == (
        "small.toml: hosts[0].memory_mb = 1048577: input should be less than or equal to 1048576"
    )


def test_what_is_wrong_in_a_list_is_said_as_elsewhere() -> None:
    text = TWO_SITES.replace("slots = 2", 'slots = 2\nlabels = ["GPU"]', 1)
    assert refusal(text) == (
        "small.toml: hosts[0].labels[0] = 'GPU': allowed: a-z, 0-9 and '-', at most 63 characters"
    )
    assert refusal(text.replace('["GPU"]', '"gpu"')) == (
        "small.toml: hosts[0].labels = 'gpu': input should be a valid list"
    )


def test_sites_and_labels_may_begin_with_a_digit() -> None:
    text = TWO_SITES.replace('"cloud"', '"5g"').replace("slots = 2", 'slots = 2\nlabels = ["4k"]')
    assert parse(text, "small.toml").site_names == ("edge", "5g")


def test_every_shipped_cluster_loads_under_its_own_name() -> None:
    assert shipped_clusters() == ("ecker11", "odp8", "six-unequal", "three-sites", "two-kinds")
    assert [load(name).name for name in shipped_clusters()] == list(shipped_clusters())


def test_three_sites_has_the_delays_of_the_demo_and_one_slow_host() -> None:
    cluster = load("three-sites")
    assert [host.site for host in cluster.hosts] == ["edge"] * 2 + ["fog"] * 2 + ["cloud"] * 2
    assert one_way_ms("three-sites", "edge-1", "edge-2") == 2
    assert one_way_ms("three-sites", "edge-1", "fog-2") == 15
    assert one_way_ms("three-sites", "fog-2", "cloud-1") == 25
    assert one_way_ms("three-sites", "cloud-1", "edge-1") == 40
    assert [host.speed for host in cluster.hosts] == [1, 1, 1, 0.5, 1, 1]


def test_odp8_is_the_cluster_of_paper_000_section_7_1() -> None:
    cluster = load("odp8")
    table = declared_delays(cluster, as_of=0.0)
    pairs = [(i, j) for i in range(8) for j in range(8) if i != j]
    assert len(cluster.hosts) == 8
    assert {(h.slots, h.cpu, h.memory) for h in cluster.hosts} == {(2, 1.0, 2048 * 1024 * 1024)}
    assert cluster.executors_per_slot == 4
    assert sorted(host.availability for host in cluster.hosts) == [0.99] * 4 + [1.0] * 4
    assert all(0.012 <= table.delay[i][j] <= 0.032 for i, j in pairs)
    assert all(0.001 <= table.deviation[i][j] <= 0.003 for i, j in pairs)
    assert all(table.delay[i][j] == table.delay[j][i] for i, j in pairs)


def test_odp8_is_what_its_script_draws() -> None:
    folder = resources.files("eyewall_deploy") / "clusters"
    drawn = runpy.run_path(str(folder / "draw_odp8.py"))["cluster_file"]()
    assert drawn == (folder / "odp8.toml").read_text(encoding="utf-8")


def test_ecker11_has_the_workers_of_paper_002_section_6_1_1() -> None:
    # w1: 1.5 cores, 2048 MB; w2, w6, w7: 1 and 1024; the other seven: 0.3 and 768.
    cluster = load("ecker11")
    sizes = {h.name: (h.cpu, h.memory // 1024**2) for h in cluster.hosts}
    small = {f"w{n}": (0.3, 768) for n in (3, 4, 5, 8, 9, 10, 11)}
    middle = {f"w{n}": (1.0, 1024) for n in (2, 6, 7)}
    assert sizes == {"w1": (1.5, 2048)} | middle | small
    assert sum(host.cpu for host in cluster.hosts) == pytest.approx(6.6)
    table = declared_delays(cluster, as_of=0.0)
    assert all(
        0 < d < 0.010 for i, row in enumerate(table.delay) for j, d in enumerate(row) if i != j
    )
