"""Changes to the two kinds of links of a running cluster, and to who decides on their use."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from eyewall_deploy.failure import Failure
from eyewall_deploy.lifecycle import changes
from eyewall_deploy.lifecycle.programs import LINKS
from eyewall_deploy.wan import link_file, mark_file
from eyewall_deploy.wan.state_file import StateFileError

if TYPE_CHECKING:
    from eyewall_deploy.lifecycle.programs import Plan
    from eyewall_deploy.lifecycle.steps import Steps

_BYTES_PER_SECOND = 1e6 / 8
"""Of one Mbit/s."""


def change_bandwidth(plan: Plan, a: str, b: str, mbit: float) -> Failure | None:
    """Change what the dedicated link between two hosts carries, from now on."""
    if not plan.has_two_kinds:
        return _one_kind(plan)
    bandwidth = mbit * _BYTES_PER_SECOND
    try:
        link_file.set_bandwidth(plan.run.links, a, b, bandwidth, as_of=time.time())
    except StateFileError as error:
        return Failure(str(error))
    return None


def change_deviation(plan: Plan, log2_deviation: float) -> Failure | None:
    """Change how much the public network varies, from now on."""
    if not plan.has_two_kinds:
        return _one_kind(plan)
    try:
        link_file.set_deviation(plan.run.links, log2_deviation, as_of=time.time())
    except StateFileError as error:
        return Failure(str(error))
    return None


def begin_reallocation(plan: Plan, steps: Steps) -> Failure | None:
    """Let connections be put on dedicated links and taken off them from now on."""
    return changes.start(plan, LINKS, steps) if plan.has_two_kinds else _one_kind(plan)


def end_reallocation(plan: Plan, steps: Steps) -> Failure | None:
    """Have all connections on the public network, and leave them there."""
    if not plan.has_two_kinds:
        return _one_kind(plan)
    failure = changes.stop(plan, LINKS, steps)
    if failure is None:
        mark_file.write(plan.run.marks, ())
    return failure


def _one_kind(plan: Plan) -> Failure:
    return Failure(f"{plan.state.cluster} has no two kinds of links ([[dedicated]], uplink_mbit)")
