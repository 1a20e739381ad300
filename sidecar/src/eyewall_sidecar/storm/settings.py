"""The `eyewall.*` settings of one topology: cluster-wide defaults, overridden by its own."""

import json
import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from enum import StrEnum
from typing import Any, Protocol

from eyewall_sidecar.model.errors import listed
from eyewall_sidecar.model.limits import LONGEST, MOST
from eyewall_sidecar.objective import Objective, ObjectiveError
from eyewall_sidecar.storm.topology import Topology

MOST_EXECUTORS_PER_SLOT = 10_000
MOST_MBIT = 1_000_000
MOST_PRICE = 1_000_000
LONGEST_SHOWN = 80


class Mode(StrEnum):
    """What may be done to a topology."""

    AUTO = "auto"
    """Place it, and move it where that gains enough."""
    OBSERVE = "observe"
    """Solve and record; never touch it."""
    OFF = "off"
    """Leave it to the inner scheduler."""


class Choice(Protocol):
    """A policy that can be chosen."""

    @property
    def objectives(self) -> str:
        """What it optimises, in words."""
        ...

    def takes(self, objective: Objective) -> bool:
        """Whether it answers for this objective, and does not decline it."""
        ...


Choices = Mapping[str, Choice]
"""Name → policy."""


class SettingsError(ValueError):
    """A setting that cannot be used; names key, value and what is allowed."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What a topology's owner asks for.

    Parameters
    ----------
    mode, policy, objective
        What may be done, by which policy, towards what.
    time_limit
        Seconds that a policy may take at most; the sidecar's own limits hold, too.
    executors_per_slot
        EPS_max.
    pins
        Component → hosts, `label:NAME` or `site:NAME`; a component may run on any of them.
    rate_hints
        Component or `component:stream` → tuples/s that the component as a whole emits.
    execution_times
        Component → seconds for one tuple on a host of speed 1.
    """

    mode: Mode = Mode.AUTO
    policy: str = "odp"
    objective: Objective = field(default_factory=lambda: Objective.parse("R=1"))
    time_limit: float = math.inf
    executors_per_slot: int = 4
    pins: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    rate_hints: Mapping[str, float] = field(default_factory=dict)
    execution_times: Mapping[str, float] = field(default_factory=dict)


KEYS = (
    "eyewall.mode",
    "eyewall.policy",
    "eyewall.objective",
    "eyewall.time.limit.ms",
    "eyewall.pin",
    "eyewall.rate.hint",
    "eyewall.execution.time.hint.ms",
    "eyewall.executors.per.slot",
    "eyewall.rate.promised.mbit",
    "eyewall.budget.per.mb",
)


def read_settings(topology: Topology, defaults: Settings, policies: Choices) -> Settings:
    """Override the defaults with the topology's own settings; SettingsError names what is bad."""
    given = {key: _json(key, text) for key, text in (topology.settings or {}).items()}
    given = {key: value for key, value in given.items() if value is not None}
    for key in given:
        if key not in KEYS:
            raise SettingsError(f"no setting {key}; settings are {', '.join(KEYS)}{_guess(key)}")
    changes: dict[str, Any] = {}
    if "eyewall.mode" in given:
        changes["mode"] = read_mode("eyewall.mode", given["eyewall.mode"])
    if "eyewall.policy" in given:
        changes["policy"] = read_policy("eyewall.policy", given["eyewall.policy"], policies)
    if "eyewall.objective" in given:
        changes["objective"] = read_objective("eyewall.objective", given["eyewall.objective"])
    if "eyewall.time.limit.ms" in given:
        changes["time_limit"] = _time_limit(given["eyewall.time.limit.ms"])
    if "eyewall.executors.per.slot" in given:
        changes["executors_per_slot"] = _executors_per_slot(given["eyewall.executors.per.slot"])
    if "eyewall.pin" in given:
        changes["pins"] = _pins(given["eyewall.pin"], topology)
    if "eyewall.rate.hint" in given:
        changes["rate_hints"] = _rate_hints(given["eyewall.rate.hint"], topology)
    if "eyewall.execution.time.hint.ms" in given:
        changes["execution_times"] = _execution_times(
            given["eyewall.execution.time.hint.ms"], topology
        )
    _require_promise(given, topology)
    settings = replace(defaults, **changes)
    require_taken("eyewall.policy", settings, policies)
    return settings


def mode_of(topology: Topology, defaults: Settings) -> Mode:
    """Return the mode alone, also where other settings are bad; the default if it is bad itself."""
    try:
        text = (topology.settings or {})["eyewall.mode"]
        return read_mode("eyewall.mode", _json("eyewall.mode", text))
    except (KeyError, SettingsError):
        return defaults.mode


def read_mode(key: str, value: object) -> Mode:
    """Read a mode; the message calls it by `key`."""
    if isinstance(value, str) and value in list(Mode):
        return Mode(value)
    raise SettingsError(f"{key} is {_shown(value)}; it must be {' or '.join(Mode)}")


def read_policy(key: str, value: object, policies: Collection[str]) -> str:
    """Read the name of a policy; the message calls it by `key`."""
    if isinstance(value, str) and value in policies:
        return value
    raise SettingsError(f"{key} is {_shown(value)}; it must be {' or '.join(sorted(policies))}")


def require_taken(key: str, settings: Settings, policies: Choices) -> None:
    """Refuse an objective that the policy was not made for; the message calls that one by `key`."""
    policy = policies.get(settings.policy)
    if policy is not None and not policy.takes(settings.objective):
        raise SettingsError(
            f"{key} is {settings.policy}, which optimises {policy.objectives}; "
            f"the objective is {settings.objective}"
        )


def read_objective(key: str, value: object) -> Objective:
    """Read an objective; the message calls it by `key`."""
    if not isinstance(value, str):
        raise SettingsError(f"{key} is {_shown(value)}; it must be a text such as R=0.5,A=0.5")
    try:
        return Objective.parse(value)
    except ObjectiveError as error:
        raise SettingsError(f"{key}: {error}") from None


def _time_limit(value: object) -> float:
    number = value if isinstance(value, int | float) and not isinstance(value, bool) else 0
    if 1 <= number <= LONGEST * 1000:
        return float(number) / 1000
    raise SettingsError(
        f"eyewall.time.limit.ms is {_shown(value)}; it must be a number of milliseconds from 1 to "
        f"{LONGEST * 1000:,.0f}"
    )


def _executors_per_slot(value: object) -> int:
    if type(value) is int and 1 <= value <= MOST_EXECUTORS_PER_SLOT:
        return value
    raise SettingsError(
        f"eyewall.executors.per.slot is {_shown(value)}; it must be a whole number from 1 to "
        f"{MOST_EXECUTORS_PER_SLOT}"
    )


def _pins(value: object, topology: Topology) -> dict[str, tuple[str, ...]]:
    key = "eyewall.pin"
    pins: dict[str, tuple[str, ...]] = {}
    for component, places in _table(key, value).items():
        _require_component(key, component, topology)
        listed = [places] if isinstance(places, str) else places
        texts = isinstance(listed, list) and all(isinstance(it, str) and it for it in listed)
        if not texts or not listed:
            raise SettingsError(
                f"{key} of {component} is {_shown(places)}; it must be a list of hosts, "
                "label:NAME or site:NAME"
            )
        pins[component] = tuple(listed)
    return pins


def _rate_hints(value: object, topology: Topology) -> dict[str, float]:
    key = "eyewall.rate.hint"
    streams = {(it.source, it.stream) for com in topology.components for it in com.inputs}
    hints: dict[str, float] = {}
    for name, rate in _table(key, value).items():
        component, colon, stream = name.partition(":")
        _require_component(key, component, topology)
        if colon and (component, stream) not in streams:
            known = sorted(known for source, known in streams if source == component)
            raise SettingsError(
                f"{key} of {name}: nobody subscribes to a stream {stream} of {component}; "
                f"its streams are {listed(known) or 'none'}"
            )
        hints[name] = _amount(f"{key} of {name}", rate, MOST, "tuples/s")
    _require_streams_within_total(hints)
    return hints


def _require_streams_within_total(hints: Mapping[str, float]) -> None:
    for component, total in hints.items():
        of_streams = sum(rate for it, rate in hints.items() if it.startswith(f"{component}:"))
        if of_streams > total * (1 + 1e-9):
            raise SettingsError(
                f"eyewall.rate.hint: the streams of {component} sum to {of_streams:g} tuples/s; "
                f"they must not exceed the {total:g} given for {component} as a whole"
            )


def _execution_times(value: object, topology: Topology) -> dict[str, float]:
    key = "eyewall.execution.time.hint.ms"
    times: dict[str, float] = {}
    for component, milliseconds in _table(key, value).items():
        _require_component(key, component, topology)
        times[component] = _amount(
            f"{key} of {component}", milliseconds, LONGEST * 1000, "milliseconds"
        )
        times[component] /= 1000
    return times


def _require_promise(given: Mapping[str, object], topology: Topology) -> None:
    """Refuse what the re-allocation of links could not go by; no placement depends on it."""
    key, budget = "eyewall.rate.promised.mbit", "eyewall.budget.per.mb"
    if key in given:
        for component, mbit in _table(key, given[key]).items():
            _require_component(key, component, topology)
            _amount(f"{key} of {component}", mbit, MOST_MBIT, "Mbit/s")
    if budget in given:
        _amount(budget, given[budget], MOST_PRICE, "price of a megabyte")


def _table(key: str, value: object) -> dict[str, Any]:
    if isinstance(value, str):
        value = _json(key, value)  # streamparse's -o has no maps, only texts
    if isinstance(value, dict):
        return value
    raise SettingsError(f"{key} is {_shown(value)}; it must be a map from components to values")


def _amount(owner: str, value: object, most: float, unit: str) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= most:
        return float(value)
    raise SettingsError(
        f"{owner} is {_shown(value)}; it must be a number ≥ 0 and ≤ {most:g} ({unit})"
    )


def _require_component(key: str, component: str, topology: Topology) -> None:
    known = [it.id for it in topology.components]
    if component not in known:
        raise SettingsError(
            f"{key}: no component {component}; components are {listed(known)}"
            f"{_guess(component, known)}"
        )


def _guess(name: str, known: Collection[str] = KEYS) -> str:
    close = get_close_matches(name, known, n=1)
    return f" (did you mean {close[0]}?)" if close else ""


def _json(key: str, text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        raise SettingsError(f"{key} is {_shortened(text)}; it must be JSON") from None


def _shown(value: object) -> str:
    return _shortened(json.dumps(value, ensure_ascii=False))


def _shortened(text: str) -> str:
    """Keep a long value from flooding the one line that names it."""
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}…"
