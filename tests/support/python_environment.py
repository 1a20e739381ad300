"""Another Python environment: this one's packages, less some distributions, plus folders."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

REPOSITORY = Path(__file__).parents[2]
PATIENCE = 300.0


@dataclass(frozen=True)
class PythonEnvironment:
    """Python as an installation without some distributions has it.

    Parameters
    ----------
    path
        Folders of packages, in the order of the search.
    """

    path: tuple[Path, ...]

    @classmethod
    def without(
        cls, distributions: Collection[str], folder: Path, *more: Path
    ) -> PythonEnvironment:
        """Link all installed packages to `folder`, less those of these distributions of ours."""
        folder.mkdir()
        hidden = tuple(it.replace("-", "_") for it in distributions)
        for it in Path(sysconfig.get_path("purelib")).iterdir():
            if not it.name.startswith((*hidden, "__editable__")):
                (folder / it.name).symlink_to(it)
        sources = [
            it.parent / "src"
            for it in sorted(REPOSITORY.glob("*/pyproject.toml"))
            if f"eyewall_{it.parent.name}" not in hidden and (it.parent / "src").is_dir()
        ]
        return cls((*more, *sources, folder))

    @property
    def variables(self) -> dict[str, str]:
        """Variables of the environment for `command`."""
        return {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, self.path))}

    def command(self, *arguments: str) -> list[str]:
        """Return a Python command line that finds packages on `path` alone."""
        return [sys.executable, "-S", *arguments]

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run Python with these arguments until it ends."""
        return subprocess.run(
            self.command(*arguments),
            env=self.variables,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )

    def eyewall(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run `eyewall` with these arguments until it ends."""
        return self.run("-m", "eyewall_sidecar.cli.app", *arguments)
