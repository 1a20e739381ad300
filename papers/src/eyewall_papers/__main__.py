"""Run one experiment of the papers: python -m eyewall_papers NAME [options of the experiment]."""

import argparse
import sys
from importlib import import_module
from typing import NamedTuple


class Experiment(NamedTuple):
    """A module of `experiments` with `add_options` and `run`, and its subject."""

    module: str
    shows: str


EXPERIMENTS = {
    "000": Experiment("paper_000.reproduce", "S-ODP, heuristics over time, solving times"),
    "000-trials": Experiment("paper_000.trial_files", "trial files of sections 7.1 and 7.2"),
    "000-live": Experiment("paper_000.live", "results of these trials next to figures 4 to 7"),
    "001": Experiment("paper_001.reproduce", "MOPA and SBON against the optimum"),
    "002": Experiment("paper_002.reproduce", "run times and scores on the twelve topologies"),
    "002-excess": Experiment("paper_002.excess", "heuristics against every placement"),
    "002-ants": Experiment("paper_002.tune_ants", "constants of the ant system"),
    "002-trials": Experiment("paper_002.trial_files", "trial files of the twelve topologies"),
    "002-drive": Experiment("paper_002.drive", "the test driver of section 6.1.3, on a cluster"),
    "002-live": Experiment("paper_002.live_tables", "results of these trials next to tables 2, 3"),
    "003": Experiment("paper_003.reproduce", "prices of the heuristics: figures 2 to 9"),
    "003-proofs": Experiment("paper_003.proof_times", "time to a proven cheapest platform"),
    "003-dense": Experiment("paper_003.dense_topologies", "layers of many executors"),
    "004": Experiment("paper_004.mapping_quality", "figure 7: costs and messages of mapping"),
    "004-processes": Experiment("paper_004.mapping_processes", "agents as processes"),
    "004-comparison": Experiment("paper_004.comparison", "figure 9: both kinds of links"),
    "004-reallocation": Experiment("paper_004.reallocation", "figure 8: re-allocation of links"),
    "004-variability": Experiment("paper_004.variability", "10 ms steps against window means"),
    "004-live": Experiment("paper_004.live", "re-allocation on the emulated cluster"),
}


def main() -> None:
    """Run the experiment that the first argument names; exit code 2 if there is none."""
    name, *options = sys.argv[1:] or ["--help"]
    if name not in EXPERIMENTS:
        asked = name in {"-h", "--help"}
        listed = "".join(f"  {it:18} {EXPERIMENTS[it].shows}\n" for it in EXPERIMENTS)
        head = __doc__ if asked else f"experiment {name}: no such experiment; experiments are"
        (sys.stdout if asked else sys.stderr).write(f"{head}\n\n{listed}")
        sys.exit(0 if asked else 2)
    experiment = import_module(f"eyewall_papers.experiments.{EXPERIMENTS[name].module}")
    parser = argparse.ArgumentParser(
        prog=f"python -m eyewall_papers {name}",
        description=experiment.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    experiment.add_options(parser)
    experiment.run(parser.parse_args(options))


if __name__ == "__main__":
    main()
