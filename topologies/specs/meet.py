"""Meet: two sources, the operator where their sentences meet, and a consumer.

Where the operator belongs depends on how much each source emits, which changes while it runs
(`meet.rates.file`): what flows is measured, nothing of it is declared.
"""

# mypy: disallow-subclassing-any=False

from typing import ClassVar

from bolts.meet import Consumer, Join
from spouts.sentences import LeftSource, RightSource
from streamparse import Topology
from workload.requests import python_component


class Meet(Topology):
    left = LeftSource.spec(par=1, config=python_component(5.0))
    right = RightSource.spec(par=1, config=python_component(5.0))
    join = Join.spec(inputs=[left, right], par=1, config=python_component(5.0))
    consumer = Consumer.spec(inputs=[join], par=1, config=python_component(5.0))

    config: ClassVar = {
        "meet.left.rate": 5.0,
        "meet.right.rate": 20.0,
        "meet.cpu.ms": 2.0,
        "topology.acker.executors": 1,
        "topology.message.timeout.secs": 30,
        "topology.max.spout.pending": 1000,
    }
