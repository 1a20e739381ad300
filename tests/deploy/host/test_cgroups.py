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
from eyewall_deploy.host.cgroup_mounts import Parent
from eyewall_deploy.host.cgroups import HostGroup, Share

if TYPE_CHECKING:
    from collections.abc import Iterator

    from emulated_room import Room

MEGABYTE = 1024 * 1024

BUSY = """
import time
started, used = time.perf_counter(), time.process_time()
while time.perf_counter() - started < 2: pass
print((time.process_time() - used) / (time.perf_counter() - started))
"""


def test_the_share_is_cores_times_speed_times_the_clusters_scale() -> None:
    # fog-2: 1 core, speed 0.5, scale 1; w1: 1.5 cores, speed 1, scale 0.5.
    three_sites, ecker11 = load("three-sites"), load("ecker11")
    assert cgroups.share(three_sites, three_sites.host("fog-2")) == Share(0.5, 2048 * MEGABYTE)
    assert cgroups.share(ecker11, ecker11.host("w1")) == Share(0.75, 2048 * MEGABYTE)


@pytest.mark.parametrize(
    ("cpu", "quota_and_period"),
    [
        (0.5, (2000, 4000)),
        (1.5, (6000, 4000)),
        (0.1, (1000, 10_000)),  # 400 of 4,000 µs is less than the kernel's least quota of 1,000
        (0.0005, (500, 1_000_000)),  # and there is a longest period
    ],
)
def test_the_period_is_as_short_as_the_kernel_takes(
    cpu: float, quota_and_period: tuple[int, int]
) -> None:
    assert Share(cpu, MEGABYTE).quota_and_period == quota_and_period


def test_version_2_is_written_as_its_files_want_it(tmp_path: Path) -> None:
    host = tmp_path / "eyewall-small" / "edge-1"
    parents = {"cpu": Parent(tmp_path, 2, tmp_path), "memory": Parent(tmp_path, 2, tmp_path)}
    made = cgroups.make("small", "edge-1", Share(0.5, 64 * MEGABYTE), parents)  # type: ignore[arg-type]
    assert made == HostGroup((host,), ())
    assert (tmp_path / "cgroup.subtree_control").read_text() == "+memory"  # after "+cpu"
    assert (host.parent / "cpu.weight").read_text() == "1000"  # ten times the usual 100
    assert (host / "cpu.max").read_text() == "2000 4000"
    assert (host / "memory.max").read_text() == "67108864"


@pytest.mark.parametrize("version", [1, 2])
def test_a_share_can_be_changed_and_read_while_it_holds(
    tmp_path: Path, version: Literal[1, 2]
) -> None:
    parents = {"cpu": Parent(tmp_path, version, tmp_path)}
    made = cgroups.make("small", "edge-1", Share(0.5, 64 * MEGABYTE), parents)  # type: ignore[arg-type]
    assert cgroups.cpu_of(made.folders) == 0.5
    cgroups.set_cpu(made.folders, 0.2)
    assert cgroups.cpu_of(made.folders) == 0.2
    (folder,) = made.folders
    if version == 1:
        # 4,000 µs · 0.2 would be less than the kernel's least quota of 1,000.
        assert (folder / "cpu.cfs_quota_us").read_text() == "1000"
        assert (folder / "cpu.cfs_period_us").read_text() == "5000"
    else:
        assert (folder / "cpu.max").read_text() == "1000 5000"


def test_a_host_whose_groups_do_not_limit_cpu_has_no_share_to_change(tmp_path: Path) -> None:
    assert cgroups.cpu_of([tmp_path]) is None
    cgroups.set_cpu([tmp_path], 0.2)
    assert list(tmp_path.iterdir()) == []


def test_what_is_not_allowed_is_said_and_the_rest_goes_on(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    parents = {"cpu": Parent(tmp_path / "file", 1, tmp_path)}
    made = cgroups.make("small", "edge-1", Share(0.5, 64 * MEGABYTE), parents)  # type: ignore[arg-type]
    folder = tmp_path / "file" / "eyewall-small"
    assert made == HostGroup(
        (),
        (
            f"cpu: {folder}: Not a directory; not limited",
            "memory: no cgroup mount with this controller; not limited",
        ),
    )


def test_groups_made_by_someone_in_another_group_are_removed_too(tmp_path: Path) -> None:
    for folder in ("eyewall-small/a", "user/7/eyewall-small/b", "user/7/eyewall-smaller/c"):
        (tmp_path / folder).mkdir(parents=True)
    assert cgroups.remove("small", {"memory": Parent(tmp_path / "user/8", 1, tmp_path)}) == ()
    assert not list(tmp_path.rglob("eyewall-small"))
    assert (tmp_path / "user/7/eyewall-smaller/c").is_dir()


def test_a_cluster_whose_name_looks_like_a_pattern_has_its_own_groups_removed(
    tmp_path: Path,
) -> None:
    for folder in ("eyewall-r[1]/a", "eyewall-r1/a"):
        (tmp_path / folder).mkdir(parents=True)
    assert cgroups.remove("r[1]", {"memory": Parent(tmp_path, 1, tmp_path)}) == ()
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
    assert cgroups.remove("small", {"memory": Parent(tmp_path, 1, tmp_path)}) == ()


@pytest.fixture
def groups(room: Room) -> Iterator[dict[str, list[str]]]:
    """Real control groups of the room's hosts."""
    name = f"test-{os.getpid()}"
    folders = {}
    for host in room.cluster.hosts:
        made = cgroups.make(name, host.name, cgroups.share(room.cluster, host))
        if made.refused:
            cgroups.remove(name)
            text = f"no control groups here: {'; '.join(made.refused)}"
            if os.environ.get("CI") == "true":
                pytest.fail(text)
            pytest.skip(text)
        folders[host.name] = [str(folder) for folder in made.folders]
    yield folders
    assert cgroups.remove(name) == ()
    assert not any(Path(folder).exists() for made in folders.values() for folder in made)


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
