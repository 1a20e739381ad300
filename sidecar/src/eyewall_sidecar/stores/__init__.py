"""Readers of what others measured and switched; writers of decisions and of what was learned."""

from eyewall_sidecar.stores.delays import DelayFile, DelayStore, NoDelays
from eyewall_sidecar.stores.knowledge import KnowledgeStore, NoKnowledge, ZookeeperKnowledge
from eyewall_sidecar.stores.measurements import (
    Measurements,
    MeasurementStore,
    NoMeasurements,
    ZookeeperMeasurements,
)
from eyewall_sidecar.stores.records import NoRecords, RecordStore, ZookeeperRecords
from eyewall_sidecar.stores.redis_delays import RedisDelays
from eyewall_sidecar.stores.switches import HeldSwitches, NoSwitches, SwitchStore, ZookeeperSwitches

__all__ = [
    "DelayFile",
    "DelayStore",
    "HeldSwitches",
    "KnowledgeStore",
    "MeasurementStore",
    "Measurements",
    "NoDelays",
    "NoKnowledge",
    "NoMeasurements",
    "NoRecords",
    "NoSwitches",
    "RecordStore",
    "RedisDelays",
    "SwitchStore",
    "ZookeeperKnowledge",
    "ZookeeperMeasurements",
    "ZookeeperRecords",
    "ZookeeperSwitches",
]
