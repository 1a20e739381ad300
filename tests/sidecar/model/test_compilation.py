import errno
import fcntl
import os
import pwd
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from eyewall_sidecar.model import compilation
from eyewall_sidecar.model.compilation import compiled, digest
from numba.core import config
from numba.core.caching import IndexDataCacheFile


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a copy of the sources that `digest` looks at."""
    copy = tmp_path / "eyewall_sidecar"
    shutil.copytree(compilation.ROOT, copy, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(compilation, "ROOT", copy)
    return copy


@pytest.fixture(autouse=True)
def forgetting() -> Iterator[None]:
    """Leave no digest of a copy behind, and no folder."""
    yield
    for remembered in (digest, compilation._folder, compilation._say_once):
        remembered.cache_clear()


SOURCE = "exact/tree_search.py"


def digest_after_a_change(package: Path, changed: str) -> str:
    with (package / changed).open("a", encoding="utf-8") as file:
        file.write("\n# changed\n")
    digest.cache_clear()
    return digest(package / SOURCE)


@pytest.mark.parametrize("changed", [SOURCE, "exact/sum_bound.py", "model/violations.py"])
def test_code_is_compiled_anew_when_what_it_is_made_of_changes(package: Path, changed: str) -> None:
    # tree_search calls sum_bound, and imports model.arrays, which imports model.violations.
    before = digest(package / SOURCE)
    assert digest_after_a_change(package, changed) != before


def test_code_is_compiled_anew_whichever_of_its_imports_changes(package: Path) -> None:
    # One import follows the other, some on one line, some on several; none may hide the next.
    lines = (package / SOURCE).read_text(encoding="utf-8").splitlines()
    imports = [it.split()[1] for it in lines if it.startswith("from eyewall_sidecar.")]
    files = [it.removeprefix("eyewall_sidecar.").replace(".", "/") + ".py" for it in imports]
    assert len(files) > 10
    digests = [digest(package / SOURCE), *(digest_after_a_change(package, it) for it in files)]
    assert len(set(digests)) == len(files) + 1


def test_code_is_kept_when_something_else_changes(package: Path) -> None:
    before = digest(package / SOURCE)
    assert digest_after_a_change(package, "exact/solve.py") == before


def doubled(number: int) -> int:
    return 2 * number


def tripled(number: int) -> int:
    return 3 * number


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder of its own for compiled code."""
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def test_code_is_kept_in_a_folder_that_other_users_of_numba_do_not_get(home: Path) -> None:
    others = vars(config)["CACHE_DIR"]
    assert compiled(doubled)(2) == 4
    assert [it.name.split("-")[0] for it in home.rglob("*.nbi")] == ["test_compilation.doubled"]
    assert vars(config)["CACHE_DIR"] == others


def test_code_is_kept_by_one_process_at_a_time(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Two at once would both read that no name is taken, and one would load the other's code.
    alone = []

    def save(cache: Any, key: object, data: object) -> None:
        other = os.open(cache._cache_path, os.O_RDONLY)
        try:
            fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            alone.append(True)
        finally:
            os.close(other)

    monkeypatch.setattr(IndexDataCacheFile, "save", save)
    assert compiled(doubled)(2) == 4
    assert alone == [True]


def test_code_is_loaded_from_a_folder_that_can_only_be_read(
    home: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    compiled(doubled)(2)
    monkeypatch.setattr(compilation._Place, "ensure_cache_path", read_only)
    again: Any = compiled(doubled)
    assert again(2) == 4
    assert sum(again.stats.cache_hits.values()) == 1
    assert caplog.messages == []


def test_what_a_folder_that_can_only_be_read_lacks_is_compiled_and_not_kept(
    home: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    compiled(doubled)(2)
    monkeypatch.setattr(compilation._Place, "ensure_cache_path", read_only)
    assert compiled(tripled)(2) == 6
    assert len(list(home.rglob("*.nbi"))) == 1
    assert [it.split(": ")[-1] for it in caplog.messages] == ["Read-only file system"]


@pytest.mark.parametrize("cut", ["*.nbi", "*.nbc"])
def test_what_was_cut_off_is_compiled_anew_and_kept_again(home: Path, cut: str) -> None:
    compiled(doubled)(2)
    (file,) = home.rglob(cut)
    for length in (0, 10):
        file.write_bytes(file.read_bytes()[:length])
        assert compiled(doubled)(2) == 4
    again: Any = compiled(doubled)
    assert again(2) == 4
    assert sum(again.stats.cache_hits.values()) == 1


def read_only(_: object) -> None:
    # What a real one would raise; root, who may run the tests, can write to any other folder.
    raise OSError(errno.EROFS, "Read-only file system")


def test_that_code_cannot_be_kept_is_said_once(
    home: Path, caplog: pytest.LogCaptureFixture
) -> None:
    home.write_text("a file, not a folder")
    assert (compiled(doubled)(2), compiled(tripled)(2)) == (4, 6)
    assert caplog.messages == [
        (
            "compiled code cannot be kept, so that each process compiles anew: "
            f"{home}/eyewall/compiled: Not a directory"
        )
    ]


def test_code_is_compiled_for_a_user_without_a_home(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    # As in a container that runs under a number that its passwd does not know.
    for name in ("HOME", "XDG_CACHE_HOME", "NUMBA_CACHE_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(pwd, "getpwuid", {}.__getitem__)
    assert (compiled(doubled)(2), compiled(tripled)(2)) == (4, 6)
    assert [it.split(": ")[-1] for it in caplog.messages] == [
        "there is no home folder; say NUMBA_CACHE_DIR=FOLDER"
    ]
