"""Results of single networks in a file, so that a run that was stopped goes on where it was."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from eyewall_papers.experiments.paper_004.mapping_figures import Case, Trial

DECIDES = ("seed", "max_null", "cooling", "time_limit")
"""The options that results depend on: a file may hold those of several settings."""
Key = tuple[int, int, int]
"""Nodes, number of the network among those of that size, components of its task."""


@dataclass(frozen=True, slots=True)
class Result:
    """What came of one network."""

    case: Case
    trials: tuple[Trial, ...]


class Kept:
    """Results by key; without a file, those of this run alone."""

    def __init__(self, path: Path | None, options: Mapping[str, object]) -> None:
        self._path = path
        self._settings = [options[name] for name in DECIDES]
        self._results: dict[Key, Result] = {}
        if path is not None and path.exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                found = json.loads(line)
                if found["settings"] == self._settings:
                    nodes, number, components = found["key"]
                    self._results[nodes, number, components] = Result(
                        Case(**found["case"]), tuple(Trial(**it) for it in found["trials"])
                    )

    def get(self, key: Key) -> Result | None:
        """Return the result if it is known."""
        return self._results.get(key)

    def add(self, key: Key, result: Result) -> Result:
        """Keep a result, and return it."""
        self._results[key] = result
        if self._path is not None:
            parts = {"settings": self._settings, "key": key, **asdict(result)}
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(parts) + "\n")
        return result
