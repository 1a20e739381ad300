"""Sources of sentences."""

# mypy: disallow-subclassing-any=False

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, ClassVar

from streamparse import Spout
from workload.events import Process, event_log, unfinished
from workload.pace import Pace
from workload.rate_file import RateFile
from workload.sentences import sentence
from workload.settings import (
    Haul,
    Relay,
    TagAndCount,
    WordCount,
    haul,
    meet,
    relay,
    tag_and_count,
    word_count,
)

if TYPE_CHECKING:
    from collections.abc import Mapping


class SentenceSource(Spout):
    """Emits sentences at an even rate and replays each that fails until it is acked.

    A message keeps the time of its first emission through all its replays. After a restart the
    source goes on with what its event files (`measure.dir`) say is unfinished; without them the
    messages that were in flight when it was killed are lost, as with any source without a journal.
    """

    outputs: ClassVar = ["id", "emitted_at", "sentence"]

    def settings(self, conf: Mapping[str, Any]) -> TagAndCount | WordCount | Haul | Relay:
        raise NotImplementedError

    def initialize(self, storm_conf: Mapping[str, Any], context: Mapping[str, Any]) -> None:
        settings = self.settings(storm_conf)
        self.length = settings.payload_bytes
        self.pace = Pace(settings.rate, time.monotonic())
        self.start(storm_conf, context)

    def start(self, storm_conf: Mapping[str, Any], context: Mapping[str, Any]) -> None:
        """Open the event file, and go on with what is unfinished."""
        process = Process.of(storm_conf, context, time.time())
        self.events = event_log(storm_conf, process)
        self.prefix = f"{process.task}-{process.started_us:x}"
        self.number = 0
        self.pending = unfinished(storm_conf, process)
        self.to_resume = list(self.pending)

    def next_tuple(self) -> None:
        if self.to_resume:
            self.replay(self.to_resume.pop())
        elif self.pace.due(time.monotonic()):
            message_id = f"{self.prefix}-{self.number}"
            self.number += 1
            self.pending[message_id] = time.time()
            self.events.emitted(message_id, self.pending[message_id])
            self.send(message_id)

    def send(self, message_id: str) -> None:
        text = sentence(int(message_id.rpartition("-")[2]), self.length)
        self.emit([message_id, self.pending[message_id], text], tup_id=message_id)

    def ack(self, tup_id: str) -> None:
        if self.pending.pop(tup_id, None) is not None:
            self.events.acked(tup_id, time.time())

    def fail(self, tup_id: str) -> None:
        if tup_id in self.pending:
            self.replay(tup_id)

    def replay(self, message_id: str) -> None:
        self.events.failed(message_id, time.time())
        self.send(message_id)


class TagAndCountSource(SentenceSource):
    def settings(self, conf: Mapping[str, Any]) -> TagAndCount:
        return tag_and_count(conf)


class WordCountSource(SentenceSource):
    def settings(self, conf: Mapping[str, Any]) -> WordCount:
        return word_count(conf)


class HaulSource(SentenceSource):
    def settings(self, conf: Mapping[str, Any]) -> Haul:
        return haul(conf)


class RelaySource(SentenceSource):
    def settings(self, conf: Mapping[str, Any]) -> Relay:
        return relay(conf)


class MeetSource(SentenceSource):
    """One of two sources, on one `side`, whose rate may be changed while it runs."""

    side = ""

    def initialize(self, storm_conf: Mapping[str, Any], context: Mapping[str, Any]) -> None:
        settings = meet(storm_conf)
        rate = settings.left_rate if self.side == "left" else settings.right_rate
        self.length = settings.payload_bytes
        self.pace = Pace(rate, time.monotonic())
        self.start(storm_conf, context)
        self.rates = RateFile(settings.rates_file, self.side, rate, time.monotonic())

    def next_tuple(self) -> None:
        now = time.monotonic()
        if (rate := self.rates.changed(now)) is not None:
            self.pace = Pace(rate, now)
        super().next_tuple()


class LeftSource(MeetSource):
    side = "left"


class RightSource(MeetSource):
    side = "right"
