"""What the tables of a trial file must be together: names, schedulers, settings, events, cores."""

from __future__ import annotations

import json
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from eyewall_contracts.objective_terms import ALLOWED_OBJECTIVES, is_objective
from eyewall_contracts.setting_keys import EARLY_OBJECTIVE, OBJECTIVE, PIN, TOPOLOGY_KEYS

from eyewall_deploy.failure import name_choices
from eyewall_deploy.pins import find_pin_problem, pins_of
from eyewall_deploy.state import SchedulerChoice
from eyewall_deploy.trial.load_shapes import find_load_problems, load_argument, operator_work
from eyewall_deploy.trial.trial_event import event_problems

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from eyewall_deploy.cluster_file import Cluster
    from eyewall_deploy.trial.trial_file import Trial, TrialScheduler, TrialTopology

_MEGABYTE: Final = 1 << 20
_EYEWALL: Final = "eyewall."
_PREFIXES: Final = ("eyewall", "topology", "storm", "worker")
"""With which the names of settings begin."""


def find_problems(trial: Trial) -> Iterator[str]:
    """Yield what is wrong with a trial of which each table is right."""
    names = {
        "schedulers": [it.label for it in trial.schedulers],
        "topologies": [it.name for it in trial.topologies],
    }
    for what, given in names.items():
        for name, count in Counter(given).items():
            if count > 1:
                yield f"{what}: name = {name!r} is given {count} times; each name once"
    for scheduler in trial.schedulers:
        yield from _scheduler_problems(scheduler, trial.cluster)
    for topology in trial.topologies:
        yield from _topology_problems(topology, trial)
    for index, event in enumerate(trial.events):
        for problem in event_problems(event, trial):
            yield f"events[{index}]{problem}"
    if trial.rate.is_unlimited and trial.loads != (1.0,):
        yield f"loads = {list(trial.loads)}: a rate as high as possible has no multiples; omit it"
    for load, count in Counter(f"{it:g}" for it in trial.loads).items():
        if count > 1:
            yield f"loads = {list(trial.loads)}: {load} is given {count} times; each load once"
    if (obstacle := _find_one_start_problem(trial)) is not None:
        yield f"one_start = true: {obstacle}"


def find_overcommit(trial: Trial, cores: int) -> str | None:
    """Return that the hosts use more than this machine's cores; None if the trial may.

    Parameters
    ----------
    cores
        Of this machine.
    """
    together = sum(trial.host_cores().values())
    if together <= cores or trial.overcommit:
        return None
    return (
        f"cores: the hosts of {trial.cluster.name} use {together:.3g} cores together, and this "
        f"machine has {cores}; allowed is cores = {cores} or less, which they share, "
        "or overcommit = true"
    )


def _find_one_start_problem(trial: Trial) -> str | None:
    """Return why the loads of a trial cannot follow one another; None if they can or need not."""
    if not trial.one_start:
        return None
    if trial.rate.is_unlimited or not trial.rate.is_constant:
        return "loads follow one another only at a constant rate; allowed is rate.constant"
    if trial.events:
        return f"each load would have events ({trial.events[0].label}); allowed is none"
    fixed = [it.name for it in trial.topologies if it.streamparse is not None]
    if fixed:
        return f"topologies ({fixed[0]}): the rate of a streamparse topology cannot change"
    if any(after <= before for before, after in pairwise(trial.loads)):
        return (
            f"loads = {list(trial.loads)}: what one leaves waiting would count for the next; "
            "allowed are loads that rise"
        )
    return None


def _scheduler_problems(scheduler: TrialScheduler, cluster: Cluster) -> Iterator[str]:
    known = [str(choice) for choice in SchedulerChoice]
    if scheduler.scheduler not in known:
        choices = name_choices("schedulers", known, scheduler.scheduler)
        yield f"scheduler = {scheduler.scheduler!r}: no such scheduler; {choices}"
    elif scheduler.scheduler != SchedulerChoice.EYEWALL and scheduler.settings:
        first = next(iter(scheduler.settings))
        yield f"schedulers ({scheduler.label}).{first}: only the scheduler eyewall has settings"
    elif scheduler.scheduler != SchedulerChoice.EYEWALL and scheduler.plan_every is not None:
        yield f"schedulers ({scheduler.label}).plan_every: only the scheduler eyewall has plans"
    yield from _setting_problems(f"schedulers ({scheduler.label})", scheduler.settings, cluster)


def _topology_problems(topology: TrialTopology, trial: Trial) -> Iterator[str]:
    where = f"topologies ({topology.name})"
    kinds = [topology.shape, topology.jar, topology.streamparse]
    if sum(kind is not None for kind in kinds) != 1:
        yield f"{where}: give either shape, of the load topologies, jar with class, or streamparse"
    elif (topology.jar is None) != (topology.main_class is None):
        yield f"{where}: jar and class belong together"
    elif topology.streamparse is None and topology.project is not None:
        yield f"{where}.project = {topology.project!r}: only a streamparse topology has a project"
    elif topology.streamparse is not None and not trial.rate.is_constant:
        yield f"{where}: the rate of a streamparse topology cannot change; allowed is constant"
    elif topology.shape is not None:
        for problem in find_load_problems(topology.shape, topology.arguments):
            yield f"{where}.{problem}"
    elif isinstance(topology.arguments, dict):
        for name, value in topology.arguments.items():
            if not isinstance(value, str | int | float):
                yield (
                    f"{where}.arguments.{name} = {value}: it must be text, a number, true or false"
                )
    yield from _setting_problems(where, topology.options, trial.cluster)


def find_impossible_rate(trial: Trial) -> str | None:
    """Return that no placement carries the constant rate of load topologies; None if one may.

    Each operator's executors have a thread each, and all together no more than the hosts' cores. A
    rate that changes may exceed what is carried for a while, and hosts that are overcommitted have
    no limit.
    """
    if trial.overcommit or not trial.rate.is_constant:
        return None
    hosts = trial.host_cores().values()
    rate = trial.rate.rate_at(0) * max(trial.loads)
    together = 0.0
    for it in trial.topologies:
        if it.shape is None:
            continue
        for operator in operator_work(it.shape, it.arguments):
            together += operator.seconds
            cores = min(sum(hosts), operator.executors * min(1.0, max(hosts)))
            if rate * operator.seconds > cores:
                return (
                    f"rate: {rate:g} tuples/s of {it.name}, {1000 * operator.seconds:g} ms of CPU "
                    f"each in {operator.name}, need {rate * operator.seconds:.3g} cores; its "
                    f"{operator.executors} executors can have {cores:.3g} on "
                    f"{trial.cluster.name}; {_up_to(cores / operator.seconds)}"
                )
    if rate * together > sum(hosts):
        return (
            f"rate: {rate:g} tuples/s, {1000 * together:g} ms of CPU each in all operators, need "
            f"{rate * together:.3g} cores; the hosts of {trial.cluster.name} have "
            f"{sum(hosts):.3g}; {_up_to(sum(hosts) / together)}"
        )
    return None


def find_no_room(trial: Trial) -> str | None:
    """Return that no placement has what load topologies declare; None if one may.

    By their operators, a source and a sink, which all declare the same: less than RAS counts.
    Storm's default counts nothing of it.
    """
    if all(it.scheduler == SchedulerChoice.DEFAULT for it in trial.schedulers):
        return None
    hosts = trial.cluster.hosts
    cpu = [100 * it.cpu for it in hosts]
    memory = [it.memory / _MEGABYTE for it in hosts]
    for it in trial.topologies:
        if it.shape is None:
            continue
        executors = 2 + sum(each.executors for each in operator_work(it.shape, it.arguments))
        for name, unit, room in (("declared", " % of a core", cpu), ("memory-mb", " MB", memory)):
            value = load_argument(name, it.arguments)
            most = sum(room) / executors
            if value * executors > sum(room) or value > max(room):
                return (
                    f"topologies ({it.name}).arguments.{name} = {value:g}: {executors} executors "
                    f"ask for {value * executors:g}{unit}; the hosts of {trial.cluster.name} have "
                    f"{sum(room):g} together and {max(room):g} at most; allowed is up to "
                    f"{min(most, max(room)):.4g}"
                )
    return None


def _up_to(rate: float) -> str:
    return f"allowed is up to {rate:.4g} tuples/s, or max = true"


def _setting_problems(where: str, settings: Mapping[str, Any], cluster: Cluster) -> Iterator[str]:
    for key, value in settings.items():
        setting = TOPOLOGY_KEYS.get(key)
        if isinstance(value, dict) and key in _PREFIXES:
            yield (
                f"{where}: {key} = {value}: TOML reads dots as tables; the name of a setting "
                f'is one key: write "{_dotted(key, value)}" in quotes'
            )
        elif not key or "=" in key:
            yield f"{where}: {key!r} = {value!r}: the name of a setting is text without '='"
        elif not _is_json(value):
            yield (
                f"{where}: {key} = {value}: a setting may be text, a finite number, true or false, "
                "a list or a table"
            )
        elif setting is None and key.startswith(_EYEWALL):
            yield f"{where}: {key} = {value!r}: {name_choices('keys', list(TOPOLOGY_KEYS), key)}"
        elif setting is not None and not setting.type.allows(value):
            yield f"{where}: {key} = {json.dumps(value)}: it must be {setting.type.allowed}"
        elif setting in (OBJECTIVE, EARLY_OBJECTIVE) and not is_objective(value):
            yield f"{where}: {key} = {value!r}: allowed are {ALLOWED_OBJECTIVES}"
        elif setting is PIN and (unknown := find_pin_problem(cluster, pins_of(value))) is not None:
            yield f"{where}: {key}: {unknown}"


def _dotted(key: str, value: Any) -> str:
    """Return the name that was probably meant by tables in one another."""
    while isinstance(value, dict) and value and key not in TOPOLOGY_KEYS:
        inner, value = next(iter(value.items()))
        key = f"{key}.{inner}"
    return key


def _is_json(value: Any) -> bool:
    """Whether Storm can be given a value: TOML has dates and infinity, JSON has not."""
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError):
        return False
    return True
