"""Where control groups go, on machines of different kinds."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from eyewall_deploy.host.cgroup_mounts import Parent, parents

V1_CPU = "30 25 0:26 {root} /sys/fs/cgroup/cpu,cpuacct rw shared:9 - cgroup cgroup rw,cpu,cpuacct"
V1_MEMORY = "31 25 0:27 {root} /sys/fs/cgroup/memory rw,nosuid - cgroup cgroup rw,memory"
V2 = "29 23 0:25 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate"


def parent(folder: str, version: Literal[1, 2], mount: str) -> Parent:
    return Parent(Path(folder), version, Path(mount))


def test_version_1_nests_below_the_callers_own_group() -> None:
    mounts = "\n".join([V1_CPU, V1_MEMORY]).format(root="/")
    found = parents(mounts, "4:memory:/user/7\n2:cpu,cpuacct:/\n0::/\n")
    assert found == {
        "cpu": parent("/sys/fs/cgroup/cpu,cpuacct", 1, "/sys/fs/cgroup/cpu,cpuacct"),
        "memory": parent("/sys/fs/cgroup/memory/user/7", 1, "/sys/fs/cgroup/memory"),
    }


def test_in_a_container_of_version_1_the_mount_shows_only_the_containers_part() -> None:
    mounts = "\n".join([V1_CPU, V1_MEMORY]).format(root="/docker/ab")
    found = parents(mounts, "4:memory:/docker/ab\n2:cpu,cpuacct:/docker/ab/x\n")
    assert found == {
        "cpu": parent("/sys/fs/cgroup/cpu,cpuacct/x", 1, "/sys/fs/cgroup/cpu,cpuacct"),
        "memory": parent("/sys/fs/cgroup/memory", 1, "/sys/fs/cgroup/memory"),
    }


def test_version_2_is_used_at_its_top() -> None:
    found = parents(V2, "0::/user.slice/session-1.scope\n")
    assert found == {
        "cpu": parent("/sys/fs/cgroup", 2, "/sys/fs/cgroup"),
        "memory": parent("/sys/fs/cgroup", 2, "/sys/fs/cgroup"),
    }


def test_with_both_versions_a_controller_of_version_1_stays_there() -> None:
    unified = V2.replace("/sys/fs/cgroup ", "/sys/fs/cgroup/unified ")
    found = parents("\n".join([unified, V1_CPU.format(root="/")]), "2:cpu,cpuacct:/\n0::/\n")
    assert found["cpu"].version == 1
    assert found["memory"] == parent("/sys/fs/cgroup/unified", 2, "/sys/fs/cgroup/unified")


def test_without_a_mount_there_is_nowhere() -> None:
    assert parents("22 1 254:0 / / rw - ext4 /dev/vda rw", "0::/\n") == {}
