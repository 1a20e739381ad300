"""From what governs moves to the contract's messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eyewall_contracts.proto import operations_pb2 as pb

if TYPE_CHECKING:
    from eyewall_sidecar.service import Rules
    from eyewall_sidecar.stores import HeldSwitches


def rules(given: Rules, started: int) -> pb.Rules:
    """Encode the rules; `started` are the worker processes that moves started in the last hour."""
    return pb.Rules(
        minimum_gain=given.minimum_gain,
        cool_down_seconds=given.cool_down_seconds,
        workers_per_round=given.workers_per_round,
        workers_per_hour=given.workers_per_hour,
        workers_started_last_hour=started,
        frozen=given.frozen,
    )


def switches(held: HeldSwitches) -> pb.Switches:
    """Encode the operators' switches, but for their age."""
    turned = held.switches
    return pb.Switches(
        available=held.wanted,
        frozen=turned.frozen if turned else False,
        frozen_topologies=sorted(turned.frozen_topologies) if turned else (),
        remark=held.remark,
    )


def put_age(message: pb.Switches, held: HeldSwitches) -> None:
    """Put in how old the switches are; nothing if they were never read."""
    if held.age is not None:
        message.age = held.age
