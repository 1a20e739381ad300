"""How a long command shows how far it is."""

from typing import Protocol


class CommandProgress(Protocol):
    """Shows how far a long command is."""

    def show(self, text: str) -> None:
        """Show what goes on now, in place of what was shown before."""

    def log(self, text: str) -> None:
        """Show a result, which stays."""
