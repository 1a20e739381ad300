import pwd
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from eyewall_sidecar.model import compilation
from eyewall_sidecar.model.compilation import compiled, digest


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a copy of the sources that `digest` looks at."""
    copy = tmp_path / "eyewall_sidecar"
    shutil.copytree(compilation.ROOT, copy, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(compilation, "ROOT", copy)
    return copy


@pytest.fixture(autouse=True)
def forgetting() -> Iterator[None]:
    """Leave no digest of a copy behind."""
    yield
    digest.cache_clear()


SOURCE = "odp/branch_and_bound.py"


def digest_after_a_change(package: Path, changed: str) -> str:
    with (package / changed).open("a", encoding="utf-8") as file:
        file.write("\n# changed\n")
    digest.cache_clear()
    return digest(package / SOURCE)


@pytest.mark.parametrize("changed", [SOURCE, "odp/sum_bound.py", "model/violations.py"])
def test_code_is_compiled_anew_when_what_it_is_made_of_changes(package: Path, changed: str) -> None:
    # branch_and_bound calls sum_bound, and imports model.arrays, which imports model.violations.
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
    assert digest_after_a_change(package, "odp/solve.py") == before


def doubled(number: int) -> int:
    return 2 * number


def test_code_is_compiled_for_a_user_without_a_home(monkeypatch: pytest.MonkeyPatch) -> None:
    # As in a container that runs under a number that its passwd does not know.
    for name in ("HOME", "XDG_CACHE_HOME", "NUMBA_CACHE_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(pwd, "getpwuid", {}.__getitem__)
    assert compiled(doubled)(2) == 4
