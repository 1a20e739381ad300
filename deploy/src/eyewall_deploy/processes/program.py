"""What has to be known of a program to keep it running."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Program:
    """One program of the cluster.

    Parameters
    ----------
    name
        By which it is started, stopped and asked about.
    command
        Program and arguments.
    directory
        Where it runs.
    logs
        Where to look when something is wrong, the most telling file first. What it writes to
        its standard output goes to a file named after it.
    environment
        Added to what it inherits.
    """

    name: str
    command: tuple[str, ...]
    directory: Path
    logs: tuple[Path, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
