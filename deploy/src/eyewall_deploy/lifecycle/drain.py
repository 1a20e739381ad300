"""Which hosts of a cluster Eyewall drains: the operators' switch, turned by a trial."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

from eyewall_contracts.znodes import Znodes
from msgspec.structs import replace

from eyewall_deploy.failure import Failure

if TYPE_CHECKING:
    from eyewall_deploy.deployment import Deployment

_SECONDS: Final = 15.0


def drain_hosts(deployment: Deployment, hosts: frozenset[str]) -> Failure | None:
    """Drain exactly these hosts; what else operators turned stays as it is."""
    # Only here, and slow to import.
    from eyewall_contracts.stores.switch_store import SwitchesError, change_switches
    from kazoo.client import KazooClient
    from kazoo.exceptions import KazooException
    from kazoo.handlers.threading import KazooTimeoutError

    server = str(deployment.state.zookeeper)
    quiet = logging.getLogger("eyewall.deploy.kazoo")
    quiet.setLevel(logging.CRITICAL)  # what is wrong is said in one line
    client = KazooClient(server, logger=quiet)
    try:
        client.start(timeout=_SECONDS)
        paths = Znodes(deployment.eyewall_root)
        change_switches(client, paths, lambda it: replace(it, drained_hosts=hosts))
    except (SwitchesError, KazooException, KazooTimeoutError, OSError) as error:
        why = str(error) or type(error).__name__
        return Failure(f"drained hosts in ZooKeeper {server}: {why}")
    finally:
        client.stop()
        client.close()
    return None
