"""Readers of what others measured; every value comes with its age and confidence."""

from eyewall_sidecar.stores.delay_file import DelayFile
from eyewall_sidecar.stores.delays import Delay, DelayStore, DelayTable, NoDelays

__all__ = ["Delay", "DelayFile", "DelayStore", "DelayTable", "NoDelays"]
