"""Forgets what an earlier cluster of the same name left in the user's own servers."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from eyewall_deploy.endpoint import Endpoint

_AT_ONCE = 500
"""Keys looked at in one round trip."""


def clear_zookeeper(server: Endpoint, root: str) -> None:
    """Leave an empty node in place of `root` and all below it."""
    from kazoo.client import KazooClient  # only here, and slow to import

    client = KazooClient(str(server))
    client.start()
    try:
        if client.exists(root):
            client.delete(root, recursive=True)
        client.ensure_path(root)
    finally:
        client.stop()
        client.close()


def clear_redis(server: Endpoint, prefix: str) -> None:
    """Delete the keys below `prefix`: delays and histories of hosts that are no more."""
    from redis import Redis  # only here, and slow to import

    client = Redis(server.host, server.port)
    try:
        for key in client.scan_iter(match=f"{prefix}:*", count=_AT_ONCE):
            client.unlink(key)
    finally:
        client.close()
