"""`eyewall-deploy submit`: a topology of a streamparse project, or of a jar."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - typer reads it
from typing import TYPE_CHECKING, Annotated

import typer

from eyewall_deploy import cluster_file, endpoint
from eyewall_deploy.cluster_file import DEFAULT_CLUSTER
from eyewall_deploy.command_options import (
    ClusterOption,
    ProjectOption,
    RunDirOption,
    running_cluster,
)
from eyewall_deploy.console import OUT, fail, or_fail, show_progress
from eyewall_deploy.endpoint import parse_endpoint
from eyewall_deploy.failure import Failure
from eyewall_deploy.jar_submission import StormClient, check_class, cluster_client, submit_jar
from eyewall_deploy.run_dir import storm_home_cache
from eyewall_deploy.storm.home import assemble_storm_home
from eyewall_deploy.storm.jvm import find_java
from eyewall_deploy.submit import submit as submit_topology

if TYPE_CHECKING:
    from eyewall_deploy.cluster_file import Cluster
    from eyewall_deploy.deployment import Deployment
    from eyewall_deploy.endpoint import Endpoint


def submit(
    topology: Annotated[
        str | None, typer.Argument(help="A topology of the streamparse project.")
    ] = None,
    arguments: Annotated[
        list[str] | None, typer.Argument(help="After --, the arguments of the jar's class.")
    ] = None,
    *,
    jar: Annotated[Path | None, typer.Option(help="A jar, in place of the project.")] = None,
    main_class: Annotated[
        str | None, typer.Option("--class", help="The jar's class that submits.")
    ] = None,
    option: Annotated[
        list[str] | None,
        typer.Option("--option", "-o", metavar="KEY=VALUE", help="A setting, value in YAML."),
    ] = None,
    project: ProjectOption = None,
    name: Annotated[str | None, typer.Option(help="Run it under another name.")] = None,
    nimbus: Annotated[
        str | None,
        typer.Option(
            metavar="HOST:PORT",
            help="A Nimbus that is not an emulated cluster's; --cluster names its cluster file.",
        ),
    ] = None,
    cluster: ClusterOption = None,
    run_dir: RunDirOption = None,
) -> None:
    """Submit a topology through streamparse, or that of a jar (--jar J --class C -- ARGS)."""
    given = [*([topology] if topology is not None else []), *(arguments or [])]
    if jar is None and len(given) != 1:
        fail("give one TOPOLOGY of the project, or --jar with --class")
    if (jar is None) != (main_class is None):
        fail("--jar and --class belong together: the jar, and its class that submits")
    if jar is not None and main_class is not None:
        missing = check_class(jar, main_class)
        if missing is not None:  # known before a cluster is looked for
            fail(missing.reason)
    address, hosts, deployment = _target(nimbus, cluster, run_dir)
    if jar is None or main_class is None:
        result = submit_topology(
            given[0], option or (), nimbus=address, cluster=hosts, project=project, run_as=name
        )
    else:
        result = submit_jar(
            jar,
            main_class,
            given,
            option or (),
            nimbus=address,
            cluster=hosts,
            client=or_fail(_storm_client(deployment, address)),
            run_as=name,
        )
    OUT.print(f"submitted {or_fail(result)}; see `eyewall-deploy status`")


def _target(
    nimbus: str | None, cluster: str | None, run_dir: Path | None
) -> tuple[Endpoint, Cluster, Deployment | None]:
    if nimbus is None:
        deployment = running_cluster(cluster, run_dir)
        return deployment.state.nimbus, deployment.cluster, deployment
    address = or_fail(parse_endpoint(nimbus, endpoint.NIMBUS_PORT))
    try:
        return address, cluster_file.load(cluster or DEFAULT_CLUSTER), None
    except cluster_file.ClusterFileError as error:
        fail(str(error))


def _storm_client(deployment: Deployment | None, nimbus: Endpoint) -> StormClient | Failure:
    if deployment is not None:
        return cluster_client(deployment)
    java = find_java()
    if java is None:
        return Failure("no JVM: neither JAVA_HOME nor PATH has a java")
    with show_progress() as progress:
        home = assemble_storm_home(storm_home_cache(), progress.show)
    return home if isinstance(home, Failure) else StormClient(java, home.path, nimbus)
