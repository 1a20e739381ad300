"""A cluster on the user's own Redis begins without the delays of the one before it."""

from __future__ import annotations

from typing import Any

import redis as redis_client
from eyewall_deploy.endpoint import Endpoint
from eyewall_deploy.lifecycle.up import clear_redis
from real_stores import HERE, redis_server


def test_only_the_clusters_own_keys_are_deleted() -> None:
    server = redis_server()
    server.start()
    client: Any = redis_client.Redis(HERE, server.port)
    kept = {"eyewall:latency:version", "eyewall-deploy:pairs:latency:version", "the user's own"}
    for key in {"eyewall-deploy:pair:latency:version", "eyewall-deploy:pair:v1:history:h1", *kept}:
        client.set(key, "1")
    clear_redis(Endpoint(HERE, server.port), "eyewall-deploy:pair")
    assert {key.decode() for key in client.scan_iter()} == kept
    client.close()
    server.stop()
