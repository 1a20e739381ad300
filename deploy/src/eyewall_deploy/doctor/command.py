"""`eyewall-deploy doctor`."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path  # noqa: TC003 - typer reads the annotations
from typing import Annotated

import typer
from rich.console import Console

from eyewall_deploy.doctor.examination import Patient, examine
from eyewall_deploy.doctor.finding import Severity
from eyewall_deploy.endpoint import Endpoint, parse_endpoint
from eyewall_deploy.failure import Failure
from eyewall_deploy.lifecycle import inside
from eyewall_deploy.screen import fail, show_findings

_out = Console(highlight=False, soft_wrap=True)


def doctor(
    *,
    storm_home: Annotated[Path | None, typer.Option(help="Nimbus's Storm home.")] = None,
    storm_yaml: Annotated[Path | None, typer.Option(help="Nimbus's storm.yaml.")] = None,
    nimbus: Annotated[str | None, typer.Option(metavar="HOST:PORT", help="Ask it.")] = None,
    sidecar: Annotated[
        str | None, typer.Option(metavar="HOST:PORT", help="Try it, not storm.yaml's.")
    ] = None,
    delay_file: Annotated[
        Path | None, typer.Option(help="Does it know the supervisors that Nimbus knows?")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="For programs.")] = False,
) -> None:
    """Check a cluster of yours before Eyewall is switched on in it."""
    patient = Patient(
        storm_home=storm_home,
        storm_yaml=storm_yaml,
        nimbus=_endpoint("--nimbus", nimbus, inside.NIMBUS_PORT),
        sidecar=_endpoint("--sidecar", sidecar, inside.SIDECAR_PORT),
        delay_file=delay_file,
    )
    if patient == Patient(delay_file=delay_file):
        fail("doctor: nothing to look at; give --storm-home, --storm-yaml, --nimbus or --sidecar")
    findings = []
    if as_json:
        findings = list(examine(patient))
        sys.stdout.write(json.dumps([asdict(finding) for finding in findings], indent=2) + "\n")
    else:
        for finding in examine(patient):
            findings.append(finding)
            show_findings(_out, [finding])
    if any(finding.severity is Severity.STOPS_NIMBUS for finding in findings):
        raise typer.Exit(1)


def _endpoint(option: str, text: str | None, default_port: int) -> Endpoint | None:
    if text is None:
        return None
    endpoint = parse_endpoint(text, default_port)
    if isinstance(endpoint, Failure):
        fail(f"{option}: {endpoint.reason}")
    return endpoint
