"""The operators of Tag-and-Count and its consumer.

Every tuple carries the id and the emission time of the sentence it comes from.
"""

# mypy: disallow-subclassing-any=False

from __future__ import annotations

import time
from collections import Counter
from typing import TYPE_CHECKING, Any, ClassVar

from streamparse import Bolt
from workload.events import Process, event_log
from workload.load import burn, passes
from workload.sentences import tag_of, tokens
from workload.settings import tag_and_count

if TYPE_CHECKING:
    from collections.abc import Mapping


class Operator(Bolt):
    """Does its share of CPU work on each tuple, then what its name says."""

    def initialize(
        self,
        storm_conf: Mapping[str, Any],
        context: Mapping[str, Any],  # noqa: ARG002 - streamparse's signature
    ) -> None:
        settings = tag_and_count(storm_conf)
        self.cpu_seconds = settings.cpu_ms / 1000.0
        self.selectivity = settings.selectivity

    def process(self, tup: Any) -> None:
        burn(self.cpu_seconds)
        self.operate(*tup.values)

    def operate(self, message_id: str, emitted_at: float, *values: Any) -> None:
        raise NotImplementedError


class Tokenise(Operator):
    outputs: ClassVar = ["id", "emitted_at", "words"]

    def operate(self, message_id: str, emitted_at: float, *values: Any) -> None:
        (sentence,) = values
        self.emit([message_id, emitted_at, " ".join(tokens(sentence))])


class Tag(Operator):
    outputs: ClassVar = ["id", "emitted_at", "tag", "words"]

    def operate(self, message_id: str, emitted_at: float, *values: Any) -> None:
        (words,) = values
        self.emit([message_id, emitted_at, tag_of(words.split()), words])


class Filter(Operator):
    """Lets the share of sentences through that `tag_and_count.selectivity` says."""

    outputs: ClassVar = ["id", "emitted_at", "tag", "words"]

    def initialize(self, storm_conf: Mapping[str, Any], context: Mapping[str, Any]) -> None:
        super().initialize(storm_conf, context)
        self.events = event_log(storm_conf, Process.of(storm_conf, context, time.time()))

    def operate(self, message_id: str, emitted_at: float, *values: Any) -> None:
        if passes(message_id, self.selectivity):
            self.emit([message_id, emitted_at, *values])
        else:
            self.events.dropped(message_id, time.time())


class Count(Operator):
    """Counts sentences by tag. A replayed sentence counts again: at least once, as in Storm."""

    outputs: ClassVar = ["id", "emitted_at", "tag", "count", "words"]

    def initialize(self, storm_conf: Mapping[str, Any], context: Mapping[str, Any]) -> None:
        super().initialize(storm_conf, context)
        self.counts: Counter[str] = Counter()

    def operate(self, message_id: str, emitted_at: float, *values: Any) -> None:
        tag, words = values
        self.counts[tag] += 1
        self.emit([message_id, emitted_at, tag, self.counts[tag], words])


class Rank(Operator):
    """Gives each sentence the place of its tag among the tags that this executor has met."""

    outputs: ClassVar = ["id", "emitted_at", "tag", "place", "words"]

    def initialize(self, storm_conf: Mapping[str, Any], context: Mapping[str, Any]) -> None:
        super().initialize(storm_conf, context)
        self.counts: dict[str, int] = {}

    def operate(self, message_id: str, emitted_at: float, *values: Any) -> None:
        tag, count, words = values
        self.counts[tag] = count
        place = 1 + sum(other > count for other in self.counts.values())
        self.emit([message_id, emitted_at, tag, place, words])


class Consumer(Bolt):
    """Where sentences arrive; end-to-end latency is read here."""

    outputs: ClassVar[list[str]] = []

    def initialize(self, storm_conf: Mapping[str, Any], context: Mapping[str, Any]) -> None:
        self.events = event_log(storm_conf, Process.of(storm_conf, context, time.time()))

    def process(self, tup: Any) -> None:
        message_id, emitted_at, *_ = tup.values
        self.events.seen(message_id, emitted_at, time.time())
