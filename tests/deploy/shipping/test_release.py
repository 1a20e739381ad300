"""dist/eyewall-VERSION.tar.gz: what an existing cluster installs."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tarfile
from typing import TYPE_CHECKING

import make as release
import pytest
from markdown_links import dead_links, relative_links

if TYPE_CHECKING:
    from pathlib import Path

TIME = 1_700_000_000
ALL = [
    "eyewall_contracts",
    "eyewall_deploy",
    "eyewall_latency",
    "eyewall_monitor",
    "eyewall_papers",
    "eyewall_sidecar",
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("release")


@pytest.fixture(scope="module")
def jars(folder: Path) -> release.Jars:
    given = release.Jars(folder / "a.jar", folder / "b.jar")
    given.scheduler.write_bytes(b"the scheduler")
    given.overlap.write_bytes(b"moves without a gap")
    return given


@pytest.fixture(scope="module")
def unpacked(folder: Path, jars: release.Jars) -> Path:
    tarball = release.make(jars, folder / "first", TIME)
    with tarfile.open(tarball) as archive:
        archive.extractall(folder, filter="data")
    return folder / f"eyewall-{release.version()}"


@pytest.fixture(scope="module")
def copied(folder: Path) -> Path:
    """All but wheels and jars."""
    release.copy_files(folder / "copied")
    return folder / "copied"


def test_it_has_a_wheel_of_each_distribution_and_all_that_goes_with_them(unpacked: Path) -> None:
    assert [wheel.name.split("-")[0] for wheel in sorted(unpacked.glob("wheels/*"))] == ALL
    for name in (
        "INSTALL.md",
        "constraints.txt",
        "storm/storm.yaml",
        "storm/storm-classes.txt",
        "systemd/eyewall-sidecar.service",
        "examples/sidecar.toml",
        "docs/user/install.md",
    ):
        assert (unpacked / name).is_file(), name


def test_it_has_both_jars(unpacked: Path) -> None:
    jars = {it.name: it.read_bytes() for it in unpacked.rglob("*.jar")}
    assert jars == {
        "eyewall-storm-scheduler.jar": b"the scheduler",
        "eyewall-storm-overlap.jar": b"moves without a gap",
    }
    assert all((unpacked / "storm" / name).is_file() for name in jars)


@pytest.mark.parametrize("missing", release.Jars._fields)
def test_there_is_none_without_a_jar(missing: str, jars: release.Jars, tmp_path: Path) -> None:
    without = jars._replace(**{missing: tmp_path / "none.jar"})
    with pytest.raises(FileNotFoundError, match=r"none\.jar"):
        release.make(without, tmp_path / "dist", TIME)
    assert not list((tmp_path / "dist").glob("*"))


def test_no_link_of_its_pages_leads_nowhere(copied: Path) -> None:
    pages = sorted(copied.rglob("*.md"))
    assert copied / "INSTALL.md" in pages
    assert [(page.name, dead) for page in pages for dead in dead_links(page, copied)] == []


def test_what_it_has_is_linked_where_it_is(copied: Path) -> None:
    for page, link in (
        ("user/install.md", "../../INSTALL.md"),
        ("user/install.md", "../../systemd"),
        ("user/install.md", "../../storm/storm.yaml"),
        ("user/settings.md", "../../examples/sidecar.toml"),
        ("user/dashboard.md", "pictures/dashboard-cluster.png"),
    ):
        assert link in relative_links(copied / "docs" / page)


def test_its_pictures_are_those_that_its_pages_link(copied: Path) -> None:
    docs = (copied / "docs").resolve()
    pages = docs.rglob("*.md")
    linked = {(it.parent / link).resolve() for it in pages for link in relative_links(it)}
    files = {it for it in docs.rglob("*") if it.is_file() and it.suffix != ".md"}
    assert files == {it for it in linked if it.suffix in (".png", ".svg")}


def test_its_sums_are_right_and_of_every_file(unpacked: Path) -> None:
    lines = (unpacked / "SHA256SUMS").read_text().splitlines()
    sums = {name: digest for digest, _, name in (line.partition("  ") for line in lines)}
    files = {str(it.relative_to(unpacked)): it for it in unpacked.rglob("*") if it.is_file()}
    del files["SHA256SUMS"]
    assert sums == {n: hashlib.sha256(it.read_bytes()).hexdigest() for n, it in files.items()}


def test_the_same_sources_give_the_same_bytes(
    unpacked: Path, folder: Path, jars: release.Jars
) -> None:
    again = release.make(jars, folder / "second", TIME)
    assert again.read_bytes() == (folder / "first" / again.name).read_bytes()


def test_its_wheels_install_and_run(unpacked: Path, tmp_path: Path) -> None:
    # Libraries are this environment's; ours come from the wheels alone.
    wheels = sorted(map(str, unpacked.glob("wheels/*")))
    pip = (sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps")
    subprocess.run([*pip, "--target", str(tmp_path), *wheels], check=True)
    code = f"import {', '.join(ALL)}; from eyewall_deploy.storm import settings; "
    code += "settings.recommended_settings(); "
    code += "print(*{m.__path__[0] for m in (" + ", ".join(ALL) + ")}, sep='\\n')"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert sorted(done.stdout.split()) == sorted(str(tmp_path / it) for it in ALL)


def test_distributions_of_two_versions_are_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for it in release.DISTRIBUTIONS:
        version = 2 if it == "monitor" else 1
        (tmp_path / it).mkdir(parents=True)
        (tmp_path / it / "pyproject.toml").write_text(f'[project]\nversion = "{version}"\n')
    monkeypatch.setattr(release, "REPOSITORY", tmp_path)
    with pytest.raises(release.MixedVersionsError, match="versions are 1, 2; there must be one"):
        release.version()
