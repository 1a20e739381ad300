"""The folder that says how far the job is, and what it was made with.

Spark keeps offsets and state in folders of its own below it. They are of use only to the job that
made them: another version, or another window, would read them wrongly.
"""

from __future__ import annotations

import json
import uuid
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

VERSION: Final = 1
_FILE: Final = "eyewall.json"


class CheckpointError(ValueError):
    """A checkpoint that this job cannot go on from; says why and what to do."""


@dataclass(frozen=True, slots=True)
class Made:
    """What state depends on."""

    version: int
    window: float
    slide: float
    late: float


def open_checkpoint(folder: Path, wanted: Made) -> str:
    """Return the id of the checkpoint's run; a new one if there is no checkpoint yet."""
    file = folder / _FILE
    if not file.exists():
        if folder.is_dir() and any(folder.iterdir()):
            raise _refusal(
                folder, f"it has no {_FILE}: it is of an older version, or not of this job"
            )
        run = uuid.uuid4().hex[:12]
        folder.mkdir(parents=True, exist_ok=True)
        unfinished = folder / f".{_FILE}.new"
        unfinished.write_text(json.dumps({"run": run, **asdict(wanted)}), encoding="utf-8")
        unfinished.rename(file)
        return run
    try:
        found = dict(json.loads(file.read_text(encoding="utf-8")))
        run = str(found.pop("run"))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise _refusal(folder, f"{_FILE} cannot be read ({error!r:.100})") from None
    for key, value in asdict(wanted).items():
        if found.get(key) != value:
            raise _refusal(folder, f"its {key} is {found.get(key)}, this job's is {value}")
    return run


def _refusal(folder: Path, why: str) -> CheckpointError:
    return CheckpointError(
        f"checkpoint {folder}: {why}; move it away to begin with the oldest reports that Redis has"
    )
