"""Readers of what others measured and switched, with its age; writers of decisions and waits."""

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
from eyewall_sidecar.stores.waits import NoWaits, WaitStore, ZookeeperWaits

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
    "NoWaits",
    "RecordStore",
    "RedisDelays",
    "SwitchStore",
    "WaitStore",
    "ZookeeperMeasurements",
    "ZookeeperRecords",
    "ZookeeperSwitches",
    "ZookeeperWaits",
]
