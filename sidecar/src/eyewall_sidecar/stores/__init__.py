"""Readers of what others measured and switched, with its age; a writer of decisions."""

from eyewall_sidecar.stores.delays import DelayFile, DelayStore, NoDelays
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
    "MeasurementStore",
    "Measurements",
    "NoDelays",
    "NoMeasurements",
    "NoRecords",
    "NoSwitches",
    "RecordStore",
    "RedisDelays",
    "SwitchStore",
    "ZookeeperMeasurements",
    "ZookeeperRecords",
    "ZookeeperSwitches",
]
