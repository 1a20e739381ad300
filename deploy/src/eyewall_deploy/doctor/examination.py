"""The whole examination: every check for which there is something to look at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from eyewall_deploy.doctor.finding import Finding
from eyewall_deploy.doctor.home import check_home
from eyewall_deploy.doctor.running import check_clocks, check_nimbus, check_sidecar
from eyewall_deploy.doctor.storm_yaml import check_settings, read_settings, sidecar_addresses

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from eyewall_deploy.endpoint import Endpoint


@dataclass(frozen=True, slots=True)
class Patient:
    """What there is to look at; None is not looked at."""

    storm_home: Path | None = None
    storm_yaml: Path | None = None
    nimbus: Endpoint | None = None
    sidecar: Endpoint | None = None
    delay_file: Path | None = None


def examine(patient: Patient) -> Iterator[Finding]:
    """Check what is given; without `sidecar` the addresses in storm.yaml are tried."""
    sidecars = [patient.sidecar] if patient.sidecar else []
    if patient.storm_home is not None:
        yield from check_home(patient.storm_home)
    if patient.storm_yaml is not None:
        settings = read_settings(patient.storm_yaml)
        if isinstance(settings, Finding):
            yield settings
        else:
            yield from check_settings(settings)
            yield from check_clocks(settings)
            sidecars = sidecars or sidecar_addresses(settings)
    for sidecar in sidecars:
        yield check_sidecar(sidecar)
    if patient.nimbus is not None:
        yield from check_nimbus(patient.nimbus, patient.delay_file)
