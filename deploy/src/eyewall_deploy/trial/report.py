"""A trial's table, its results as JSON, and how to go on with the cluster."""

from __future__ import annotations

from dataclasses import asdict
from math import isclose
from operator import attrgetter
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from rich.box import SIMPLE
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from eyewall_deploy.trial.figures import (
    FIGURES,
    FigureRange,
    host_cpu,
    summarise_rates,
    summarise_runs,
    value_range,
)
from eyewall_deploy.trial.forecast_points import (
    compare_forecasts,
    compare_rates,
    describe_forecasts,
)
from eyewall_deploy.trial.latency_ratios import PERCENTS, find_latency_ratios
from eyewall_deploy.trial.move_costs import MOVE_SECONDS, find_move_costs
from eyewall_deploy.trial.records import ACKED, LATENCY_LIMIT, SAME_RATE
from eyewall_deploy.trial.recovery import GOOD_SECONDS, LATE_SHARE, SLOWDOWN, find_recoveries

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rich.console import Console

    from eyewall_deploy.deployment import Deployment
    from eyewall_deploy.trial.latency_ratios import LatencyRatio
    from eyewall_deploy.trial.move_costs import MoveCost
    from eyewall_deploy.trial.records import RateMeasurement, SustainableRate, TrialRun
    from eyewall_deploy.trial.recovery import Recoveries, Recovery
    from eyewall_deploy.trial.trial_file import Trial

_RATES = "p99 at each rate, when it was measured last"
_WIDEST = 1_000
_MANY = 1_000
"""Beyond it a number has no fraction."""
_P99 = "p99"
_LATENCIES = ("p50", _P99)
_PARTS = ("stolen",)
_LATE, _SILENT, _MOVES = attrgetter("late"), attrgetter("silent"), attrgetter("moves")
_NOTE = (
    "Medians [least–most]. Latency is from when a tuple was due to its ack at the source; tuples "
    "that were missing at the end count with the time they had waited. Silent: seconds without a "
    "tuple at a sink. Moves, executors and restarts count from the first placement on. Stolen: "
    "share of the machine that other guests had."
)
_RATIOS = "Latency, relative to the best of the others"
_RATIOS_NOTE = (
    "Of all repetitions together, and the range in which nine of ten draws of repetitions and "
    "seconds lie: a ratio whose range has 1 in it may be chance."
)
_CHANGES_NOTE = (
    f"Late: acked after more than {SLOWDOWN:g} times the p99 before the first change (the median "
    "over all runs of the load), or overdue by that. Good: in each "
    f"{GOOD_SECONDS} s until the next change at most {LATE_SHARE:.0%} of the tuples are late, and "
    "no second is without output; the median is of the runs that got there."
)

_MIB = 1 << 20
_LARGEST = "largest p99"
_MOVE_COLUMNS: dict[str, Callable[[MoveCost], float | None]] = {
    "executors": lambda it: it.move.executors,
    "restarts": lambda it: it.move.workers,
    "silent s": lambda it: it.silent,
    "gap, s": lambda it: it.gap,
    "least out/s": lambda it: it.least_out,
    _LARGEST: lambda it: it.p99,
    "replayed": lambda it: it.replayed,
    "failed": lambda it: it.failed,
    "both, s": lambda it: it.both,
    "more cores": lambda it: it.cores,
    "more MiB": lambda it: None if it.memory is None else round(it.memory / _MIB),
}
_MOVES_NOTE = (
    f"Medians [least–most] over moves, each from the last look without it to {MOVE_SECONDS} s "
    "later or the next move. Gap: the longest time without output. Both: seconds until no more "
    "workers run than are assigned (all, if more do to the end); more cores and memory: what hosts "
    "used in these beyond the 10 s before."
)


def show_table(console: Console, trial: Trial, runs: Sequence[TrialRun]) -> None:
    """Show medians and ranges by load and scheduler."""
    table = Table(title=f"Trial {trial.name}", title_justify="left", box=SIMPLE)
    for heading in ("load", "scheduler", "runs"):
        table.add_column(heading, no_wrap=True)
    for figure in FIGURES:
        table.add_column(figure.heading, justify="right", no_wrap=True)
    for line in summarise_runs(runs):
        cells = [_cell(figure.key, line.figures[figure.key]) for figure in FIGURES]
        table.add_row(f"{line.load:g}", line.scheduler, str(line.runs), *cells)
    _print_whole(console, table)
    for scheduler in dict.fromkeys(run.scheduler for run in runs):
        used = host_cpu([run for run in runs if run.scheduler == scheduler])
        hosts = ", ".join(f"{host} {cores:.2f}" for host, cores in used.items())
        console.print(Text(f"  CPU by host, {scheduler}: {hosts or 'not known'}"))
    for run in runs:
        for reason in run.failed_events:
            console.print(Text(f"  An event or a plan failed, {run.scheduler}: {reason}"))
        if (seen := run.seen) is not None:
            counted = f"{seen.lost:,} of {seen.tuples:,} lost, {seen.twice:,} seen twice"
            console.print(Text(f"  Tuples at the sinks, {run.scheduler}, {run.load:g}: {counted}"))
    if met := describe_forecasts(list(compare_forecasts(runs, trial.host_cores()))):
        console.print(Text(f"  {met}"))
    console.print(Text(_NOTE, style="dim"))
    if trial.is_steady:
        _show_ratios(console, list(find_latency_ratios(runs)))
    _show_recoveries(console, find_recoveries(trial, runs))
    _show_move_costs(console, list(find_move_costs(runs)))


def results(trial: Trial, runs: Sequence[TrialRun]) -> dict[str, Any]:
    """Return all figures as JSON has them; times in seconds."""
    return {
        "version": 1,
        "unit": "s",
        "trial": trial.name,
        "cluster": trial.cluster.name,
        "host_cores": trial.host_cores(),
        "seconds": trial.seconds,
        "warm_up_seconds": trial.warm_up,
        "rate": trial.rate.points,
        "events": [{"at": it.at, "until": it.until, "what": it.label} for it in trial.events],
        "summary": [asdict(line) for line in summarise_runs(runs)],
        "latency_ratios": [
            asdict(it) for it in (find_latency_ratios(runs) if trial.is_steady else ())
        ],
        "forecasts": [asdict(it) for it in compare_forecasts(runs, trial.host_cores())],
        "recoveries": [asdict(it) for it in find_recoveries(trial, runs).found],
        "move_costs": [asdict(it) for it in find_move_costs(runs)],
        "runs": [
            {
                **asdict(run),
                "figures": {figure.key: figure.of(run) for figure in FIGURES},
                "host_cpu": host_cpu([run]),
            }
            for run in runs
        ],
    }


def show_sustainable(console: Console, trial: Trial, found: Sequence[SustainableRate]) -> None:
    """Show the sustained rates by scheduler."""
    table = Table(title=f"Sustainable rate, {trial.name}", title_justify="left", box=SIMPLE)
    table.add_column("scheduler")
    limit = next((it.p99_limit for it in found), None)
    headings = ["runs", "tuples/s", "p99 at it"]
    if limit is None:  # with one half of a rate is not measured, and nothing forecast there
        headings += [f"most with p99 ≤ {ms(LATENCY_LIMIT)}", "forecast at half of it"]
    for heading in headings:
        table.add_column(heading, justify="right")
    for scheduler, rates in summarise_rates(found).items():
        own = [it for it in found if it.scheduler == scheduler]
        latencies = [it.p99 for it in own if it.p99 is not None]
        cells = [
            scheduler,
            str(len(own)),
            _cell("rate", rates),
            ms(median(latencies)) if latencies else "–",
            _cell("rate", value_range([it.within(LATENCY_LIMIT) for it in own])),
            ", ".join(_forecast(it) for it in own),
        ]
        table.add_row(*cells[: 1 + len(headings)])
    _print_whole(console, table)
    resolutions = ", ".join(f"{it:.0%}" for it in sorted({it.resolution for it in found}))
    what = "below twice its value at half of the rate" if limit is None else f"at most {ms(limit)}"
    sustained = f"The largest rate whose p99 is {what}, with {ACKED:.0%} of the due tuples acked."
    console.print(Text(f"{sustained} Resolution: {resolutions}.", style="dim"))
    if met := describe_forecasts(list(compare_rates(found))):
        console.print(Text(f"  {met}"))
    _show_rates(console, found)


def _show_rates(console: Console, found: Sequence[SustainableRate]) -> None:
    """Show each scheduler's latency at each rate.

    A latency that is low at half of a rate may double before that is reached, and be lower there
    than another one that does not.
    """
    schedulers = list(dict.fromkeys(it.scheduler for it in found))
    table = Table(title=_RATES, title_justify="left", box=SIMPLE)
    for heading in ("tuples/s", *schedulers):
        table.add_column(heading, justify="right", no_wrap=True)
    rates: list[float] = []
    for rate in sorted(it.rate for search in found for it in search.measurements):
        if not rates or not isclose(rate, rates[-1], rel_tol=SAME_RATE):
            rates.append(rate)
    for rate in rates:
        cells = []
        for scheduler in schedulers:
            latest = [it.latest_at(rate) for it in found if it.scheduler == scheduler]
            cells.append(_rate_cell([it for it in latest if it is not None]))
        table.add_row(f"{rate:.1f}", *cells)
    _print_whole(console, table)


def _rate_cell(measured: Sequence[RateMeasurement]) -> str:
    known = [it.p99 for it in measured if it.p99 is not None]
    if not known:
        return "–"
    acked = median(it.acked for it in measured)
    return ms(median(known)) + (f", {acked:.0%} acked" if acked < ACKED else "")


def sustainable_results(trial: Trial, found: Sequence[SustainableRate]) -> dict[str, Any]:
    """Return the sustained rates and all that was measured for them as JSON has it."""
    return {
        "version": 1,
        "unit": "s",
        "trial": trial.name,
        "cluster": trial.cluster.name,
        "host_cores": trial.host_cores(),
        "summary": {name: asdict(rates) for name, rates in summarise_rates(found).items()},
        "latency_limit": LATENCY_LIMIT,
        "forecasts": [asdict(it) for it in compare_rates(found)],
        "searches": [
            {
                **asdict(it),
                "within_limit": it.within(LATENCY_LIMIT),
                "forecast": it.forecast and asdict(it.forecast),
            }
            for it in found
        ],
    }


def _forecast(found: SustainableRate) -> str:
    it = found.forecast
    return "–" if it is None else f"{it.value:.3g} [{it.least:.3g}–{it.greatest:.3g}]"


def describe_run(run: TrialRun) -> str:
    """Return the figures of one run that matter most, in one line."""
    acked = next(figure for figure in FIGURES if figure.key == "acked_per_second").of(run)
    stolen = "unknown" if run.stolen is None else f"{run.stolen:.1%}"
    return (
        f"{acked:.1f} acked/s, p50 {ms(run.percentile(50))}, p99 {ms(run.percentile(99))}, "
        f"{len(run.moves)} moves, {stolen} stolen"
    )


def show_next_commands(
    console: Console, deployment: Deployment, program: str, run_dir: Path | None = None
) -> None:
    """Show how to look at the cluster, which keeps running, and how to end it.

    Parameters
    ----------
    program
        How this program was called: a virtual environment's command is seldom on PATH.
    """
    called = Path(program)
    command = str(called) if called.is_absolute() or len(called.parts) > 1 else called.name
    state = deployment.state
    which = f" --run-dir {run_dir}" if run_dir is not None else ""
    console.print(Text("\nThe cluster keeps running, with the topologies of the last run:"))
    lines = [(f"{command} status{which}", "what runs where, and why")]
    if not deployment.on_loopback:
        lines.append((f"{command} delay A B 80ms{which}", "change a delay yourself"))
    if state.ui is not None:
        lines.append((f"http://{state.ui}", "Storm UI"))
    if state.dashboard is not None:
        lines.append((f"http://{state.dashboard}", "the dashboard"))
    lines.append((f"{command} down{which or f' {deployment.cluster.name}'}", "end it"))
    width = max(len(shown) for shown, _ in lines)
    for shown, meaning in lines:
        console.print(Text(f"  {shown:{width}}  {meaning}"))


def ms(seconds: float | None) -> str:
    """Return a time in milliseconds, for people."""
    if seconds is None:
        return "–"
    milliseconds = seconds * 1000
    return f"{milliseconds:.0f} ms" if milliseconds >= 10 else f"{milliseconds:.1f} ms"


def _show_ratios(console: Console, ratios: Sequence[LatencyRatio]) -> None:
    """Show latencies relative to the best of the others', and how much of that may be chance."""
    if not ratios:
        return
    table = Table(title=_RATIOS, title_justify="left", box=SIMPLE)
    for heading in ("load", "scheduler"):
        table.add_column(heading, no_wrap=True)
    for percent in PERCENTS:
        table.add_column(f"p{percent}", justify="right", no_wrap=True)
    rows: dict[tuple[float, str], list[str]] = {}
    for it in ratios:
        cell = f"{it.value:.2f} [{it.least:.2f}–{it.greatest:.2f}] {it.than}"
        rows.setdefault((it.load, it.scheduler), []).append(cell)
    for (load, scheduler), cells in rows.items():
        table.add_row(f"{load:g}", scheduler, *cells)
    _print_whole(console, table)
    console.print(Text(_RATIOS_NOTE, style="dim"))


def _show_recoveries(console: Console, recoveries: Recoveries) -> None:
    """Show what each change cost, medians and ranges by load and scheduler; nothing if none is."""
    for remark in recoveries.remarks:
        console.print(Text(f"  {remark}"))
    if not recoveries.found:
        return
    table = Table(title="After each change", title_justify="left", box=SIMPLE)
    for heading in ("load", "change", "at s", "scheduler"):
        table.add_column(heading, no_wrap=True)
    for heading in ("good again after s", "late", "silent s", "moves", "late beyond"):
        table.add_column(heading, justify="right", no_wrap=True)
    groups: dict[tuple[float, int, str], list[Recovery]] = {}
    for it in recoveries.found:
        groups.setdefault((it.load, it.change.at, it.scheduler), []).append(it)
    for (load, at, scheduler), own in groups.items():
        table.add_row(
            f"{load:g}",
            own[0].change.what,
            str(at),
            scheduler,
            _good_again(own),
            *(
                _cell("", value_range([float(value(it)) for it in own]))
                for value in (_LATE, _SILENT, _MOVES)
            ),
            ms(own[0].late_beyond),
        )
    _print_whole(console, table)
    console.print(Text(_CHANGES_NOTE, style="dim"))


def _show_move_costs(console: Console, costs: Sequence[MoveCost]) -> None:
    """Show what moves cost, by load and scheduler; nothing if none was made."""
    if not costs:
        return
    table = Table(title="What a move costs", title_justify="left", box=SIMPLE)
    for heading in ("load", "scheduler"):
        table.add_column(heading, no_wrap=True)
    for heading in ("moves", *_MOVE_COLUMNS):
        table.add_column(heading, justify="right", no_wrap=True)
    groups: dict[tuple[float, str], list[MoveCost]] = {}
    for it in costs:
        groups.setdefault((it.load, it.scheduler), []).append(it)
    for (load, scheduler), own in groups.items():
        cells = [
            _cell(_P99 if heading == _LARGEST else "", value_range([value(it) for it in own]))
            for heading, value in _MOVE_COLUMNS.items()
        ]
        table.add_row(f"{load:g}", scheduler, str(len(own)), *cells)
    _print_whole(console, table)
    console.print(Text(_MOVES_NOTE, style="dim"))


def _good_again(own: Sequence[Recovery]) -> str:
    if not own[0].judged:
        return f"not judged in {own[0].change.end - own[0].change.at} s"
    times = [it.good_after for it in own]
    reached = _cell("", value_range(times))
    never = times.count(None)
    if not never:
        return reached
    return "never" if never == len(own) else f"{reached}, never in {never} of {len(own)}"


def _print_whole(console: Console, table: Table) -> None:
    """Print a table as wide as it is: lines that wrap are better than figures that are cut off."""
    widest = console.options.update(max_width=_WIDEST)
    table.width = Measurement.get(console, widest, table).maximum
    console.print(table, soft_wrap=True)


def _cell(key: str, values: FigureRange) -> str:
    if values.median is None or values.least is None or values.most is None:
        return "–"
    write = ms if key in _LATENCIES else _part if key in _PARTS else _number
    if values.least == values.most:
        return write(values.median)
    return f"{write(values.median)} [{write(values.least)}–{write(values.most)}]"


def _part(value: float) -> str:
    return f"{value:.1%}"


def _number(value: float) -> str:
    whole = value == round(value) or value >= _MANY
    return f"{value:.0f}" if whole else f"{value:.3g}"
