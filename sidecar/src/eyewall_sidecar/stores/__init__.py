"""Readers of what others measured; what they know comes with its age."""

from eyewall_sidecar.stores.delay_file import DelayFile
from eyewall_sidecar.stores.delays import DelayStore, DelayTable, NoDelays
from eyewall_sidecar.stores.measurements import Measurements, MeasurementStore, NoMeasurements
from eyewall_sidecar.stores.redis_delays import RedisDelays
from eyewall_sidecar.stores.zookeeper_measurements import ZookeeperMeasurements

__all__ = [
    "DelayFile",
    "DelayStore",
    "DelayTable",
    "MeasurementStore",
    "Measurements",
    "NoDelays",
    "NoMeasurements",
    "RedisDelays",
    "ZookeeperMeasurements",
]
