"""How long-running commands tell what they do."""

from __future__ import annotations

from typing import Protocol


class Steps(Protocol):
    """Told what goes on, so that nobody looks at a silent screen."""

    def doing(self, text: str) -> None:
        """Say what goes on now; replaces what was said before."""

    def done(self, text: str) -> None:
        """Say what has been reached; it stays."""
