"""Time to a proven optimum: `odp` compared with PuLP, CBC and HiGHS in one run.

PuLP solves paper 000's own formulation. Every contender has one thread; times are from the
problem to the answer, building included, without loading compiled code. Cells: seeds proven, then
the median (and greatest) milliseconds; "×": the median time divided by that of `odp` (or of
--against), ">" where most runs did not end by themselves.

    python -m benchmarks odp [--groups sodp,table,open] [--prototypes DIR] [--quick]
"""

import argparse
import json
import sys
from contextlib import suppress
from dataclasses import asdict
from math import nan
from pathlib import Path
from statistics import median

from eyewall_papers.experiments.report import progress_bar, show

from benchmarks.exact.cases import GROUPS
from benchmarks.exact.comparison import OURS, ComparisonRow, Limits, compare, seconds_to_load
from benchmarks.exact.contender_process import ContenderProcess
from benchmarks.exact.contenders import ContenderRun
from benchmarks.exact.engines import ENGINES

PROTOTYPES = "prototypes"
RIVALS = (PROTOTYPES, "PuLP+CBC", "PuLP+HiGHS")
CONTENDERS = ("branch and bound", *RIVALS)


def main() -> None:
    options = _options()
    groups = options.groups.split(",")
    limits = Limits(
        options.seeds,
        options.open_seeds,
        options.time_limit,
        options.reference_seeds,
        options.reference,
    )
    if options.quick:
        limits = Limits(1, 1, min(5.0, limits.ours), 1, min(5.0, limits.reference))
    asked = options.contenders.split(",")
    contenders = [OURS, *(it for it in asked if it != PROTOTYPES or options.prototypes)]
    cases = [case for group in groups for case in GROUPS[group]]
    runs = sum(limits.of(contender, case)[0] for contender in contenders for case in cases)
    rows: list[ComparisonRow] = []
    load = nan
    with (
        ContenderProcess() as eyewall,
        ContenderProcess(options.prototypes) as rivals,
        progress_bar() as progress,
        suppress(KeyboardInterrupt),  # an interrupted run shows the cases done so far
    ):
        task = progress.add_task("loading", total=runs)
        load = seconds_to_load(eyewall)
        for case in cases:

            def step(contender: str, name: str = f"{case.name} {case.objective}") -> None:
                progress.update(task, description=f"{name}: {contender}", advance=1)

            def worker(contender: str) -> ContenderProcess:
                return rivals if contender in RIVALS else eyewall

            rows.append(compare(case, contenders, limits, worker, step))
            if options.json:
                options.json.write_text(json.dumps([_entry(row) for row in rows], indent=1))
    _show(rows, contenders, limits, options.against)
    print(f"Not included: loading compiled code, once for each process, {load:.2g} s.")
    complaints = [it for row in rows for it in row.complaints()]
    print("\n".join(complaints) or "No answer is better than what another one proved optimal.")
    if complaints:
        sys.exit(1)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--groups", default="sodp,table,open", help=f"of {', '.join(GROUPS)}")
    parser.add_argument(
        "--contenders",
        default=",".join(CONTENDERS),
        help=f"besides {OURS}, of {', '.join((*ENGINES, *RIVALS))}",
    )
    parser.add_argument(
        "--against", default=OURS, help="the contender whose times divide the others'"
    )
    parser.add_argument("--seeds", type=int, default=8)
    parser.add_argument("--open-seeds", type=int, default=3, help="of the group open")
    parser.add_argument("--time-limit", type=float, default=60.0, help="ours, seconds")
    parser.add_argument("--reference", type=float, default=20.0, help="PuLP, seconds")
    parser.add_argument("--reference-seeds", type=int, default=2, help="PuLP, beyond S-ODP")
    parser.add_argument("--prototypes", type=Path, help="directory with bb.py, bb2.py, fat.py, …")
    parser.add_argument("--json", type=Path, help="write every run to this file, case by case")
    parser.add_argument("--quick", action="store_true", help="one seed, 5 s at most")
    options = parser.parse_args()
    if unknown := set(options.groups.split(",")) - set(GROUPS):
        parser.error(f"--groups {', '.join(sorted(unknown))}: groups are {', '.join(GROUPS)}")
    if unknown := set(options.contenders.split(",")) - {*ENGINES, *RIVALS}:
        allowed = ", ".join((*ENGINES, *RIVALS))
        parser.error(f"--contenders {', '.join(sorted(unknown))}: contenders are {allowed}")
    if options.against not in {OURS, *options.contenders.split(",")}:
        parser.error(f"--against {options.against}: it is not among the contenders")
    if options.prototypes and not (options.prototypes / "bb.py").is_file():
        parser.error(f"--prototypes {options.prototypes}: there is no bb.py")
    return options


def _show(rows: list[ComparisonRow], contenders: list[str], limits: Limits, against: str) -> None:
    others = [it for it in contenders if it != against]
    columns = ["case", "objective", *(f"{it}, ms" for it in contenders)]
    cells = [
        (
            row.case.name,
            str(row.case.objective),
            *(_time(row.runs[it]) for it in contenders),
            *(_ratio(row, it, against) for it in others),
            _gap(row, against),
            row.case.paper,
        )
        for row in rows
    ]
    title = (
        f"Proven optima: {limits.seeds} seeds, of open cases at most {limits.open_seeds}, "
        f"up to {limits.ours:g} s; PuLP up to {limits.reference:g} s, {limits.reference_seeds} "
        "seeds beyond S-ODP"
    )
    header = (*columns, *(f"× {it}" for it in others), f"gap of {against}", "paper")
    show(header, cells, title, left=2)


def _time(runs: list[ContenderRun]) -> str:
    asked = [it for it in runs if it.seconds]
    proven = f"{sum(it.proven for it in runs)}/{len(runs)}"
    if not asked or not any(it.proven or it.cost is not None for it in runs):
        return f"{proven} {runs[0].remark[:40]}"
    times = [it.seconds * 1e3 for it in asked]
    return f"{proven} {_round(median(times))} ({_round(max(times))})"


def _ratio(row: ComparisonRow, contender: str, against: str) -> str:
    ours, theirs = row.milliseconds(against), row.milliseconds(contender)
    if not ours or not theirs or not row.proven(against):
        return "–"
    ended = row.proven(contender) * 2 > len(row.runs[contender])
    return f"{'' if ended else '> '}{_round(theirs / ours)}"


def _gap(row: ComparisonRow, contender: str) -> str:
    gaps = row.gaps(contender)
    return f"{median(gaps):.1%} ({max(gaps):.1%})" if gaps else ""


def _round(value: float) -> str:
    """Three digits, whole numbers from 100 on."""
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def _entry(row: ComparisonRow) -> dict[str, object]:
    return {
        "case": row.case.name,
        "objective": str(row.case.objective),
        "runs": {
            contender: [asdict(run) | {"ranges": None} for run in runs]
            for contender, runs in row.runs.items()
        },
    }


if __name__ == "__main__":
    main()
