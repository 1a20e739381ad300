"""Sentences to words to counts."""

# mypy: disallow-subclassing-any=False

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, ClassVar

from streamparse import Bolt
from workload.sentences import tokens

if TYPE_CHECKING:
    from collections.abc import Mapping


class Split(Bolt):
    outputs: ClassVar = ["word"]

    def process(self, tup: Any) -> None:
        for word in tokens(tup.values[2]):
            self.emit([word])


class Count(Bolt):
    outputs: ClassVar = ["word", "count"]

    def initialize(
        self,
        storm_conf: Mapping[str, Any],  # noqa: ARG002 - streamparse's signature
        context: Mapping[str, Any],  # noqa: ARG002
    ) -> None:
        self.counts: Counter[str] = Counter()

    def process(self, tup: Any) -> None:
        (word,) = tup.values
        self.counts[word] += 1
        self.emit([word, self.counts[word]])
