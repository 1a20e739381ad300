"""Where the programs of a cluster find each other, which in namespaces is not where users do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from eyewall_deploy.endpoint import Endpoint
from eyewall_deploy.state import Mode
from eyewall_deploy.wan.addresses import CONTROL, CONTROL_ADDRESS
from eyewall_deploy.wan.forwarder import OUTER, End, Forward

if TYPE_CHECKING:
    from eyewall_deploy.state import RunState

NIMBUS_PORT = 6627
UI_PORT = 8080
SIDECAR_PORT = 7077
DASHBOARD_PORT = 8089
ZOOKEEPER_PORT = 2181
REDIS_PORT = 6379

_HERE = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class Inside:
    """Addresses as the cluster's own programs use them."""

    zookeeper: Endpoint
    redis: Endpoint
    nimbus: Endpoint
    ui: Endpoint
    sidecar: Endpoint
    dashboard: Endpoint


def inside(state: RunState) -> Inside:
    """Work out the addresses inside from those outside."""
    if state.mode is Mode.LOOPBACK:
        return Inside(
            zookeeper=state.zookeeper,
            redis=state.redis,
            nimbus=state.nimbus,
            ui=state.ui or Endpoint(_HERE, UI_PORT),
            sidecar=state.sidecar or Endpoint(_HERE, SIDECAR_PORT),
            dashboard=state.dashboard or Endpoint(_HERE, DASHBOARD_PORT),
        )
    return Inside(
        zookeeper=Endpoint(CONTROL_ADDRESS, ZOOKEEPER_PORT),
        redis=Endpoint(CONTROL_ADDRESS, REDIS_PORT),
        nimbus=Endpoint(CONTROL_ADDRESS, NIMBUS_PORT),
        ui=Endpoint(CONTROL_ADDRESS, UI_PORT),
        sidecar=Endpoint(CONTROL_ADDRESS, SIDECAR_PORT),
        dashboard=Endpoint(CONTROL_ADDRESS, DASHBOARD_PORT),
    )


def forwards(state: RunState) -> tuple[Forward, ...]:
    """Ways in from the user's network, and out to servers of the user's own."""
    there = inside(state)
    pairs = [(state.nimbus, there.nimbus)]
    if state.ui is not None:
        pairs.append((state.ui, there.ui))
    if state.sidecar is not None:
        pairs.append((state.sidecar, there.sidecar))
    if state.dashboard is not None:
        pairs.append((state.dashboard, there.dashboard))
    owned = [
        (state.own_zookeeper, state.zookeeper, there.zookeeper),
        (state.redis_server is not None, state.redis, there.redis),
    ]
    pairs += [(outer, inner) for own, outer, inner in owned if own]
    ways_in = [Forward(listen=_outer(outer), to=_inner(inner)) for outer, inner in pairs]
    ways_out = [
        Forward(listen=_inner(inner), to=_outer(outer)) for own, outer, inner in owned if not own
    ]
    return (*ways_in, *ways_out)


def _outer(endpoint: Endpoint) -> End:
    return End(OUTER, endpoint.host, endpoint.port)


def _inner(endpoint: Endpoint) -> End:
    return End(CONTROL, endpoint.host, endpoint.port)
