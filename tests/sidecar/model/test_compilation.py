import errno
import fcntl
import multiprocessing
import os
import pwd
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numba
import pytest
from eyewall_sidecar.model import compilation
from eyewall_sidecar.model.compilation import (
    NotCompiledError,
    SourceDigestLocator,
    digest,
    kernel,
    only_from_disk,
    subroutine,
)


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a copy of the sources that `digest` reads."""
    copy = tmp_path / "eyewall_sidecar"
    shutil.copytree(compilation.ROOT, copy, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(compilation, "ROOT", copy)
    return copy


@pytest.fixture(autouse=True)
def no_memory() -> Iterator[None]:
    """Leave no digest of a copy behind, and no folder."""
    forget()
    yield
    forget()


def forget() -> None:
    for remembered in (digest, compilation._folder, compilation._root, compilation._warn_once):
        remembered.cache_clear()


SOURCE = "heuristic/evaluator.py"


def digest_after_a_change(package: Path, changed: str) -> str:
    with (package / changed).open("a", encoding="utf-8") as file:
        file.write("\n# changed\n")
    digest.cache_clear()
    return digest(package / SOURCE)


@pytest.mark.parametrize("changed", [SOURCE, "heuristic/path_delta.py", "model/violations.py"])
def test_the_digest_changes_with_every_source_that_the_code_is_made_of(
    package: Path, changed: str
) -> None:
    # evaluator calls path_delta, and imports model.arrays, which imports model.violations.
    before = digest(package / SOURCE)
    assert digest_after_a_change(package, changed) != before


def test_the_digest_changes_with_each_import_of_the_file(package: Path) -> None:
    # One import follows the other, some on one line, some on several; none may hide the next.
    lines = (package / SOURCE).read_text(encoding="utf-8").splitlines()
    imports = [it.split()[1] for it in lines if it.startswith("from eyewall_sidecar.")]
    files = [it.removeprefix("eyewall_sidecar.").replace(".", "/") + ".py" for it in imports]
    assert len(files) > 5
    digests = [digest(package / SOURCE), *(digest_after_a_change(package, it) for it in files)]
    assert len(set(digests)) == len(files) + 1


def test_the_digest_stays_when_something_else_changes(package: Path) -> None:
    before = digest(package / SOURCE)
    assert digest_after_a_change(package, "exact/solve.py") == before


def test_the_digest_does_not_depend_on_where_the_sources_are(package: Path) -> None:
    before = digest(package / SOURCE)
    elsewhere = package.parent / "elsewhere"
    package.rename(elsewhere)
    compilation.ROOT = elsewhere
    assert digest(elsewhere / SOURCE) == before


def test_the_digest_changes_with_numba_and_with_the_cpu(
    package: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    digests = [digest(package / SOURCE)]
    for module, name, value in (
        (numba, "__version__", "1.0"),
        (compilation, "_cpu", lambda: ("riscv64", "generic", "")),
    ):
        monkeypatch.setattr(module, name, value)
        digest.cache_clear()
        digests.append(digest(package / SOURCE))
    assert len(set(digests)) == 3


def doubled(number: int) -> int:
    return 2 * number


def tripled(number: int) -> int:
    return 3 * number


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty folder for compiled code.

    A damaged file makes a process forget the code of all its kernels: of these tests' own alone,
    or every other test, and a running sidecar, would compile again for minutes.
    """
    monkeypatch.setattr(compilation, "_kernels", [])
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def loaded(function: Any) -> int:
    """Return how many signatures of a kernel came from the disk."""
    return int(sum(function.dispatcher.stats.cache_hits.values()))


def test_a_kernel_is_compiled_once_and_then_loaded(home: Path) -> None:
    first: Any = kernel(doubled)
    again: Any = kernel(doubled)
    assert (first(2), loaded(first)) == (4, 0)
    assert (again(2), loaded(again)) == (4, 1)


def test_only_from_disk_a_kernel_loads_what_is_there_and_compiles_nothing(home: Path) -> None:
    with only_from_disk(), pytest.raises(NotCompiledError, match="doubled"):
        kernel(doubled)(2)
    assert kernel(doubled)(2) == 4
    again: Any = kernel(doubled)
    with only_from_disk():
        assert (again(2), loaded(again)) == (4, 1)


def test_after_only_from_disk_a_kernel_compiles_whatever_was_raised(home: Path) -> None:
    function: Any = kernel(doubled)
    with suppress(NotCompiledError), only_from_disk():
        function(2)
    assert function(2) == 4


def test_a_kernel_has_one_signature_whatever_python_numbers_it_is_given(home: Path) -> None:
    function: Any = kernel(doubled)
    assert (function(2), function(3)) == (4, 6)
    assert len(function.dispatcher.signatures) == 1


def test_kernels_are_kept_in_a_folder_that_functions_of_others_do_not_get(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "others"))
    assert kernel(doubled)(2) == 4
    assert numba.njit(cache=True)(tripled)(2) == 6
    assert [it.name.split("-")[0] for it in home.rglob("*.nbi")] == ["test_compilation.doubled"]
    assert [it.name.split("-")[0] for it in (tmp_path / "others").rglob("*.nbi")] == [
        "test_compilation.tripled"
    ]


def test_a_kernel_calls_subroutines_and_from_python_these_run_as_they_are(home: Path) -> None:
    inner: Any = subroutine(doubled)

    def outer(number: int) -> int:
        return int(inner(number)) + 1

    assert kernel(outer)(2) == 5
    assert inner("a") == "aa"  # what no compiled code takes


def test_no_other_process_compiles_a_kernel_meanwhile(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The lock is taken before there is any code, and held until there is.
    held: list[tuple[str, int, list[Path]]] = []

    def flock(file: Any, operation: int) -> None:
        held.append((Path(file.name).name, operation, list(home.rglob("*.nbi"))))

    monkeypatch.setattr(fcntl, "flock", flock)
    assert kernel(doubled)(2) == 4
    assert held == [("doubled.lock", fcntl.LOCK_EX, [])]


def spinning(number: int) -> int:
    while number != 0:  # it stays odd
        number |= 1
    return number


def test_while_a_kernel_runs_other_processes_load_it(home: Path) -> None:
    # The first run in one process may be a search of minutes; a sidecar that starts needs the code.
    running = multiprocessing.get_context("fork").Process(target=kernel(spinning), args=(1,))
    running.start()
    try:
        end = time.monotonic() + 120
        while not list(home.rglob("*.nbc")):
            assert time.monotonic() < end, "it is not compiled"
            time.sleep(0.05)
        (lock,) = home.rglob("spinning.lock")
        with lock.open("w") as file:
            while True:
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    assert time.monotonic() < end, "a process that runs it keeps the lock"
                    time.sleep(0.05)
        assert running.is_alive()
    finally:
        running.kill()
        running.join()


def test_code_is_loaded_from_a_folder_that_can_only_be_read(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel(doubled)(2)
    forget()
    monkeypatch.setattr(compilation, "TemporaryFile", read_only)
    function: Any = kernel(doubled)
    assert (function(2), loaded(function)) == (4, 1)


def test_what_a_folder_that_can_only_be_read_lacks_is_compiled_and_not_kept(
    home: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(compilation, "TemporaryFile", read_only)
    assert kernel(tripled)(2) == 6
    assert list(home.rglob("*.nbi")) == []
    assert [it.split(": ")[-1] for it in caplog.messages] == ["Read-only file system"]


def test_a_disk_that_is_full_costs_no_answer_and_is_reported_once(
    home: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(SourceDigestLocator, "ensure_cache_path", full)
    assert (kernel(doubled)(2), kernel(tripled)(2)) == (4, 6)
    assert [it.split(": ")[-1] for it in caplog.messages] == ["No space left on device"]


@pytest.mark.parametrize("cut", ["*.nbi", "*.nbc"])
@pytest.mark.parametrize("length", [0, 10])
def test_code_that_was_cut_off_is_compiled_and_kept_again(
    home: Path, cut: str, length: int
) -> None:
    kernel(doubled)(2)
    (file,) = home.rglob(cut)
    file.write_bytes(file.read_bytes()[:length])
    assert kernel(doubled)(2) == 4
    again: Any = kernel(doubled)
    assert (again(2), loaded(again)) == (4, 1)


@pytest.mark.parametrize("length", [0, 10])
def test_code_of_a_kernel_that_another_one_calls_may_have_been_cut_off(
    home: Path, length: int
) -> None:
    kernel(doubled)(2)
    (index,) = home.rglob("*.nbi")
    index.write_bytes(index.read_bytes()[:length])
    inner: Any = kernel(doubled)
    outer: Any = kernel(lambda number: inner(number) + 1)
    assert outer(2) == 5  # 2 × 2 + 1


def test_a_file_in_the_place_of_the_folder_costs_no_answer(
    home: Path, caplog: pytest.LogCaptureFixture
) -> None:
    home.write_text("a file, not a folder")
    assert (kernel(doubled)(2), kernel(tripled)(2)) == (4, 6)
    assert [it.split(": ")[-1] for it in caplog.messages] == ["Not a directory"]


def test_a_user_without_a_home_gets_an_answer(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    # As in a container that runs under a number that its passwd does not know.
    for name in ("HOME", "XDG_CACHE_HOME", "NUMBA_CACHE_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(pwd, "getpwuid", {}.__getitem__)
    assert (kernel(doubled)(2), kernel(tripled)(2)) == (4, 6)
    assert len(caplog.messages) == 1


def read_only(**_: object) -> None:
    # What a real one raises; root, who may run the tests, can write to any other folder.
    raise OSError(errno.EROFS, "Read-only file system")


def full(_: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def test_without_compilation_the_answer_is_the_same(tmp_path: Path) -> None:
    """NUMBA_DISABLE_JIT is read when numba is imported, so this needs a process of its own."""
    program = tmp_path / "program.py"
    program.write_text(
        "from eyewall_sidecar.model.compilation import kernel, subroutine\n"
        "increment = subroutine(lambda x: x + 1)\n"
        "print(kernel(lambda x: 2 * increment(x))(3.0))\n"
    )
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, str(program)]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert (run.stdout, run.returncode) == ("8.0\n", 0), run.stderr  # 2 × (3 + 1)
