"""The answer where a cluster has ended, or is ending, while something is asked of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eyewall_deploy.failure import Failure

if TYPE_CHECKING:
    from eyewall_deploy.run_dir import RunDir


def has_ended(run: RunDir) -> Failure:
    """Say so, and where to look."""
    return Failure(f"the cluster has ended; its logs are in {run.logs()}")
