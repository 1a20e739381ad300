"""`eyewall-deploy doctor`."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, dataclass
from pathlib import Path  # noqa: TC003 - typer reads it
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from eyewall_deploy.command_options import JsonOption  # noqa: TC001 - typer reads it
from eyewall_deploy.console import OUT, fail, or_fail
from eyewall_deploy.doctor.check_result import CheckResult, Severity
from eyewall_deploy.doctor.home import check_home, check_isolation
from eyewall_deploy.doctor.running import check_clocks, check_nimbus, check_sidecar
from eyewall_deploy.doctor.storm_yaml import check_settings, read_settings, sidecar_addresses
from eyewall_deploy.endpoint import NIMBUS_PORT, SIDECAR_PORT, Endpoint, parse_endpoint
from eyewall_deploy.failure import Failure
from eyewall_deploy.storm.settings import ISOLATION

if TYPE_CHECKING:
    from collections.abc import Iterator

_MARKS = {
    Severity.FINE: ("ok", "green"),
    Severity.ADVICE: ("advice", "yellow"),
    Severity.FAULT: ("fault", "red"),
    Severity.STOPS_NIMBUS: ("STOPS NIMBUS", "bold red"),
}


@dataclass(frozen=True, slots=True)
class CheckedParts:
    """What to check; None is not checked."""

    storm_home: Path | None = None
    storm_yaml: Path | None = None
    nimbus: Endpoint | None = None
    sidecar: Endpoint | None = None
    delay_file: Path | None = None


def doctor(
    *,
    storm_home: Annotated[Path | None, typer.Option(help="Nimbus's Storm home.")] = None,
    storm_yaml: Annotated[Path | None, typer.Option(help="Nimbus's storm.yaml.")] = None,
    nimbus: Annotated[str | None, typer.Option(metavar="HOST:PORT", help="Ask it.")] = None,
    sidecar: Annotated[
        str | None, typer.Option(metavar="HOST:PORT", help="Try it, not storm.yaml's.")
    ] = None,
    delay_file: Annotated[
        Path | None, typer.Option(help="Does it have the supervisors that Nimbus has?")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Check a cluster of yours before Eyewall is switched on in it."""
    parts = CheckedParts(
        storm_home=storm_home,
        storm_yaml=storm_yaml,
        nimbus=_parse("--nimbus", nimbus, NIMBUS_PORT),
        sidecar=_parse("--sidecar", sidecar, SIDECAR_PORT),
        delay_file=delay_file,
    )
    if parts == CheckedParts(delay_file=delay_file):
        fail("doctor: nothing to check; give --storm-home, --storm-yaml, --nimbus or --sidecar")
    results = []
    for result in check(parts):
        results.append(result)
        if not as_json:
            _show(result)
    if as_json:
        sys.stdout.write(json.dumps([asdict(result) for result in results], indent=2) + "\n")
    if any(result.severity is Severity.STOPS_NIMBUS for result in results):
        raise typer.Exit(1)


def check(parts: CheckedParts) -> Iterator[CheckResult]:
    """Check what is given; without `sidecar` check the addresses in storm.yaml."""
    sidecars = [parts.sidecar] if parts.sidecar else []
    if parts.storm_home is not None:
        yield from check_home(parts.storm_home)
    if parts.storm_yaml is not None:
        settings = read_settings(parts.storm_yaml)
        if isinstance(settings, CheckResult):
            yield settings
        else:
            yield from check_settings(settings)
            if parts.storm_home is not None:
                yield from check_isolation(parts.storm_home, settings.get(ISOLATION))
            yield from check_clocks(settings)
            sidecars = sidecars or sidecar_addresses(settings)
    for sidecar in sidecars:
        yield check_sidecar(sidecar)
    if parts.nimbus is not None:
        yield from check_nimbus(parts.nimbus, parts.delay_file)


def _show(result: CheckResult) -> None:
    mark, style = _MARKS[result.severity]
    line = Text.assemble((f"{mark:>12}  ", style), (f"{result.check}: ", "bold"))
    OUT.print(line.append(result.found))
    if result.advice:
        OUT.print(Text(f"{'':14}→ {result.advice}"))


def _parse(option: str, text: str | None, default_port: int) -> Endpoint | None:
    if text is None:
        return None
    endpoint = parse_endpoint(text, default_port)
    if isinstance(endpoint, Failure):
        endpoint = Failure(f"{option}: {endpoint.reason}")
    return or_fail(endpoint)
