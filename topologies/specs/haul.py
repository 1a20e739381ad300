"""Haul: a source of long sentences and a consumer, for what a link between two hosts carries."""

# mypy: disallow-subclassing-any=False

from typing import ClassVar

from bolts.tag_and_count import Consumer
from spouts.sentences import HaulSource
from streamparse import Topology
from workload.requests import python_component


class Haul(Topology):
    source = HaulSource.spec(par=1, config=python_component(5.0))
    consumer = Consumer.spec(inputs=[source], par=1, config=python_component(5.0))

    config: ClassVar = {
        "haul.rate": 10.0,
        "haul.payload.bytes": 16_000,
        "topology.acker.executors": 1,
        "topology.message.timeout.secs": 30,
        "topology.max.spout.pending": 50,
    }
