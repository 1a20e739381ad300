"""A host's share of the machine: what is asked for, and that the kernel keeps to it."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import pytest
from eyewall_deploy.cluster_file import load
from eyewall_deploy.host import cgroups
from eyewall_deploy.host.cgroups import CgroupParent, ControlGroups, HostShare, find_parents

if TYPE_CHECKING:
    from collections.abc import Iterator

    from emulated_room import Room
    from eyewall_deploy.host.cgroups import Controller

MEGABYTE = 1024 * 1024
SHARE = HostShare(0.5, 64 * MEGABYTE)

BUSY = """
import time
started, used = time.perf_counter(), time.process_time()
while time.perf_counter() - started < 2: pass
print((time.process_time() - used) / (time.perf_counter() - started))
"""


V1_CPU = "30 25 0:26 {root} /sys/fs/cgroup/cpu,cpuacct rw shared:9 - cgroup cgroup rw,cpu,cpuacct"
V1_MEMORY = "31 25 0:27 {root} /sys/fs/cgroup/memory rw,nosuid - cgroup cgroup rw,memory"
V2 = "29 23 0:25 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate"


def parent(folder: str, version: Literal[1, 2], mount: str) -> CgroupParent:
    return CgroupParent(Path(folder), version, Path(mount))


def test_version_1_nests_below_the_callers_own_group() -> None:
    mounts = "\n".join([V1_CPU, V1_MEMORY]).format(root="/")
    found = find_parents(mounts, "4:memory:/user/7\n2:cpu,cpuacct:/\n0::/\n")
    assert found == {
        "cpu": parent("/sys/fs/cgroup/cpu,cpuacct", 1, "/sys/fs/cgroup/cpu,cpuacct"),
        "memory": parent("/sys/fs/cgroup/memory/user/7", 1, "/sys/fs/cgroup/memory"),
    }


def test_in_a_container_of_version_1_the_mount_shows_only_the_containers_part() -> None:
    mounts = "\n".join([V1_CPU, V1_MEMORY]).format(root="/docker/ab")
    found = find_parents(mounts, "4:memory:/docker/ab\n2:cpu,cpuacct:/docker/ab/x\n")
    assert found == {
        "cpu": parent("/sys/fs/cgroup/cpu,cpuacct/x", 1, "/sys/fs/cgroup/cpu,cpuacct"),
        "memory": parent("/sys/fs/cgroup/memory", 1, "/sys/fs/cgroup/memory"),
    }


def test_version_2_is_used_at_its_top() -> None:
    found = find_parents(V2, "0::/user.slice/session-1.scope\n")
    assert found == {
        "cpu": parent("/sys/fs/cgroup", 2, "/sys/fs/cgroup"),
        "memory": parent("/sys/fs/cgroup", 2, "/sys/fs/cgroup"),
    }


def test_with_both_versions_a_controller_of_version_1_stays_there() -> None:
    unified = V2.replace("/sys/fs/cgroup ", "/sys/fs/cgroup/unified ")
    found = find_parents("\n".join([unified, V1_CPU.format(root="/")]), "2:cpu,cpuacct:/\n0::/\n")
    assert found["cpu"].version == 1
    assert found["memory"] == parent("/sys/fs/cgroup/unified", 2, "/sys/fs/cgroup/unified")


def test_without_a_mount_there_is_nowhere() -> None:
    assert find_parents("22 1 254:0 / / rw - ext4 /dev/vda rw", "0::/\n") == {}


def test_the_share_is_cores_times_speed_times_the_clusters_scale() -> None:
    # fog-2: 1 core, speed 0.5, scale 1; w1: 1.5 cores, speed 1, scale 0.5.
    three_sites, ecker11 = load("three-sites"), load("ecker11")
    assert cgroups.host_share(three_sites, three_sites.host("fog-2")) == HostShare(
        0.5, 2048 * MEGABYTE
    )
    assert cgroups.host_share(ecker11, ecker11.host("w1")) == HostShare(0.75, 2048 * MEGABYTE)


@pytest.mark.parametrize(
    ("cpu", "expected"),
    [
        (0.5, (2000, 4000)),
        (1.5, (6000, 4000)),
        (0.1, (1000, 10_000)),  # 400 of 4,000 µs is less than the kernel's least quota of 1,000
        (0.0005, (500, 1_000_000)),  # and there is a longest period
    ],
)
def test_the_period_is_as_short_as_the_kernel_takes(cpu: float, expected: tuple[int, int]) -> None:
    assert cgroups.quota_and_period(cpu) == expected


def test_version_2_is_written_as_its_files_want_it(tmp_path: Path) -> None:
    host = tmp_path / "eyewall-small" / "edge-1"
    parents: dict[Controller, CgroupParent] = {
        "cpu": CgroupParent(tmp_path, 2, tmp_path),
        "memory": CgroupParent(tmp_path, 2, tmp_path),
    }
    made = cgroups.make_groups("small", {"edge-1": SHARE}, parents)
    assert made == ControlGroups({"edge-1": (str(host),)}, ())
    assert (tmp_path / "cgroup.subtree_control").read_text() == "+memory"  # after "+cpu"
    assert (host.parent / "cpu.weight").read_text() == "1000"  # ten times the usual 100
    assert (host / "cpu.max").read_text() == "2000 4000"
    assert (host / "memory.max").read_text() == "67108864"


@pytest.mark.parametrize("version", [1, 2])
def test_a_share_can_be_changed_and_read_while_it_holds(
    tmp_path: Path, version: Literal[1, 2]
) -> None:
    parents: dict[Controller, CgroupParent] = {"cpu": CgroupParent(tmp_path, version, tmp_path)}
    made = cgroups.make_groups("small", {"edge-1": SHARE}, parents)
    assert cgroups.read_cpu(made.folders["edge-1"]) == 0.5
    cgroups.set_cpu(made.folders["edge-1"], 0.2)
    assert cgroups.read_cpu(made.folders["edge-1"]) == 0.2
    (folder,) = map(Path, made.folders["edge-1"])
    if version == 1:
        # 4,000 µs · 0.2 would be less than the kernel's least quota of 1,000.
        assert (folder / "cpu.cfs_quota_us").read_text() == "1000"
        assert (folder / "cpu.cfs_period_us").read_text() == "5000"
    else:
        assert (folder / "cpu.max").read_text() == "1000 5000"


def test_a_host_whose_groups_do_not_limit_cpu_has_no_share_to_change(tmp_path: Path) -> None:
    assert cgroups.read_cpu([str(tmp_path)]) is None
    cgroups.set_cpu([str(tmp_path)], 0.2)
    assert list(tmp_path.iterdir()) == []


def test_what_is_not_allowed_is_said_and_the_rest_goes_on(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    parents: dict[Controller, CgroupParent] = {"cpu": CgroupParent(tmp_path / "file", 1, tmp_path)}
    made = cgroups.make_groups("small", {"edge-1": SHARE}, parents)
    folder = tmp_path / "file" / "eyewall-small"
    assert made == ControlGroups(
        {"edge-1": ()},
        (
            f"cpu: {folder}: Not a directory; not limited",
            "memory: no cgroup mount with this controller; not limited",
        ),
    )


def test_groups_made_from_another_group_are_removed_too(tmp_path: Path) -> None:
    for folder in ("eyewall-small/a", "user/7/eyewall-small/b", "user/7/eyewall-smaller/c"):
        (tmp_path / folder).mkdir(parents=True)
    assert (
        cgroups.remove_groups("small", {"memory": CgroupParent(tmp_path / "user/8", 1, tmp_path)})
        == ()
    )
    assert not list(tmp_path.rglob("eyewall-small"))
    assert (tmp_path / "user/7/eyewall-smaller/c").is_dir()


def test_a_cluster_whose_name_looks_like_a_pattern_has_its_own_groups_removed(
    tmp_path: Path,
) -> None:
    for folder in ("eyewall-r[1]/a", "eyewall-r1/a"):
        (tmp_path / folder).mkdir(parents=True)
    assert cgroups.remove_groups("r[1]", {"memory": CgroupParent(tmp_path, 1, tmp_path)}) == ()
    assert [path.name for path in tmp_path.iterdir()] == ["eyewall-r1"]


def test_groups_of_others_that_vanish_meanwhile_do_no_harm(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in ("a", "eyewall-small/b"):
        (tmp_path / folder).mkdir(parents=True)
    look = os.scandir

    def too_late(path: str | Path | int) -> object:
        if not isinstance(path, int) and Path(path).name in ("a", "eyewall-small"):
            shutil.rmtree(path)
        return look(path)

    monkeypatch.setattr(os, "scandir", too_late)
    assert cgroups.remove_groups("small", {"memory": CgroupParent(tmp_path, 1, tmp_path)}) == ()


@pytest.fixture
def groups(room: Room) -> Iterator[dict[str, list[str]]]:
    """Real control groups of the room's hosts."""
    name, parents = f"test-{os.getpid()}", cgroups.own_parents()
    shares = {host.name: cgroups.host_share(room.cluster, host) for host in room.cluster.hosts}
    made = cgroups.make_groups(name, shares, parents)
    if made.refused:
        cgroups.remove_groups(name, parents)
        text = f"no control groups here: {'; '.join(made.refused)}"
        if os.environ.get("CI") == "true":
            pytest.fail(text)
        pytest.skip(text)
    yield {host: list(folders) for host, folders in made.folders.items()}
    assert cgroups.remove_groups(name, parents) == ()
    assert not any(Path(folder).exists() for own in made.folders.values() for folder in own)


def _weigh_most(folder: Path) -> None:
    for name, most in (("cpu.shares", "262144"), ("cpu.weight", "10000")):
        if (folder / name).exists():
            (folder / name).write_text(most)


@pytest.mark.namespaces
def test_a_busy_loop_gets_its_hosts_share_and_half_of_it_on_a_host_of_half_the_speed(
    room: Room, groups: dict[str, list[str]]
) -> None:
    # a: 0.2 cores; b: 0.2 cores at speed 0.5; c: 1 core, of which a busy machine may give less.
    # That a and b get all that they may have, however busy it is, the weight takes care of.
    used = {}
    for folder in {Path(folder).parent for made in groups.values() for folder in made}:
        _weigh_most(folder)
    for host in ("a", "b", "c"):
        code, output = room.ask(
            "enter", host=host, command=[sys.executable, "-c", BUSY], groups=groups[host]
        )
        assert code == 0, output
        used[host] = float(output)
    assert used["b"] / used["a"] == pytest.approx(0.5, rel=0.25)
    assert used["a"] < used["c"]
    assert used["a"] < 0.2 * 1.25


@pytest.mark.namespaces
def test_a_program_that_takes_more_memory_than_its_host_has_is_killed(
    room: Room, groups: dict[str, list[str]]
) -> None:
    hungry = [sys.executable, "-c", "b = bytearray(200 << 20); print(len(b))"]
    assert room.ask("enter", host="a", command=hungry, groups=groups["a"])[0] == -9  # 64 MB
    assert room.ask("enter", host="b", command=hungry, groups=groups["b"])[0] == 0  # 1 GB
