"""Readers of what others measured, whose values come with their age; a writer of decisions."""

from eyewall_sidecar.stores.delay_file import DelayFile
from eyewall_sidecar.stores.delays import DelayStore, DelayTable, NoDelays
from eyewall_sidecar.stores.measurements import Measurements, MeasurementStore, NoMeasurements
from eyewall_sidecar.stores.records import NoRecords, RecordStore
from eyewall_sidecar.stores.redis_delays import RedisDelays
from eyewall_sidecar.stores.zookeeper_measurements import ZookeeperMeasurements
from eyewall_sidecar.stores.zookeeper_records import ZookeeperRecords

__all__ = [
    "DelayFile",
    "DelayStore",
    "DelayTable",
    "MeasurementStore",
    "Measurements",
    "NoDelays",
    "NoMeasurements",
    "NoRecords",
    "RecordStore",
    "RedisDelays",
    "ZookeeperMeasurements",
    "ZookeeperRecords",
]
