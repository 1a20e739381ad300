"""The settings of the topologies, read from their Storm configuration."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

MEASURE_DIR = "measure.dir"
OPERATORS = ("tokenise", "tag", "filter", "count", "rank")
STEPS = ("step_1", "step_2", "step_3", "step_4")
MULTILANG_MS = 2.0
"""What passing one tuple through Storm's queues and a component's Python process costs in addition
to its own work: 1.8 ms were measured within one worker, 2.8 ms across workers of one host."""

_BYTES_PER_WORD = 6.5


class BadSettingError(ValueError):
    """A setting that is unknown or out of range: names it, its value and what is allowed."""


@dataclass(frozen=True, slots=True)
class TagAndCount:
    """Settings of Tag-and-Count, each under `tag_and_count.` in the topology's configuration.

    Parameters
    ----------
    rate
        Sentences per second that the source emits.
    payload_bytes
        Length of a sentence.
    selectivity
        Share of the sentences that `filter` passes on. Which ones depends on their ids alone,
        so that a replayed sentence meets the same fate.
    cpu_ms
        CPU time, in milliseconds, that each of the five operators spends on a sentence.
    """

    rate: float = 10.0
    payload_bytes: int = 100
    selectivity: float = 1.0
    cpu_ms: float = 2.0

    def rate_hint(self) -> dict[str, float]:
        """Tuples per second that each component emits, as `eyewall.rate.hint`."""
        before = dict.fromkeys(("source", "tokenise", "tag"), self.rate)
        after = dict.fromkeys(("filter", "count", "rank"), self.rate * self.selectivity)
        return before | after

    def execution_time_hint_ms(self) -> dict[str, float]:
        """Milliseconds per tuple of each component, as `eyewall.execution.time.hint.ms`."""
        operators = dict.fromkeys(OPERATORS, self.cpu_ms + MULTILANG_MS)
        return operators | {"consumer": MULTILANG_MS}


@dataclass(frozen=True, slots=True)
class WordCount:
    """Settings of the word count, each under `word_count.` in the topology's configuration.

    Parameters
    ----------
    rate
        Sentences per second that the source emits.
    payload_bytes
        Length of a sentence.
    """

    rate: float = 10.0
    payload_bytes: int = 100

    def rate_hint(self) -> dict[str, float]:
        """Tuples per second that each component emits."""
        words = max(1.0, self.payload_bytes / _BYTES_PER_WORD)
        return {"source": self.rate, "split": self.rate * words}

    def execution_time_hint_ms(self) -> dict[str, float]:
        """Milliseconds per tuple of each component."""
        return {"split": MULTILANG_MS, "count": MULTILANG_MS}


@dataclass(frozen=True, slots=True)
class Meet:
    """Settings of Meet, each under `meet.` in the topology's configuration.

    Parameters
    ----------
    left_rate, right_rate
        Sentences per second that each source emits to begin with.
    rates_file
        JSON file with other rates, such as {"left": 50}, looked at again every second; empty: none.
    payload_bytes
        Length of a sentence.
    cpu_ms
        CPU time, in milliseconds, that `join` spends on a sentence.
    """

    left_rate: float = 5.0
    right_rate: float = 20.0
    rates_file: str = ""
    payload_bytes: int = 100
    cpu_ms: float = 2.0


@dataclass(frozen=True, slots=True)
class Haul:
    """Settings of Haul, each under `haul.` in the topology's configuration.

    Parameters
    ----------
    rate
        Sentences per second that the source emits.
    payload_bytes
        Length of a sentence.
    """

    rate: float = 10.0
    payload_bytes: int = 16_000

    def rate_hint(self) -> dict[str, float]:
        """Tuples per second that each component emits."""
        return {"source": self.rate}

    def execution_time_hint_ms(self) -> dict[str, float]:
        """Milliseconds per tuple of each component."""
        return {"consumer": MULTILANG_MS}


@dataclass(frozen=True, slots=True)
class Relay:
    """Settings of Relay, each under `relay.` in the topology's configuration.

    Parameters
    ----------
    rate
        Sentences per second that the source emits.
    payload_bytes
        Length of a sentence.
    cpu_ms
        CPU time, in milliseconds, that each of the four operators spends on a sentence.
    """

    rate: float = 10.0
    payload_bytes: int = 100
    cpu_ms: float = 0.2

    def rate_hint(self) -> dict[str, float]:
        """Tuples per second that each component emits."""
        return dict.fromkeys(("source", *STEPS), self.rate)

    def execution_time_hint_ms(self) -> dict[str, float]:
        """Milliseconds per tuple of each component."""
        return dict.fromkeys(STEPS, self.cpu_ms + MULTILANG_MS) | {"consumer": MULTILANG_MS}


def haul(conf: Mapping[str, Any]) -> Haul:
    """Read the settings of Haul from `conf`; raises `BadSettingError`."""
    return Haul(**_given(conf, _HAUL))


def meet(conf: Mapping[str, Any]) -> Meet:
    """Read the settings of Meet from `conf`; raises `BadSettingError`."""
    return Meet(**_given(conf, _MEET))


def relay(conf: Mapping[str, Any]) -> Relay:
    """Read the settings of Relay from `conf`; raises `BadSettingError`."""
    return Relay(**_given(conf, _RELAY))


def tag_and_count(conf: Mapping[str, Any]) -> TagAndCount:
    """Read the settings of Tag-and-Count from `conf`; raises `BadSettingError`."""
    return TagAndCount(**_given(conf, _TAG_AND_COUNT))


def word_count(conf: Mapping[str, Any]) -> WordCount:
    """Read the settings of the word count from `conf`; raises `BadSettingError`."""
    return WordCount(**_given(conf, _WORD_COUNT))


def hints(conf: Mapping[str, Any]) -> dict[str, dict[str, float]]:
    """Settings for Eyewall of the topology that `conf` belongs to; empty for other topologies.

    A topology is known by the settings it carries. Meet declares nothing: its rates are measured.
    """
    settings: TagAndCount | WordCount | Haul | Relay
    if _has(conf, "tag_and_count."):
        settings = tag_and_count(conf)
    elif _has(conf, "word_count."):
        settings = word_count(conf)
    elif _has(conf, "haul."):
        settings = haul(conf)
    elif _has(conf, "relay."):
        settings = relay(conf)
    else:
        if _has(conf, "meet."):
            meet(conf)
        return {}
    return {
        "eyewall.rate.hint": settings.rate_hint(),
        "eyewall.execution.time.hint.ms": settings.execution_time_hint_ms(),
    }


def _has(conf: Mapping[str, Any], prefix: str) -> bool:
    return any(key.startswith(prefix) for key in conf)


def _given(conf: Mapping[str, Any], fields: Mapping[str, str]) -> dict[str, Any]:
    prefix = next(iter(fields)).split(".")[0] + "."
    return {
        _field(key, fields): _checked(key, value, _RANGES[_field(key, fields)])
        for key, value in conf.items()
        if key.startswith(prefix)
    }


def _field(key: str, fields: Mapping[str, str]) -> str:
    if key not in fields:
        close = get_close_matches(key, fields, n=1)
        hint = f" (did you mean {close[0]}?)" if close else ""
        raise BadSettingError(f"{key}: no such setting; allowed are {', '.join(fields)}{hint}")
    return fields[key]


@dataclass(frozen=True, slots=True)
class _Range:
    words: str
    holds: Callable[[Any], bool]
    kinds: tuple[type, ...] = (int, float)


def _checked(key: str, value: Any, allowed: _Range) -> Any:
    fits = isinstance(value, allowed.kinds) and not isinstance(value, bool)
    if not fits or not allowed.holds(value):
        raise BadSettingError(f"{key}: {value!r}; allowed is {allowed.words}")
    return value


_TAG_AND_COUNT = {
    "tag_and_count.rate": "rate",
    "tag_and_count.payload.bytes": "payload_bytes",
    "tag_and_count.selectivity": "selectivity",
    "tag_and_count.cpu.ms": "cpu_ms",
}
_WORD_COUNT = {"word_count.rate": "rate", "word_count.payload.bytes": "payload_bytes"}
_HAUL = {"haul.rate": "rate", "haul.payload.bytes": "payload_bytes"}
_RELAY = {
    "relay.rate": "rate",
    "relay.payload.bytes": "payload_bytes",
    "relay.cpu.ms": "cpu_ms",
}
_MEET = {
    "meet.left.rate": "left_rate",
    "meet.right.rate": "right_rate",
    "meet.rates.file": "rates_file",
    "meet.payload.bytes": "payload_bytes",
    "meet.cpu.ms": "cpu_ms",
}
_RATE = _Range("tuples per second, above 0 and at most 10000", lambda v: 0 < v <= 10_000)
_RANGES = {
    "rate": _RATE,
    "left_rate": _RATE,
    "right_rate": _RATE,
    "rates_file": _Range("the name of a file", lambda v: "\0" not in v, (str,)),
    "payload_bytes": _Range(
        "a whole number of bytes from 16 to 1000000",
        lambda v: isinstance(v, int) and 16 <= v <= 1_000_000,
    ),
    "selectivity": _Range("a share above 0 and at most 1", lambda v: 0 < v <= 1),
    "cpu_ms": _Range("milliseconds from 0 to 10000", lambda v: 0 <= v <= 10_000),
}
