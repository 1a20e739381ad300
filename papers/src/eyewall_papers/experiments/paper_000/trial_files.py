"""Paper 000, sections 7.1 and 7.2, on Storm: trial files for `eyewall-deploy trial FILE`.

Each measures Tag-and-Count on the paper's eight nodes under Eyewall's default, under Storm's
schedulers and under the paper's own. Source and consumer are pinned to two nodes that never fail,
which is ours, and which Storm's schedulers do not know: they may put all on one node. No rates are
hinted. The files are

- `r-against-a.toml`: S-ODP_R and S-ODP_A. Half of the nodes are available 99 % of the time: they
  fail, and come back, at times drawn from that, the same ones for each scheduler. How long an
  outage takes is ours.
- `heuristics.toml`: Pietzuch's, Rizou's and Xu's schedulers follow their plans, whatever these
  gain, beside S-ODP for EE, N and T, which places by A at first (its early placement) and moves
  once rates are measured and that gains a tenth. The latency agents place hosts without heights,
  as Vivaldi of the papers' cost spaces does. The paper has nodes of 100 % here; none fails in ours,
  but those of 99 % are declared so, and the early placement avoids them.
"""

import argparse
import json
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
EVERY = 50.0
"""Seconds from plan to plan in section 7.2."""
SHORTEST = 0.1
POLICY, OBJECTIVE, EARLY = "eyewall.policy", "eyewall.objective", "eyewall.early.objective"
POLICIES = {"s-odp-r": "R=1", "s-odp-a": "A=1"}
HEURISTICS = {"pietzuch": "EE", "rizou": "N", "xu": "T"}
"""Policy of section 7.2 → what it aims at, which S-ODP minimises."""


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seconds", type=_seconds, default=SECONDS, help="measured")
    parser.add_argument("--outage", type=_seconds, default=OUTAGE, help="mean seconds of one")
    parser.add_argument("--seed", type=int, default=0, help="of the outages")
    parser.add_argument(
        "--every", type=_seconds, default=EVERY, help="seconds between plans of section 7.2"
    )
    parser.add_argument("--output", type=Path, default=Path(), help="folder for the files")


def run(options: argparse.Namespace) -> None:
    options.output.mkdir(parents=True, exist_ok=True)
    texts = {
        "r-against-a": availability_trial(options.seconds, options.outage, options.seed),
        "heuristics": heuristics_trial(options.seconds, options.every),
    }
    for name, text in texts.items():
        path = options.output / f"{name}.toml"
        path.write_text(text, encoding="utf-8")
        CONSOLE.print(f"{path}")


def availability_trial(seconds: float, outage: float, seed: int) -> str:
    """Return the trial file of section 7.1; all times in seconds."""
    policies = [
        _scheduler(name, {POLICY: "odp", OBJECTIVE: objective})
        for name, objective in POLICIES.items()
    ]
    generators = np.random.default_rng(seed).spawn(len(UNSURE))
    events = "".join(
        f'\n[[events]]\nat = {at:.1f}\nuntil = {until:.1f}\nfail = "{node}"\n'
        for node, rng in zip(UNSURE, generators, strict=True)
        for at, until in draw_outages(AVAILABILITY, outage, seconds, rng)
    )
    title = f"section 7.1: response time against availability, seed {seed}"
    return _trial("r-against-a", title, seconds, policies) + events


def heuristics_trial(seconds: float, every: float) -> str:
    """Return the trial file of section 7.2; all times in seconds."""
    policies = []
    for name, term in HEURISTICS.items():
        aim = {OBJECTIVE: f"{term}=1"}
        policies.append(_scheduler(name, {POLICY: name} | aim, every))
        optimal = {POLICY: "odp"} | aim | {EARLY: "A=1"}
        policies.append(_scheduler(optimum_of(name), optimal))
    title = f"section 7.2: three heuristics and S-ODP, a plan every {every:g} s"
    return _trial("heuristics", title, seconds, policies, 'latency_algorithm = "paper"\n')


def optimum_of(heuristic: str) -> str:
    """Return the name of S-ODP for what a heuristic aims at."""
    return f"s-odp-{HEURISTICS[heuristic].lower()}"


def _scheduler(name: str, settings: dict[str, str], every: float | None = None) -> str:
    options = ", ".join(f'"{key}" = {json.dumps(it)}' for key, it in settings.items())
    plans = "" if every is None else f"plan_every = {every:g}, "
    return f'{{ scheduler = "eyewall", name = "{name}", {plans}options = {{ {options} }} }}'


def _trial(name: str, title: str, seconds: float, policies: list[str], more: str = "") -> str:
    schedulers = "".join(f"  {it},\n" for it in ('"default"', '"ras"', *policies, '"eyewall"'))
    return f"""# Paper 000, {title}.
version = 1
name = "{name}"
cluster = "odp8"
overcommit = true  # Tag-and-Count needs a tenth of a core
seconds = {seconds:g}
repetitions = 3
{more}schedulers = [
{schedulers}]

[rate]
constant = 10

[[topologies]]
name = "tag_and_count"
streamparse = "tag_and_count"

[topologies.options]
"tag_and_count.rate" = "{{rate}}"
"eyewall.rate.hint" = {{}}
"eyewall.pin" = {{ source = ["{SOURCE}"], consumer = ["{CONSUMER}"] }}
"""


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
