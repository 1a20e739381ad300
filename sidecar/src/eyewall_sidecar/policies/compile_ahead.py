"""Compile what policies need before they are asked: ask each of them something tiny.

    python -m eyewall_sidecar.policies.compile_ahead [--policies odp,greedy] [--processes 2]

Code that is on the disk already is loaded, not compiled again.
"""

import argparse
import multiprocessing
import sys
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from time import perf_counter

from eyewall_sidecar.model import Link, Node, Operator, PlacementProblem, Stream
from eyewall_sidecar.objective import Objective
from eyewall_sidecar.plugins import described
from eyewall_sidecar.policies.catalogue import load_policy, policy_catalogue

OBJECTIVES = tuple(map(Objective.parse, ("R=1", "L=1", "T=1", "N=1", "R=0.5,A=0.2,N=0.3", "ecker")))
TIME_LIMIT = 0.2
"""Seconds for a search; its code is loaded before they begin."""
DEFAULTS = ("odp", "bound_guided", "greedy")
"""What a sidecar needs that nobody has configured; compiled first."""


@dataclass(frozen=True, slots=True)
class Report:
    """What became of one policy.

    Parameters
    ----------
    functions
        How many were compiled, numba's own included; 0 if all were on the disk.
    seconds
        How long that took.
    error
        What the policy raised; empty if nothing.
    """

    policy: str
    functions: int
    seconds: float
    error: str = ""

    def __str__(self) -> str:
        """Return one line for a person."""
        if self.error:
            return f"policy {self.policy} failed: {self.error}"
        done = f"{self.functions} functions compiled" if self.functions else "nothing to compile"
        return f"{self.policy}: {done}, {self.seconds:.1f} s"


def compile_ahead(policy: str) -> None:
    """Compile all that the policy needs, or load it from disk where that was done before."""
    problem = PlacementProblem(
        operators=tuple(Operator(it, execution_time=0.001) for it in "abcd"),
        streams=tuple(Stream(*pair) for pair in ("ab", "ac", "bd", "cd")),
        nodes=(Node("u", operators=3), Node("v", operators=3)),
        links={("u", "v"): Link(0.001), ("v", "u"): Link(0.002)},
    )
    place = load_policy(policy)
    for objective in filter(policy_catalogue()[policy].takes, OBJECTIVES):
        place(problem, objective, time_limit=TIME_LIMIT, seed=0)


def report(policy: str) -> Report:
    """Compile ahead for one policy, and say how that went."""
    from numba.core.event import install_recorder

    began = perf_counter()
    error = ""
    with install_recorder("numba:compile") as recorder:
        try:
            compile_ahead(policy)
        except Exception as raised:  # noqa: BLE001 - another distribution's policy may raise anything
            error = described(raised)
    functions = sum(event.is_start for _, event in recorder.buffer)
    return Report(policy, functions, perf_counter() - began, error)


def main() -> None:
    """Compile ahead for policies; exit code 1 if one fails, 2 for a bad option."""
    catalogue = policy_catalogue()
    first = [*DEFAULTS, *(it for it in catalogue if it not in DEFAULTS)]
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--policies", default=",".join(first), help="comma-separated; default: all")
    parser.add_argument("--processes", type=int, default=1, help="that compile at the same time")
    options = parser.parse_args()
    policies = [it.strip() for it in options.policies.split(",")]
    for unknown in (it for it in policies if it not in catalogue):
        parser.error(f"--policies {unknown}: no such policy; policies are {', '.join(catalogue)}")
    if options.processes < 1:
        parser.error(f"--processes {options.processes}: it must be at least 1")
    failed = False
    print(f"compiling for {', '.join(policies)}", flush=True)
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(options.processes, mp_context=context) as pool:
        waiting = [pool.submit(report, policy) for policy in policies]
        for number, done in enumerate(as_completed(waiting), 1):
            found = done.result()
            failed = failed or bool(found.error)
            stream = sys.stderr if found.error else sys.stdout
            print(f"[{number}/{len(waiting)}] {found}", file=stream, flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()
