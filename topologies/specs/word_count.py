"""Word count: sentences, split into words, counted."""

# mypy: disallow-subclassing-any=False

from typing import ClassVar

from bolts.word_count import Count, Split
from spouts.sentences import WordCountSource
from streamparse import Grouping, Topology
from workload.requests import python_component


class WordCount(Topology):
    source = WordCountSource.spec(par=1, config=python_component(5.0))
    split = Split.spec(inputs=[source], par=2, config=python_component(5.0))
    count = Count.spec(
        inputs={split: Grouping.fields("word")}, par=2, config=python_component(10.0)
    )

    config: ClassVar = {
        "word_count.rate": 10.0,
        "word_count.payload.bytes": 100,
        "topology.acker.executors": 1,
        "topology.message.timeout.secs": 10,
        "topology.max.spout.pending": 1000,
    }
