"""Tag-and-Count: tags and counts the sentences of a source.

Cardellini et al., "Optimal operator placement" (paper 000), section 7.1 and figure 3: a source, a
sequence of five operators, a consumer; source and consumer have one executor each and are pinned
(by `eyewall.pin`, since hosts differ from cluster to cluster), the operators two executors each.
"""

# mypy: disallow-subclassing-any=False

from typing import ClassVar

from bolts.tag_and_count import Consumer, Count, Filter, Rank, Tag, Tokenise
from spouts.sentences import TagAndCountSource
from streamparse import Grouping, Topology
from workload.requests import python_component


class TagAndCount(Topology):
    source = TagAndCountSource.spec(par=1, config=python_component(5.0))
    tokenise = Tokenise.spec(inputs=[source], par=2, config=python_component(5.0))
    tag = Tag.spec(inputs=[tokenise], par=2, config=python_component(5.0))
    filter = Filter.spec(inputs=[tag], par=2, config=python_component(5.0))
    count = Count.spec(
        inputs={filter: Grouping.fields("tag")},  # noqa: A003 - the component's name
        par=2,
        config=python_component(5.0),
    )
    rank = Rank.spec(inputs=[count], par=2, config=python_component(5.0))
    consumer = Consumer.spec(inputs=[rank], par=1, config=python_component(5.0))

    config: ClassVar = {
        "tag_and_count.rate": 10.0,
        "tag_and_count.payload.bytes": 100,
        "tag_and_count.selectivity": 1.0,
        "tag_and_count.cpu.ms": 2.0,
        "topology.acker.executors": 1,
        "topology.message.timeout.secs": 10,
        "topology.max.spout.pending": 1000,
    }
