"""The `eyewall.*` settings of one topology: cluster-wide defaults, overridden by its own."""

import json
import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from enum import StrEnum
from typing import Any, Protocol

from eyewall_contracts.setting_keys import (
    EARLY_OBJECTIVE,
    EXCLUSIVE,
    EXECUTION_TIME,
    EXECUTORS_PER_SLOT,
    HEADROOM,
    MODE,
    MOVES,
    OBJECTIVE,
    PIN,
    POLICY,
    RATE_HINT,
    TIME_LIMIT,
    TOPOLOGY_KEYS,
    TUPLE_BYTES,
    Components,
    PerComponent,
    SettingKey,
)

from eyewall_sidecar.messages import Code, message
from eyewall_sidecar.objective import Objective, ObjectiveError
from eyewall_sidecar.storm.cluster import Topology

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


IDLE_HOSTS = Objective.parse("R=1")
"""The objective of a policy that does not take the default one, unless another is chosen."""


class SettingsError(ValueError):
    """A setting that cannot be used; names key, value and what is allowed."""


@dataclass(frozen=True, slots=True)
class TopologySettings:
    """What a topology's owner asks for.

    Parameters
    ----------
    mode, policy, objective
        What may be done, by which policy, towards what.
    early_objective
        Towards what executors are placed while rates are unknown; None for the objective.
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
    tuple_bytes
        Component or `component:stream` → mean size of the tuples that it emits.
    headroom
        The multiple of its present rate that a placement should carry.
    overlap
        Whether old workers serve on until new ones carry tuples.
    exclusive
        Components that must not run twice.
    """

    mode: Mode = Mode.AUTO
    policy: str = "odp"
    objective: Objective = field(default_factory=lambda: Objective.parse("L=1"))
    time_limit: float = math.inf
    executors_per_slot: int = 16
    pins: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    rate_hints: Mapping[str, float] = field(default_factory=dict)
    execution_times: Mapping[str, float] = field(default_factory=dict)
    tuple_bytes: Mapping[str, float] = field(default_factory=dict)
    headroom: float = 1.3
    overlap: bool = False
    exclusive: tuple[str, ...] = ()
    early_objective: Objective | None = None


def read_settings(
    topology: Topology, defaults: TopologySettings, policies: Choices
) -> TopologySettings:
    """Override the defaults with the topology's own settings; SettingsError names what is bad."""
    given = _values(topology)
    changes: dict[str, Any] = {}
    if MODE in given:
        changes["mode"] = read_mode(MODE.name, given[MODE])
    if POLICY in given:
        changes["policy"] = read_policy(POLICY.name, given[POLICY], policies)
    if OBJECTIVE in given:
        changes["objective"] = read_objective(OBJECTIVE.name, given[OBJECTIVE])
    if EARLY_OBJECTIVE in given:
        early = read_objective(EARLY_OBJECTIVE.name, given[EARLY_OBJECTIVE])
        changes["early_objective"] = early
    if TIME_LIMIT in given:
        changes["time_limit"] = given[TIME_LIMIT] / 1000
    if EXECUTORS_PER_SLOT in given:
        changes["executors_per_slot"] = given[EXECUTORS_PER_SLOT]
    if PIN in given:
        changes["pins"] = {
            component: (places,) if isinstance(places, str) else tuple(places)
            for component, places in given[PIN].items()
        }
    if RATE_HINT in given:
        _require_streams_within_total(given[RATE_HINT])
        changes["rate_hints"] = {name: float(rate) for name, rate in given[RATE_HINT].items()}
    if EXECUTION_TIME in given:
        times = given[EXECUTION_TIME]
        changes["execution_times"] = {component: ms / 1000 for component, ms in times.items()}
    if TUPLE_BYTES in given:
        changes["tuple_bytes"] = {name: float(size) for name, size in given[TUPLE_BYTES].items()}
    if HEADROOM in given:
        changes["headroom"] = float(given[HEADROOM])
    if MOVES in given:
        changes["overlap"] = given[MOVES] == "overlap"
    if EXCLUSIVE in given:
        changes["exclusive"] = tuple(given[EXCLUSIVE])
    settings = replace(defaults, **changes)
    if OBJECTIVE not in given:
        settings = with_usual_objective(settings, policies)
    require_taken(POLICY.name, settings, policies)
    if settings.early_objective is not None:
        early_settings = replace(settings, objective=settings.early_objective)
        require_taken(POLICY.name, early_settings, policies, EARLY_OBJECTIVE.name)
    return settings


def with_usual_objective(settings: TopologySettings, policies: Choices) -> TopologySettings:
    """Return the settings with R=1 if the policy takes that, and not the objective that they have.

    For settings whose objective was not chosen.
    """
    policy = policies.get(settings.policy)
    if policy is None or policy.takes(settings.objective) or not policy.takes(IDLE_HOSTS):
        return settings
    return replace(settings, objective=IDLE_HOSTS)


def mode_of(topology: Topology, defaults: TopologySettings) -> Mode:
    """Return the mode alone, also where other settings are bad; the default if it is bad itself."""
    try:
        text = (topology.settings or {})[MODE.name]
        return read_mode(MODE.name, _json(MODE.name, text))
    except (KeyError, SettingsError):
        return defaults.mode


def read_mode(key: str, value: object) -> Mode:
    """Read a mode; the message calls it by `key`."""
    if isinstance(value, str) and value in list(Mode):
        return Mode(value)
    raise _bad(key, value, " or ".join(Mode))


def read_policy(key: str, value: object, policies: Collection[str]) -> str:
    """Read the name of a policy; the message calls it by `key`."""
    if isinstance(value, str) and value in policies:
        return value
    raise _bad(key, value, " or ".join(sorted(policies)))


def require_taken(
    key: str, settings: TopologySettings, policies: Choices, what: str = "the objective"
) -> None:
    """Refuse an objective that the policy was not made for; the message calls that one by `key`.

    And `what` is how it calls the objective.
    """
    policy = policies.get(settings.policy)
    if policy is not None and not policy.takes(settings.objective):
        raise SettingsError(
            message(
                Code.OTHER_OBJECTIVES,
                key=key,
                policy=settings.policy,
                objectives=policy.objectives,
                what=what,
                objective=settings.objective,
            )
        )


def read_objective(key: str, value: object) -> Objective:
    """Read an objective; the message calls it by `key`."""
    if not isinstance(value, str):
        raise _bad(key, value, "a text such as R=0.5,A=0.5")
    try:
        return Objective.parse(value)
    except ObjectiveError as error:
        raise SettingsError(message(Code.NOT_AN_OBJECTIVE, key=key, error=str(error))) from None


def _values(topology: Topology) -> dict[SettingKey, Any]:
    """Return what the topology sets, each value allowed by its key; null is not set."""
    values: dict[SettingKey, Any] = {}
    for name, text in (topology.settings or {}).items():
        value = _json(name, text)
        if value is None:
            continue
        key = TOPOLOGY_KEYS.get(name)
        if key is None:
            known = list(TOPOLOGY_KEYS)
            nearest = _nearest(name, known)
            raise SettingsError(message(Code.NO_SETTING, name=name, known=known, nearest=nearest))
        if isinstance(key.type, PerComponent):
            value = _per_component(key, key.type, value, topology)
        elif isinstance(key.type, Components):
            value = _components(key, key.type, value, topology)
        elif not key.type.allows(value):
            raise _bad(name, value, key.type.allowed)
        values[key] = value
    return values


def _components(key: SettingKey, kind: Components, value: object, topology: Topology) -> list[str]:
    """Return components of the topology."""
    if isinstance(value, str) and value.startswith("["):
        value = _json(key.name, value)  # streamparse's -o has no lists, only texts
    components = [value] if isinstance(value, str) else value
    if not isinstance(components, list) or not kind.allows(components):
        raise _bad(key.name, value, kind.allowed)
    for it in components:
        _require_component(key.name, it, topology)
    return components


def _per_component(
    key: SettingKey, kind: PerComponent, value: object, topology: Topology
) -> dict[str, Any]:
    """Return a map whose keys are the topology's and whose values are allowed."""
    if isinstance(value, str):
        value = _json(key.name, value)  # streamparse's -o has no maps, only texts
    if not isinstance(value, dict):
        raise _bad(key.name, value, kind.allowed)
    for name, it in value.items():
        component, colon, stream = name.partition(":") if kind.streams else (name, "", "")
        _require_component(key.name, component, topology)
        if colon:
            _require_stream(f"{key.name} of {name}", component, stream, topology)
        if not kind.of.allows(it):
            raise _bad(f"{key.name} of {name}", it, kind.of.allowed)
    return value


def _require_stream(owner: str, component: str, stream: str, topology: Topology) -> None:
    inputs = (it for com in topology.components for it in com.inputs)
    known = sorted({it.stream for it in inputs if it.source == component})
    if stream not in known:
        names = {"stream": stream, "component": component}
        raise SettingsError(message(Code.NO_STREAM, key=owner, **names, known=known))


def _require_streams_within_total(hints: Mapping[str, float]) -> None:
    for component, total in hints.items():
        of_streams = sum(rate for it, rate in hints.items() if it.startswith(f"{component}:"))
        if of_streams > total * (1 + 1e-9):
            raise SettingsError(
                message(
                    Code.HINTS_EXCEED_TOTAL,
                    key=RATE_HINT.name,
                    component=component,
                    sum=of_streams,
                    total=total,
                )
            )


def _require_component(key: str, component: str, topology: Topology) -> None:
    known = [it.id for it in topology.components]
    if component not in known:
        nearest = _nearest(component, known)
        raise SettingsError(
            message(Code.NO_COMPONENT, key=key, name=component, known=known, nearest=nearest)
        )


def _nearest(name: str, known: Collection[str]) -> str:
    return next(iter(get_close_matches(name, known, n=1)), "")


def _bad(key: str, value: object, allowed: str) -> SettingsError:
    return SettingsError(message(Code.BAD_SETTING, key=key, value=_shown(value), allowed=allowed))


def _json(key: str, text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        code = Code.NOT_JSON
    except RecursionError:
        code = Code.NESTED_TOO_DEEPLY
    raise SettingsError(message(code, key=key, value=_shortened(text)))


def _shown(value: object) -> str:
    try:
        return _shortened(json.dumps(value, ensure_ascii=False))
    except RecursionError:
        return "nested too deeply"


def _shortened(text: str) -> str:
    """Keep a long value from flooding the one line that names it."""
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}…"
