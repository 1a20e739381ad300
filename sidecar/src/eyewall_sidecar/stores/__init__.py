"""Readers of what others measured and switched, with its age; a writer of decisions."""

from eyewall_sidecar.stores.delay_file import DelayFile
from eyewall_sidecar.stores.delays import DelayStore, NoDelays
from eyewall_sidecar.stores.measurements import Measurements, MeasurementStore, NoMeasurements
from eyewall_sidecar.stores.records import NoRecords, RecordStore
from eyewall_sidecar.stores.redis_delays import RedisDelays
from eyewall_sidecar.stores.switches import HeldSwitches, NoSwitches, SwitchStore
from eyewall_sidecar.stores.zookeeper_measurements import ZookeeperMeasurements
from eyewall_sidecar.stores.zookeeper_records import ZookeeperRecords
from eyewall_sidecar.stores.zookeeper_switches import ZookeeperSwitches

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
