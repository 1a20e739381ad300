"""Every `eyewall.*` setting: its key, what it may be, its default and who reads it.

The shim reads its own keys in Nimbus's storm.yaml. A topology's are in its Storm configuration, or
in storm.yaml as a default for all topologies; the sidecar reads them. The shim's list of keys is
generated from here (`make settings`), and docs/user/settings.md is checked against it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable

_ADDRESS: Final = re.compile(r"\S+:([0-9]{1,5})", re.ASCII)
_LARGEST_PORT: Final = 65_535
_WRITTEN_OUT: Final = 1e9
"""Larger numbers are written with an exponent."""


class ValueType(Protocol):
    """What a value may be."""

    @property
    def allowed(self) -> str:
        """Say it to a person, so that `it must be …` is a sentence."""
        ...

    def allows(self, value: object) -> bool:
        """Whether a value, as JSON or YAML gives it, is allowed."""
        ...


@dataclass(frozen=True, slots=True)
class OneOf:
    """One of these texts."""

    values: tuple[str, ...]

    @property
    def allowed(self) -> str:
        """Name them."""
        return " or ".join(self.values)

    def allows(self, value: object) -> bool:
        """Whether it is one of them."""
        return isinstance(value, str) and value in self.values


@dataclass(frozen=True, slots=True)
class Text:
    """Any text; the reader knows more about it."""

    example: str

    @property
    def allowed(self) -> str:
        """Give an example."""
        return f"text such as {self.example}"

    def allows(self, value: object) -> bool:
        """Whether it is text."""
        return isinstance(value, str)


@dataclass(frozen=True, slots=True)
class Flag:
    """True or false."""

    allowed: str = "true or false"

    def allows(self, value: object) -> bool:
        """Whether it is a boolean."""
        return isinstance(value, bool)


@dataclass(frozen=True, slots=True)
class Number:
    """A number within a range, both ends included."""

    least: float
    most: float
    unit: str = ""
    whole: bool = False

    @property
    def allowed(self) -> str:
        """Name the range and the unit."""
        kind = "a whole number" if self.whole else "a number"
        unit = f" ({self.unit})" if self.unit else ""
        return f"{kind} from {number_text(self.least)} to {number_text(self.most)}{unit}"

    def allows(self, value: object) -> bool:
        """Whether it is such a number."""
        kind = int if self.whole else int | float
        if not isinstance(value, kind) or isinstance(value, bool):
            return False
        return self.least <= value <= self.most


@dataclass(frozen=True, slots=True)
class Addresses:
    """One address or more, each with its port."""

    allowed: str = 'a list such as ["127.0.0.1:7077"]'

    def allows(self, value: object) -> bool:
        """Whether each is HOST:PORT."""
        return isinstance(value, list) and bool(value) and all(map(_is_address, value))


@dataclass(frozen=True, slots=True)
class Places:
    """Hosts, labels and sites: a list of them, or one alone."""

    allowed: str = "a list of hosts, label:NAME or site:NAME"

    def allows(self, value: object) -> bool:
        """Whether each is text."""
        return _are_texts(value)


@dataclass(frozen=True, slots=True)
class Components:
    """Components of a topology: a list of them, or one alone."""

    allowed: str = "a list of components"

    def allows(self, value: object) -> bool:
        """Whether each is text; only a topology has components."""
        return _are_texts(value)


@dataclass(frozen=True, slots=True)
class PerComponent:
    """A map from components to values.

    Parameters
    ----------
    of
        What each value may be.
    streams
        Whether `component:stream` is a key, too.
    """

    of: ValueType
    streams: bool = False

    @property
    def allowed(self) -> str:
        """Name keys and values."""
        keys = "components or component:stream" if self.streams else "components"
        return f"a map from {keys} to values, each {self.of.allowed}"

    def allows(self, value: object) -> bool:
        """Whether all keys are text and all values are allowed; only a topology has components."""
        return isinstance(value, dict) and all(
            isinstance(name, str) and self.of.allows(it) for name, it in value.items()
        )


@dataclass(frozen=True, slots=True)
class SettingKey:
    """One setting.

    Parameters
    ----------
    name
        The key.
    type
        What its value may be.
    default
        What holds without it; None if that is no single value. For a topology the sidecar's
        configuration may have another one.
    meaning
        One sentence.
    """

    name: str
    type: ValueType
    default: object
    meaning: str


def number_text(number: float) -> str:
    """Write a bound as people do: 86,400,000, but 1e15."""
    written_out = abs(number) < _WRITTEN_OUT
    return f"{number:,.0f}" if written_out else f"{number:g}".replace("e+", "e")


def _are_texts(value: object) -> bool:
    texts = value if isinstance(value, list) else [value]
    return bool(texts) and all(isinstance(it, str) and it for it in texts)


def _is_address(value: object) -> bool:
    found = _ADDRESS.fullmatch(value) if isinstance(value, str) else None
    return found is not None and 0 < int(found[1]) <= _LARGEST_PORT


MOST_MILLISECONDS: Final = 60_000
"""Of the shim's times."""
_MILLISECONDS: Final = Number(1, MOST_MILLISECONDS, "milliseconds", whole=True)
MOST_EXECUTORS_PER_SLOT: Final = 10_000
_DAY: Final = 86_400_000
_MOST_RATE: Final = 1e15

ADDRESSES: Final = SettingKey(
    "eyewall.sidecar.addresses",
    Addresses(),
    ("127.0.0.1:7077",),
    "Sidecars, asked in this order.",
)
INNER: Final = SettingKey(
    "eyewall.scheduler.inner",
    OneOf(("resource-aware", "default")),
    "resource-aware",
    "The scheduler that places what Eyewall does not.",
)
FIRST_DEADLINE: Final = SettingKey(
    "eyewall.deadline.first.ms",
    _MILLISECONDS,
    2000,
    "How long a round waits for the sidecar when a topology has executors without a slot.",
)
ROUND_DEADLINE: Final = SettingKey(
    "eyewall.deadline.round.ms",
    _MILLISECONDS,
    1000,
    "How long any other round waits for the sidecar.",
)
PUSH: Final = SettingKey(
    "eyewall.push.assignments",
    Flag(),
    default=True,
    meaning="Whether a new assignment is sent to every supervisor at once.",
)
PUSH_TIMEOUT: Final = SettingKey(
    "eyewall.push.timeout.ms",
    _MILLISECONDS,
    2000,
    "How long sending an assignment to one supervisor may take.",
)
MODE: Final = SettingKey(
    "eyewall.mode",
    OneOf(("auto", "observe", "off")),
    "auto",
    "Whether Eyewall places and moves the topology, only reports, or leaves it alone.",
)
MOVES: Final = SettingKey(
    "eyewall.moves",
    OneOf(("overlap", "restart")),
    "restart",
    "Whether old workers serve on until new ones carry tuples, where hosts have the agent for it.",
)
EXCLUSIVE: Final = SettingKey(
    "eyewall.exclusive",
    Components(),
    None,
    "Components that must not run twice: moves of workers with them restart.",
)
POLICY: Final = SettingKey(
    "eyewall.policy",
    Text("odp"),
    "odp",
    "The policy that places its executors, by a name that `eyewall policies` lists.",
)
OBJECTIVE: Final = SettingKey(
    "eyewall.objective",
    Text("R=0.5,A=0.5"),
    "L=1",
    "What the policy optimises: L, THETA, weights of other terms that sum to 1, or ecker.",
)
EARLY_OBJECTIVE: Final = SettingKey(
    "eyewall.early.objective",
    Text("A=1"),
    None,
    "What the policy optimises when it places executors while the topology's rates are unknown.",
)
TIME_LIMIT: Final = SettingKey(
    "eyewall.time.limit.ms",
    Number(1, _DAY, "milliseconds"),
    None,
    "How long the policy may search; the sidecar's own limits hold, too.",
)
PIN: Final = SettingKey(
    "eyewall.pin",
    PerComponent(Places()),
    None,
    "Where the executors of a component may run.",
)
RATE_HINT: Final = SettingKey(
    "eyewall.rate.hint",
    PerComponent(Number(0, _MOST_RATE, "tuples/s"), streams=True),
    None,
    "What all executors of a component emit together, until it is measured.",
)
EXECUTION_TIME: Final = SettingKey(
    "eyewall.execution.time.hint.ms",
    PerComponent(Number(0, _DAY, "milliseconds")),
    None,
    "How long a component takes for a tuple on a host of speed 1, in place of measured CPU time.",
)
TUPLE_BYTES: Final = SettingKey(
    "eyewall.tuple.bytes.hint",
    PerComponent(Number(0, _MOST_RATE, "bytes"), streams=True),
    None,
    "Mean size of the tuples that a component emits, which Storm does not report.",
)
HEADROOM: Final = SettingKey(
    "eyewall.headroom",
    Number(1, 100, "multiple of the present rate"),
    1.3,
    "The multiple of its present rate that a placement should carry.",
)
EXECUTORS_PER_SLOT: Final = SettingKey(
    "eyewall.executors.per.slot",
    Number(1, MOST_EXECUTORS_PER_SLOT, whole=True),
    16,
    "How many executors one worker may hold (EPS_max).",
)
PROMISED_RATE: Final = SettingKey(
    "eyewall.rate.promised.mbit",
    PerComponent(Number(0, 1_000_000, "Mbit/s")),
    None,
    "What each stream of a component carries between hosts, for links of two kinds.",
)
BUDGET: Final = SettingKey(
    "eyewall.budget.per.mb",
    Number(0, 1_000_000, "price of a megabyte"),
    None,
    "The most to pay for carrying a megabyte over dedicated links.",
)


def _by_name(keys: Iterable[SettingKey]) -> dict[str, SettingKey]:
    return {it.name: it for it in keys}


TOPOLOGY_KEYS: Final = _by_name(
    (
        MODE,
        MOVES,
        EXCLUSIVE,
        POLICY,
        OBJECTIVE,
        EARLY_OBJECTIVE,
        TIME_LIMIT,
        PIN,
        RATE_HINT,
        EXECUTION_TIME,
        TUPLE_BYTES,
        HEADROOM,
        EXECUTORS_PER_SLOT,
        PROMISED_RATE,
        BUDGET,
    )
)
"""A topology's, by name, in the order in which they are documented."""
SHIM_KEYS: Final = _by_name((ADDRESSES, INNER, FIRST_DEADLINE, ROUND_DEADLINE, PUSH, PUSH_TIMEOUT))
"""The shim's."""
