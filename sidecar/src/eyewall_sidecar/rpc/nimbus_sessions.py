"""What each Nimbus has sent, so that it need not send it again."""

from collections import OrderedDict
from dataclasses import dataclass, field

from eyewall_contracts.proto import scheduler_pb2 as pb

from eyewall_sidecar.rpc import decode
from eyewall_sidecar.storm import ClusterState, Topology

MOST_NIMBUSES = 4


@dataclass(frozen=True, slots=True)
class MissingParts:
    """What has to be sent before anything can be decided."""

    state: bool = False
    definitions: tuple[str, ...] = ()


@dataclass(slots=True)
class _Session:
    """What one start of Nimbus has sent."""

    digest: bytes = b""
    state: pb.ClusterState | None = None
    decoded: ClusterState | None = None
    definitions: dict[str, tuple[bytes, Topology]] = field(default_factory=dict)


class NimbusSessions:
    """The last state and its topologies' definitions, for each of a few Nimbuses."""

    def __init__(self) -> None:
        self._sessions: OrderedDict[str, _Session] = OrderedDict()

    def state(self, request: pb.ScheduleRequest) -> ClusterState | MissingParts:
        """Return the whole state of a request that may name most of it by digest only."""
        sent = self._sessions.setdefault(request.nimbus_id, _Session())
        self._sessions.move_to_end(request.nimbus_id)
        while len(self._sessions) > MOST_NIMBUSES:
            self._sessions.popitem(last=False)
        for definition in request.definitions:
            topology = decode.topology(definition)
            sent.definitions[topology.id] = (definition.digest, topology)
            sent.decoded = None
        if request.HasField("state"):
            sent.digest, sent.state, sent.decoded = request.state_digest, request.state, None
        if sent.state is None or sent.digest != request.state_digest:
            return MissingParts(state=True)
        return sent.decoded or _decoded(sent, sent.state)


def _decoded(sent: _Session, state: pb.ClusterState) -> ClusterState | MissingParts:
    lacking = [
        it.topology_id
        for it in state.topologies
        if sent.definitions.get(it.topology_id, (None,))[0] != it.definition_digest
    ]
    if lacking:
        return MissingParts(definitions=tuple(lacking))
    living = {it.topology_id for it in state.topologies}
    sent.definitions = {name: it for name, it in sent.definitions.items() if name in living}
    sent.decoded = decode.cluster_state(state, {k: it for k, (_, it) in sent.definitions.items()})
    return sent.decoded
