"""A connection to ZooKeeper that outlives whatever happens to ZooKeeper: the monitor's."""

from eyewall_contracts.stores.zookeeper_session import (
    ANSWER_SECONDS,
    LOST_SECONDS,
    TROUBLES,
    ZookeeperSession,
)

__all__ = ["ANSWER_SECONDS", "LOST_SECONDS", "TROUBLES", "ZookeeperSession"]
