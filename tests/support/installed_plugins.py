"""Distributions of another author, installed in a folder on the path, with real metadata."""

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest


def install_plugin(
    folder: Path, name: str, groups: Mapping[str, Mapping[str, str]], code: str = ""
) -> None:
    """Write a distribution of one module, NAME_module, with these entry points: group → name."""
    metadata = folder / f"{name}-1.0.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n", encoding="utf-8"
    )
    sections = (
        f"[{group}]\n" + "".join(f"{key} = {value}\n" for key, value in entries.items())
        for group, entries in groups.items()
    )
    (metadata / "entry_points.txt").write_text("\n".join(sections), encoding="utf-8")
    (folder / f"{name}_module.py").write_text(code, encoding="utf-8")


@pytest.fixture
def plugins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Yield a folder on the path; modules that are imported from it are forgotten in the end."""
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    for name, module in list(sys.modules.items()):
        if tmp_path in Path(getattr(module, "__file__", None) or ".").parents:
            del sys.modules[name]
