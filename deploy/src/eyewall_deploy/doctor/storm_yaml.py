"""Checks on Nimbus's storm.yaml."""

from __future__ import annotations

import json
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

import yaml
from eyewall_contracts.objective_terms import ALLOWED_OBJECTIVES, is_objective
from eyewall_contracts.setting_keys import (
    ADDRESSES,
    EARLY_OBJECTIVE,
    OBJECTIVE,
    SHIM_KEYS,
    TOPOLOGY_KEYS,
    PerComponent,
    SettingKey,
)

from eyewall_deploy.doctor.check_result import CheckResult, advice, fault, fine, stops_nimbus
from eyewall_deploy.doctor.home import CLASS
from eyewall_deploy.endpoint import Endpoint, parse_endpoint
from eyewall_deploy.storm.settings import TIMING, recommended_settings

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_PREFIX = "eyewall."
_OBJECTIVES = (OBJECTIVE, EARLY_OBJECTIVE)
_STICKS = "Nimbus writes it into each topology that is submitted"
_PINS = "unset it; eyewall.pin keeps a topology's components on hosts"
_UNUSED = {
    "isolation.scheduler.machines": ("only Storm's IsolationScheduler reads it", _PINS),
    "multitenant.scheduler.user.pools": ("only Storm's MultitenantScheduler reads it", _PINS),
    "resource.aware.scheduler.user.pools": (
        "only RAS reads it, for what it places itself: Eyewall places without",
        "limit users where topologies are submitted",
    ),
}
"""Keys of Storm's schedulers that Eyewall places without: what is found, and what to do."""
_BLACKLIST = "blacklist.scheduler.strategy"
_BLACKLIST_FOR_RAS = "org.apache.storm.scheduler.blacklist.strategies.RasBlacklistStrategy"
DEFAULT_SIDECAR = Endpoint("127.0.0.1", 7077)


def read_settings(path: Path) -> dict[str, Any] | CheckResult:
    """Read a storm.yaml."""
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        return stops_nimbus("storm.yaml", f"{path}: {error.strerror}", "name it with --storm-yaml")
    except UnicodeDecodeError as error:
        return stops_nimbus("storm.yaml", f"{path} is not UTF-8: {error}", "write it in UTF-8")
    except yaml.YAMLError as error:
        reason = " ".join(str(error).split())
        return stops_nimbus("storm.yaml", f"{path} is not YAML: {reason}", "correct that line")
    if not isinstance(content, dict):
        return stops_nimbus("storm.yaml", f"{path}: no keys in it", "copy the shipped storm.yaml")
    return {str(key): value for key, value in content.items()}


def check_settings(settings: dict[str, Any]) -> Iterator[CheckResult]:
    """Look at the scheduler, its keys and the timing that makes moves cheap."""
    yield _check_scheduler(settings.get("storm.scheduler"))
    ours = [key for key in settings if key.startswith(_PREFIX)]
    findings = [finding for key in ours if (finding := _check_key(key, settings[key]))]
    yield from findings
    if ours and not findings:
        yield fine("eyewall.* keys", ", ".join(sorted(ours)))
    yield from _check_timing(settings)
    if settings.get("storm.scheduler") == CLASS:
        yield from _check_other_schedulers(settings)


def sidecar_addresses(settings: dict[str, Any]) -> list[Endpoint]:
    """Addresses that Nimbus would ask, the default where none is given."""
    if not ADDRESSES.type.allows(settings.get(ADDRESSES.name)):
        return [DEFAULT_SIDECAR]
    parsed = [parse_endpoint(text, 0) for text in settings[ADDRESSES.name]]
    return [endpoint for endpoint in parsed if isinstance(endpoint, Endpoint)]


def _check_scheduler(given: Any) -> CheckResult:
    check = "storm.scheduler"
    if given == CLASS:
        return fine(check, CLASS)
    if given is None:
        return advice(check, "not set: Storm's own scheduler places", f"set it to {CLASS}")
    if isinstance(given, str) and "eyewall" in given.lower():
        return stops_nimbus(check, f"{given}: unknown class", f"it is {CLASS}")
    return advice(check, f"{given}: Eyewall is not switched on", f"set it to {CLASS}")


def _check_key(name: str, value: Any) -> CheckResult | None:
    if name in TOPOLOGY_KEYS:
        return _check_default(TOPOLOGY_KEYS[name], value)
    key = SHIM_KEYS.get(name)
    if key is None:
        known = (*SHIM_KEYS, *TOPOLOGY_KEYS)
        near = get_close_matches(name, known, n=1)
        meant = f"did you mean {near[0]}?" if near else f"known keys are {', '.join(known)}"
        found = f"{value!r}: no such key, nothing reads it; {_STICKS}, and Eyewall neither places"
        return fault(
            name, f"{found} nor moves these once it is gone here", f"{meant} {_unset(name)}"
        )
    if key.type.allows(value):
        return None
    allowed = f"allowed: {key.type.allowed}"
    return fault(name, f"{value!r} is not allowed, the default holds", allowed)


def _check_default(key: SettingKey, value: Any) -> CheckResult | None:
    """Look at what all topologies have that do not set it themselves; null is not set."""
    allowed = ALLOWED_OBJECTIVES if key in _OBJECTIVES else key.type.allowed
    if value is None or _is_default(key, value):
        return None
    found = f"{value!r} is not allowed: Eyewall neither places nor moves topologies that have it"
    return fault(key.name, f"{found}; {_STICKS}", f"allowed: {allowed}. {_unset(key.name)}")


def _is_default(key: SettingKey, value: Any) -> bool:
    if isinstance(key.type, PerComponent) and isinstance(value, str):
        try:
            value = json.loads(value)  # the sidecar reads that, too
        except (ValueError, RecursionError):
            return False
    return key.type.allows(value) and (key not in _OBJECTIVES or is_objective(value))


def _unset(name: str) -> str:
    """Say how a topology gets rid of what it took over."""
    unset = json.dumps({name: None})
    return f"(topologies that already have it: storm rebalance NAME -t '{unset}')"


def _check_other_schedulers(settings: dict[str, Any]) -> Iterator[CheckResult]:
    """Look at what Storm's own schedulers would do by these settings, and Eyewall does not."""
    for key, (found, wanted) in _UNUSED.items():
        if key in settings:
            yield advice(key, found, wanted)
    # Storm's default counts workers that a topology asked for and does not have as a shortage, and
    # takes hosts off the blacklist for it; RAS and Eyewall run topologies on fewer.
    if settings.get(_BLACKLIST) != _BLACKLIST_FOR_RAS:
        yield advice(
            _BLACKLIST,
            "Storm's default releases blacklisted hosts for topologies on fewer workers than asked",
            f"set it to {_BLACKLIST_FOR_RAS}",
        )


def _check_timing(settings: dict[str, Any]) -> Iterator[CheckResult]:
    wanted = recommended_settings()
    missing = {key: wanted[key] for key in TIMING if settings.get(key) != wanted[key]}
    if not missing:
        yield fine("timing of moves", "as recommended")
        return
    if settings.keys().isdisjoint(TIMING):  # Nimbus's file, most likely
        yield fine("timing of moves", "not in this file: supervisor hosts have these settings")
        return
    lines = ", ".join(f"{key}: {value}" for key, value in missing.items())
    yield advice(
        "timing of moves",
        "not as recommended: a move costs about 7 s without output in place of 4",
        f"on every supervisor host set {lines}",
    )
