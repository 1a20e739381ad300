"""Paper 000, section 7.1, on Storm: a trial file for response time against availability.

`eyewall-deploy trial FILE` then measures Tag-and-Count under S-ODP_R and S-ODP_A, under Eyewall's
default and under Storm's schedulers on the paper's eight nodes. Half of these are available 99 % of
the time: they fail, and come back, at times drawn from that, the same ones for each scheduler. How
long an outage takes is ours, and so is that source and consumer are on nodes that never fail.
"""

import argparse
from pathlib import Path

import numpy as np
from numpy.random import Generator

from eyewall_papers.experiments.report import CONSOLE

AVAILABILITY = 0.99
UNSURE = ("node-2", "node-4", "node-6", "node-8")
"""The nodes of cluster odp8 with that availability; the others never fail."""
SOURCE, CONSUMER = "node-1", "node-7"
OUTAGE = 10.0
"""Seconds that an outage takes in the mean: a supervisor needs about as long to start."""
SECONDS = 600.0
SHORTEST = 0.1
POLICIES = {"s-odp-r": "R=1", "s-odp-a": "A=1"}


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seconds", type=_seconds, default=SECONDS, help="measured")
    parser.add_argument("--outage", type=_seconds, default=OUTAGE, help="mean seconds of one")
    parser.add_argument("--seed", type=int, default=0, help="of the outages")
    parser.add_argument("--output", type=Path, default=Path(), help="folder for the file")


def run(options: argparse.Namespace) -> None:
    options.output.mkdir(parents=True, exist_ok=True)
    path = options.output / "r-against-a.toml"
    text = trial_text(options.seconds, options.outage, options.seed)
    path.write_text(text, encoding="utf-8")
    CONSOLE.print(f"{path}")


def trial_text(seconds: float, outage: float, seed: int) -> str:
    """Return the trial file; all times in seconds."""
    policies = "\n".join(
        f'  {{ scheduler = "eyewall", name = "{name}", options = '
        f'{{ "eyewall.policy" = "odp", "eyewall.objective" = "{objective}" }} }},'
        for name, objective in POLICIES.items()
    )
    generators = np.random.default_rng(seed).spawn(len(UNSURE))
    events = "".join(
        f'\n[[events]]\nat = {at:.1f}\nuntil = {until:.1f}\nfail = "{node}"\n'
        for node, rng in zip(UNSURE, generators, strict=True)
        for at, until in draw_outages(AVAILABILITY, outage, seconds, rng)
    )
    return f"""# Paper 000, section 7.1: response time against availability, seed {seed}.
version = 1
name = "r-against-a"
cluster = "odp8"
overcommit = true  # Tag-and-Count needs a tenth of a core
seconds = {seconds:g}
repetitions = 3
schedulers = [
  "default",
  "ras",
{policies}
  "eyewall",
]

[rate]
constant = 10

[[topologies]]
name = "tag_and_count"
streamparse = "tag_and_count"

[topologies.options]
"tag_and_count.rate" = "{{rate}}"
"eyewall.pin" = {{ source = ["{SOURCE}"], consumer = ["{CONSUMER}"] }}
{events}"""


def draw_outages(
    availability: float, mean: float, seconds: float, rng: Generator
) -> list[tuple[float, float]]:
    """Return when a node fails, and when it is back, in seconds.

    Outages, and the times between them, are exponential; a node is up at first.

    Parameters
    ----------
    availability
        The part of the time that it is up, below 1.
    mean
        Seconds of an outage.
    """
    up = mean * availability / (1.0 - availability)
    outages = []
    at = rng.exponential(up)
    while at < seconds - SHORTEST:
        until = at + max(SHORTEST, rng.exponential(mean))
        outages.append((at, until))
        at = until + rng.exponential(up)
    return outages


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 1 <= seconds <= 86_400:
        raise argparse.ArgumentTypeError(f"{text} seconds: allowed are 1 to 86400")
    return seconds
