"""What is answered where something went wrong."""

from __future__ import annotations

from eyewall_monitor.dashboard.views.view import View


class Problem(View):
    """An error, in the manner of RFC 9457."""

    title: str
    status: int
    detail: str
    """A sentence that names the offender, its value and what is allowed."""
    nearest: tuple[str, ...] = ()
    """Names that were perhaps meant."""
