"""The line for Storm UI on a placement, and which slots it uses again."""

from collections.abc import Sequence

from eyewall_sidecar.messages import Code, Message, message
from eyewall_sidecar.service.plans import slot_name
from eyewall_sidecar.service.problem_cache import Observation
from eyewall_sidecar.storm import ClusterState, SlotChoice


def reused_slots_message(slots: SlotChoice, cluster: ClusterState) -> Message | None:
    """Return which slots change hands within the topology; None if none does."""
    if not slots.reused:
        return None
    hosts = {it.id: it.host for it in cluster.supervisors}
    return message(Code.SLOTS_REUSED, slots=[slot_name(it, hosts) for it in slots.reused])


def placed_message(
    worth: Message,
    remarks: Sequence[Message | str],
    slots: SlotChoice,
    observation: Observation,
) -> Message:
    """Return the line for Storm UI on what is placed: what it is worth, and remarks."""
    reused = reused_slots_message(slots, observation.state)
    extra = [it for it in (reused, observation.delays.doubt()) if it]
    return message(Code.PLACED, solution=worth, remarks=[*remarks, *extra])
