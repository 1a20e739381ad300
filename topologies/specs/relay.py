"""Relay: a source, four operators in sequence with one executor each, a consumer.

T-M1 of paper 002 (section 6.1.2, table 1) in Python: each operator passes on what it gets.
"""

# mypy: disallow-subclassing-any=False

from typing import ClassVar

from bolts.relay import Step
from bolts.tag_and_count import Consumer
from spouts.sentences import RelaySource
from streamparse import Topology
from workload.requests import python_component


class Relay(Topology):
    source = RelaySource.spec(par=1, config=python_component(5.0))
    step_1 = Step.spec(inputs=[source], par=1, config=python_component(5.0))
    step_2 = Step.spec(inputs=[step_1], par=1, config=python_component(5.0))
    step_3 = Step.spec(inputs=[step_2], par=1, config=python_component(5.0))
    step_4 = Step.spec(inputs=[step_3], par=1, config=python_component(5.0))
    consumer = Consumer.spec(inputs=[step_4], par=1, config=python_component(5.0))

    config: ClassVar = {
        "relay.rate": 10.0,
        "relay.payload.bytes": 100,
        "relay.cpu.ms": 0.2,
        "topology.acker.executors": 1,
        "topology.message.timeout.secs": 30,
        "topology.max.spout.pending": 200,
    }
