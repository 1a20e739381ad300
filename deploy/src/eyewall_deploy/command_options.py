"""Options that several commands have in common."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from eyewall_deploy.console import or_fail
from eyewall_deploy.deployment import Deployment, find_deployment
from eyewall_deploy.endpoint import LARGEST_PORT

ClusterOption = Annotated[
    str | None,
    typer.Option("--cluster", "-c", help="Which cluster, if several are up.", metavar="NAME"),
]
RunDirOption = Annotated[
    Path | None, typer.Option("--run-dir", help="The cluster's run dir, if not the default.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="For programs.")]
PortOption = Annotated[int, typer.Option(min=1, max=LARGEST_PORT)]
ProjectOption = Annotated[
    Path | None, typer.Option(help="The streamparse project; ./topologies if not given.")
]


def running_cluster(cluster: str | None, run_dir: Path | None) -> Deployment:
    """Return the running cluster that a command means, or end the command."""
    return or_fail(find_deployment(cluster, run_dir))
