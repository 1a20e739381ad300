"""The commands that papers adds to `eyewall`: map, provision, links."""

import logging
from pathlib import Path
from typing import Annotated

import typer
from eyewall_sidecar.cli import completion
from eyewall_sidecar.cli.client import BAD_INPUT
from eyewall_sidecar.cli.options import Config, Sidecar, connect


def map_task(
    problem: Annotated[
        Path,
        typer.Argument(help="A problem file with two kinds of links (papers/docs/bimodal.md)."),
    ],
    *,
    policy: Annotated[
        str, typer.Option(help="least_cost, annealed, random_neighbour, exact or central.")
    ] = "least_cost",
    metric: Annotated[str, typer.Option(help="payment, delay or balanced.")] = "payment",
    max_null: Annotated[int, typer.Option(help="The most nodes that may forward one stream.")] = 2,
    time_limit: Annotated[float, typer.Option(help="Seconds.")] = 60.0,
    seed: Annotated[int, typer.Option(help="Same seed, same mapping.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print the answer as JSON.")] = False,
) -> None:
    """Map a path of operators onto nodes with dedicated and public links, routes included.

    Exit codes are those of solve; 5 also if the policy found no mapping where there may be one.
    """
    # Only here: the solvers take a second to load, and the other commands need none.
    from eyewall_papers.bimodal.command import MapOptions, map_file

    asked = MapOptions(policy, metric, max_null, time_limit, seed)
    raise typer.Exit(map_file(problem, asked, as_json=as_json))


def provision(
    problem: Annotated[
        Path | None,
        typer.Argument(help="A problem file (docs/user/problem-format.md)."),
    ] = None,
    *,
    topology: Annotated[
        str,
        typer.Option(
            help="In place of a file: one that runs, by its name or Storm's id, as measured.",
            autocompletion=completion.topologies,
        ),
    ] = "",
    catalogue: Annotated[
        str,
        typer.Option(
            help="Machine types to buy from: a TOML file, dell-2008 or made-up-cloud. Without one: "
            "which of the file's nodes, or of the supervisors, are enough."
        ),
    ] = "",
    throughput: Annotated[
        float,
        typer.Option(
            help="Results/s, where the file's rates and CPU are those of one result; with "
            "--topology in multiples of what it carries now."
        ),
    ] = 1.0,
    tuple_bytes: Annotated[
        float | None, typer.Option(help="Bytes of a tuple, for streams that do not say.")
    ] = None,
    method: Annotated[
        str,
        typer.Option(help="exact, repairing or one of paper 003's, as subtree-bottom-up."),
    ] = "exact",
    time_limit: Annotated[
        float, typer.Option(help="Seconds; as many again for the next cheaper platform.")
    ] = 60.0,
    seed: Annotated[int, typer.Option(help="Same seed, same platform.")] = 0,
    sidecar: Sidecar = None,
    config: Config = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the answer as JSON.")] = False,
) -> None:
    """Find the cheapest machines for a rate, or the nodes that can be switched off.

    Exit codes as of `eyewall solve`: 0 with a platform, 2 for a bad file or option, 3 if none
    sustains the rate, 4 if the time limit came first, 5 if the heuristic failed; 1 if the sidecar,
    which knows topologies, is away.
    """
    # Only here: the solvers take a second to load, and the other commands need none.
    from eyewall_papers.provisioning import command

    options = command.ProvisionOptions(catalogue, throughput, tuple_bytes, method, time_limit, seed)
    if (problem is None) == (not topology):
        command.refuse("give a problem file or --topology, and not both")
    if problem is not None:
        source = command.from_file(problem)
    else:
        with connect("provision", sidecar, config) as client:
            running = client.problem(topology)
        said = (*running.measured, *running.assumptions)
        source = command.from_topology(
            running.topology, running.json, running.shared, said, options
        )
    raise typer.Exit(command.provision(source, options, as_json=as_json))


def links(
    folder: Annotated[
        Path, typer.Argument(help="Has links.json, connections.json and traffic.json; gets marks.")
    ],
    *,
    interval: Annotated[
        float, typer.Option(min=0.1, help="Seconds from decision to decision.")
    ] = 2.0,
    window: Annotated[
        float, typer.Option(min=0.1, help="Seconds over which a rate is compared with its promise.")
    ] = 10.0,
) -> None:
    """Keep putting connections on dedicated links or the public network, until SIGTERM or Ctrl-C.

    Who was promised a rate and may pay for it comes first (papers/docs/bimodal.md). Exit code 2 for
    a folder that does not exist.
    """
    from eyewall_sidecar.termination import stop_signals

    from eyewall_papers.bimodal.link_agent import LinkAgent, LinkFiles, Timing, run

    if not folder.is_dir():
        typer.echo(f"eyewall links: {folder}: no such folder", err=True)
        raise typer.Exit(BAD_INPUT)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    run(
        LinkAgent(LinkFiles.in_folder(folder), Timing(interval, window)),
        interval,
        stop_signals(),
        lambda: typer.echo(f"eyewall links ready on {folder}, every {interval:g} s"),
    )
