"""Paper 002, section 6, on Storm: a trial file for each topology of table 1.

`eyewall-deploy trial FILE` then measures Storm's schedulers, the paper's heuristics
under Ecker's score and Eyewall's default beside each other: latency while few tuples come, and
throughput while more come than any placement carries. `--sustainable` searches the largest rates;
`002-live` shows all results next to the paper's tables. Sizes, selectivities and streams back are
those of `ecker_shapes`; that each operation spends as much CPU on a tuple, and how much, is ours.
"""

import argparse
import json
import re
from pathlib import Path

from eyewall_papers.experiments.paper_002.reproduce import read_topologies
from eyewall_papers.experiments.report import CONSOLE
from eyewall_papers.instances.ecker_shapes import SINK, SOURCE, TABLE_1, Edge, shape_of
from eyewall_papers.instances.ecker_testbed import CLUSTER as SHIPPED_CLUSTER
from eyewall_papers.instances.ecker_testbed import SOURCE_RATE, stream_rates, workers

CPU_MICROS = 200
"""Of an operation, on each tuple."""
CLUSTER = "ecker11-small"
CORES = 1.5
"""Of the machine, for all hosts: what the rate is chosen for. Hosts declare their part of it, so
that what executors declare is a part of what there is."""
SHARE = 0.5
"""Of these, what the operations need at load 1."""
QUIET, OVERLOAD = 0.1, 1.9
"""Loads: multiples of the rate. The second is as much as all hosts together could carry."""
MOST_OF_THREADS = 0.95
"""Of the largest host, that an operation's threads may need at the second load."""
PENDING, TIMEOUT = 200, 60
"""Tuples under way, and seconds until one is emitted again: a placement that carries few a second
is measured, too, and not its replays."""
DECLARED = 0.8
"""The load whose need the topology declares, evenly over its executors and the acker: RAS fills
hosts by it."""
WORKERS = 4
"""That the topology asks for: Storm's default has one on each of the larger hosts, and the others
do not count them. The small ones have a twentieth of a core, on which a start takes minutes."""
SECONDS, WARM_UP = 180, 40
"""Of each load, measured and before that. The overload lasts for both: adaptive schedulers act
within minutes, and the paper gives them two, and ten for its higher rate."""
TWIN, TWIN_NAME = "T-M1", "T-M1-python"
"""Of which there is one in Python, too: streamparse's `relay`; and what that one is called."""
TWIN_SECONDS = 2.2e-3
"""CPU time of one of its operators on a tuple: its own work, and a tuple's way through a process of
another language (topologies/src/workload/settings.py)."""
ECKER = '"eyewall.objective" = "ecker"'
HOUR = ("T-R3",)
"""Whose trial takes an hour, with one repetition: the one of the paper's figures 6 and 7."""
REPETITIONS = 3
HEURISTICS = {"hill-climbing": "hill_climbing", "ants": "ant_system", "hybrid": "hybrid"}


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--topologies", type=read_topologies, default=list(TABLE_1))
    parser.add_argument(
        "--hour", action="store_true", help=f"{', '.join(HOUR)}, one repetition: an hour in all"
    )
    parser.add_argument("--output", type=Path, default=Path(), help="folder for the files")


def run(options: argparse.Namespace) -> None:
    options.output.mkdir(parents=True, exist_ok=True)
    (options.output / f"{CLUSTER}.toml").write_text(cluster_text(), encoding="utf-8")
    repetitions = 1 if options.hour else REPETITIONS
    topologies = HOUR if options.hour else options.topologies
    texts = {it.lower(): trial_text(it, repetitions) for it in topologies}
    if TWIN in topologies:
        texts[TWIN_NAME.lower()] = twin_text(repetitions)
    for name, text in texts.items():
        path = options.output / f"{name}.toml"
        path.write_text(text, encoding="utf-8")
        CONSOLE.print(f"{path}")


def cluster_text() -> str:
    """Return cluster ecker11 with `CORES` in place of the paper's 6.6, shared as there."""
    factor = CORES / sum(it.cpu for it in workers()[0])
    text = SHIPPED_CLUSTER.read_text(encoding="utf-8")
    text = re.sub(r"^name = \"ecker11\"$", f'name = "{CLUSTER}"', text, flags=re.MULTILINE)
    text = re.sub(r"^cpu_scale = .*$", "cpu_scale = 1.0", text, flags=re.MULTILINE)
    return re.sub(
        r"^cpu = (.*)$",
        lambda found: f"cpu = {float(found[1]) * factor:.4f}",
        text,
        flags=re.MULTILINE,
    )


def load_arguments(topology: str) -> dict[str, str | float]:
    """Return the arguments of the load topology's shape `graph` for one of table 1's topologies."""
    shape = shape_of(topology)
    inner = [it for it in range(len(shape.instances)) if it not in (SOURCE, SINK)]
    factors = ",".join(f"{_name(it)}={shape.selectivities[it]:.4f}" for it in inner)
    arguments: dict[str, str | float] = {
        "graph": ",".join(map(_stream, shape.edges)),
        "selectivities": factors,
        "parallelism": shape.instances[inner[0]],
        "cpu-us": CPU_MICROS,
        "pending": PENDING,
        "timeout": TIMEOUT,
        "declared": _declared(topology),
        "workers": WORKERS,
    }
    if shape.back is not None:
        arguments["back"] = _stream(shape.back)
    return arguments


def trial_text(topology: str, repetitions: int = REPETITIONS) -> str:
    """Return the trial file of one of table 1's topologies."""
    arguments = load_arguments(topology)
    listed = "\n".join(f"{name} = {json.dumps(it)}" for name, it in arguments.items())
    return f"""# {topology} of paper 002, table 1, on the workers of section 6.1.1.
{_head(topology.lower(), repetitions)}
one_start = true

[rate]
constant = {load_rate(topology):.3g}

[[topologies]]
name = "{topology.lower()}"
shape = "graph"

[topologies.arguments]
{listed}

[topologies.options]
"topology.acker.cpu.pcore.percent" = {arguments["declared"]}
"""


def twin_text(repetitions: int = REPETITIONS) -> str:
    """Return the trial file of T-M1 in Python; its rate cannot change, so each load is a start."""
    rate = SHARE * CORES / (TWIN_SECONDS * (TABLE_1[TWIN][0] - 1))
    return f"""# {TWIN} of paper 002, table 1, in Python, on the workers of section 6.1.1.
{_head(TWIN_NAME.lower(), repetitions)}

[rate]
constant = {rate:.3g}

[[topologies]]
name = "{TWIN_NAME.lower()}"
streamparse = "relay"

[topologies.options]
"relay.rate" = "{{rate}}"
"relay.cpu.ms" = {CPU_MICROS / 1000}
"topology.workers" = {WORKERS}
"topology.max.spout.pending" = {PENDING}
"topology.message.timeout.secs" = {TIMEOUT}
"""


def _head(name: str, repetitions: int) -> str:
    heuristics = "\n".join(
        f'  {{ scheduler = "eyewall", name = "{label}", '
        f'options = {{ "eyewall.policy" = "{policy}", {ECKER} }} }},'
        for label, policy in HEURISTICS.items()
    )
    return f"""version = 1
name = "{name}"
cluster = "{CLUSTER}.toml"
seconds = {SECONDS}
warm_up_seconds = {WARM_UP}
repetitions = {repetitions}
loads = [{QUIET}, {OVERLOAD}]
schedulers = [
  "default",
  "ras",
{heuristics}
  {{ scheduler = "eyewall", options = {{ "eyewall.moves" = "overlap" }} }},
]"""


def load_rate(topology: str) -> float:
    """Return the rate at which operations need that share of the cores, in tuples/s.

    Or less, if the threads of one of them could not carry `OVERLOAD` of it on the largest host.
    """
    seconds = _seconds(topology)
    cores = [it.cpu for it in workers()[0]]
    thread = CORES * max(cores) / sum(cores)
    instances = shape_of(topology).instances
    busiest = max(it / count for it, count in zip(seconds, instances, strict=True))
    return min(SHARE * CORES / sum(seconds), MOST_OF_THREADS * thread / busiest / OVERLOAD)


def _declared(topology: str) -> float:
    """Return the percent of a core that each executor asks for."""
    cores = DECLARED * load_rate(topology) * sum(_seconds(topology))
    return round(100 * cores / sum(shape_of(topology).instances), 2)


def _seconds(topology: str) -> list[float]:
    """Return [operation]: CPU time that it spends for each tuple of the source."""
    shape = shape_of(topology)
    seconds = [0.0] * len(shape.instances)
    for (_, target), rate in stream_rates(shape).items():
        seconds[target] += 0.0 if target == SINK else rate / SOURCE_RATE * CPU_MICROS / 1e6
    return seconds


def _stream(edge: Edge) -> str:
    return ":".join(map(_name, edge))


def _name(operation: int) -> str:
    return {SOURCE: "source", SINK: "sink"}.get(operation, f"operation-{operation}")
