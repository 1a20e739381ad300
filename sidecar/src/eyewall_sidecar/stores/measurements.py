"""Measurements of topologies and hosts, as a store knows them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from eyewall_contracts.rates import Rates
from eyewall_contracts.sample import Sample


@dataclass(frozen=True, slots=True)
class Measurements:
    """What a store knew when it was read; each document and report tells its own age.

    Parameters
    ----------
    wanted
        Whether anything is measured here at all.
    now
        Seconds since the epoch, by the clock that ages are told by.
    rates
        Storm's id of a topology → its rates and costs.
    hosts
        Host → its latest report.
    remark
        What is wrong with the store, as a sentence for a person; empty if nothing is.
    """

    wanted: bool = False
    now: float = 0.0
    rates: Mapping[str, Rates] = field(default_factory=dict)
    hosts: Mapping[str, Sample] = field(default_factory=dict)
    remark: str = ""


class MeasurementStore(Protocol):
    """Where measurements come from."""

    def read(self) -> Measurements:
        """Return what is known now. Never raises: what is wrong is the value's `remark`."""
        ...


class NoMeasurements:
    """The store of a sidecar that was told of none."""

    def read(self) -> Measurements:
        """Return that nothing is measured."""
        return Measurements()
