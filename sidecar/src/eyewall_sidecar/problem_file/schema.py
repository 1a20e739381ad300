"""The problem file as a boundary model: what may stand in it, and nothing else.

`python -m eyewall_sidecar.problem_file` prints the JSON Schema that is kept beside this
package as problem.schema.json.
"""

import json
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, WithJsonSchema
from pydantic_core import PydanticCustomError

from eyewall_sidecar.model.limits import FASTEST, LONGEST, MOST, SLOWEST
from eyewall_sidecar.model.load_model import MOST_UNCERTAIN

LEAST = 1e-9
"""What is not 0 is at least this much: less is a slip, and more than solvers can tell from 0."""
MOST_EXECUTORS = 100_000
"""Of all operators together."""
MOST_PAIRS = 1_000_000
"""Of executors with a stream between them: what fits in memory."""


def not_tiny(value: float) -> float:
    """Refuse what is neither 0 nor at least LEAST."""
    if 0 < value < LEAST:
        raise PydanticCustomError("tiny", "too small to tell from 0", {"least": LEAST})
    return value


def _up_to(most: float) -> WithJsonSchema:
    """Say in the JSON Schema what `not_tiny` and an upper bound allow."""
    return WithJsonSchema(
        {"type": "number", "anyOf": [{"const": 0}, {"minimum": LEAST, "maximum": most}]}
    )


Amount = Annotated[float, Field(ge=0, le=MOST), AfterValidator(not_tiny), _up_to(MOST)]
Seconds = Annotated[float, Field(ge=0, le=LONGEST), AfterValidator(not_tiny), _up_to(LONGEST)]
Speedup = Annotated[float, Field(ge=SLOWEST, le=FASTEST)]
Factor = Annotated[float, Field(ge=0, le=FASTEST)]
Probability = Annotated[float, Field(ge=0, le=1), AfterValidator(not_tiny), _up_to(1)]
Coordinate = Annotated[float, Field(ge=-MOST, le=MOST)]
Name = Annotated[str, Field(min_length=1)]
Names = Annotated[list[Name], Field(min_length=1)]


class Entry(BaseModel):
    """A part of the file: unknown keys are errors, and 1 is a number while "1" is not."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)


class Grouping(StrEnum):
    """How the tuples of a stream are spread over the receiver's executors."""

    SHUFFLE = "shuffle"
    FIELDS = "fields"
    PARTIAL_KEY = "partial_key"
    ALL = "all"
    GLOBAL = "global"
    LOCAL_OR_SHUFFLE = "local_or_shuffle"
    DIRECT = "direct"
    CUSTOM = "custom"


class OperatorEntry(Entry):
    """An operator, or `executors` interchangeable ones."""

    id: Name
    cpu: Amount = Field(1.0, description="cores, of one executor")
    memory: Amount = Field(0.0, description="bytes, of one executor")
    execution_time: Seconds = Field(0.0, description="seconds for a tuple on a node of speedup 1")
    candidates: Names | None = Field(None, description="nodes that may hold it; all if not given")
    pinned_to: Names | None = Field(None, description="the same, said of one node")
    executors: Annotated[int, Field(ge=1, le=MOST_EXECUTORS)] = Field(
        1, description="how many executors it stands for"
    )
    demand: Amount | None = Field(
        None, description="cores in use at speedup 1, measured, of one executor; cpu if not given"
    )
    demand_error: Amount = Field(
        0.0, description="half the width of the 95 % interval of demand, cores"
    )
    reserved: Amount = Field(
        0.0, description="cores set aside for one executor where cpu is measured"
    )
    resources: dict[Name, Amount] | None = Field(
        None, description="generic resources that one executor needs, as gpu"
    )
    objects: Names | None = Field(None, description="basic objects that it downloads (provision)")


class StreamEntry(Entry):
    """A stream between two operators."""

    source: Name = Field(alias="from")
    target: Name = Field(alias="to")
    rate: Amount = Field(1.0, description="tuples/s, of all its executors together")
    tuple_bytes: Amount | None = Field(None, description="mean size of a tuple; unknown is not 0")
    system: bool = Field(
        default=False, description="acks or metrics: on no path of the response time"
    )
    grouping: Grouping | None = Field(None, description="needed where an end has executors")
    shuffle: Name | None = Field(
        None,
        description="streams of one operator with the same shuffle share its tuples: those to "
        "operators on its own node, if there are any, get all (L and THETA)",
    )
    shares: Annotated[list[Amount], Field(min_length=1)] | None = Field(
        None, description="fraction of the tuples for each of the receiver's executors; sum 1"
    )
    budget: Amount | None = Field(
        None, description="for eyewall map: the most that a byte may pay on dedicated links"
    )


class NodeEntry(Entry):
    """A node; what is not limited is not given."""

    id: Name
    cpu: Amount | None = Field(None, description="cores")
    memory: Amount | None = Field(None, description="bytes")
    operators: Annotated[int, Field(ge=0, le=10**15)] | None = Field(
        None, description="how many it may hold"
    )
    speedup: Speedup = 1.0
    availability: Probability = 1.0
    coordinates: Annotated[list[Coordinate], Field(min_length=1)] | None = None
    background: Amount = Field(0.0, description="cores in use by others, not part of cpu")
    cores: Amount | None = Field(
        None, description="all cores, measured; cpu and background if not given"
    )
    reserved: Amount | None = Field(None, description="cores that it can set aside")
    resources: dict[Name, Amount] | None = Field(
        None, description="generic resources that it offers; none of those not given"
    )
    card: Amount | None = Field(
        None, description="bytes/s that its network card sends and receives (provision)"
    )
    price: Amount | None = Field(None, description="of having it switched on (provision)")
    uplink: Amount | None = Field(
        None, description="for eyewall map: bytes/s to the public network; unlimited if not given"
    )
    downlink: Amount | None = Field(None, description="the same from it")


class LinkEntry(Entry):
    """A link; it holds in both directions unless the other one is listed.

    A dedicated one always holds in both.
    """

    source: Name = Field(alias="from")
    target: Name = Field(alias="to")
    delay: Seconds = Field(description="seconds, one way")
    availability: Probability = 1.0
    bandwidth: Amount | None = Field(None, description="bytes/s; unlimited if not given")
    kind: Literal["dedicated", "public"] = Field(
        "public", description="a pair may have one of each, for eyewall map"
    )
    price: Amount | None = Field(None, description="of a byte on a dedicated link; 0 if not given")


class DelaysEntry(Entry):
    """A square matrix of delays in the order of the nodes, in a file of its own."""

    file: Name = Field(description="tab-separated, plain or .gz; relative to the problem file")
    unit: Literal["s", "ms"]
    kind: Literal["one_way", "rtt"] = Field(description="an RTT is halved")


class LoadEntry(Entry):
    """How CPU demand turns into time, for L and THETA; CPU is that of a node of speedup 1."""

    headroom: Factor = Field(1.3, description="multiple of the rates that shall be carried")
    executors_per_worker: Annotated[int, Field(ge=0, le=10**15)] = Field(
        0, description="executors that share a worker; 0: all of a node"
    )
    worker_cpu: Amount = Field(0.0, description="cores of a worker beside its executors")
    crossing_cpu: Amount = Field(
        0.0, description="cores that it uses more once tuples cross its border all the time"
    )
    crossing_half_rate: Factor = Field(
        500.0, description="bursts/s across its border at which it uses half of them"
    )
    polling_cpu: Amount = Field(
        0.0, description="cores of an executor that looks for tuples and finds none"
    )
    send_cpu: Seconds = Field(0.0, description="CPU-seconds for each tuple that leaves a worker")
    receive_cpu: Seconds = Field(0.0, description="CPU-seconds for each tuple that enters a worker")
    crossing_seconds: Seconds = Field(
        0.0, description="seconds from worker to worker on top of the link's delay"
    )
    burstiness: Factor = Field(1.0, description="factor of the wait for an executor")
    sharing: Factor = Field(1.0, description="factor of the wait for a host's CPU")
    uncertainty: Annotated[float, Field(ge=0, le=MOST_UNCERTAIN)] = Field(
        1.0, description="widens the interval of predictions"
    )


class ObjectEntry(Entry):
    """A basic object, which machines download again and again."""

    id: Name
    size: Amount = Field(description="bytes")
    frequency: Amount = Field(1.0, description="downloads per second by each machine that uses it")


class ServerEntry(Entry):
    """A server that holds basic objects."""

    id: Name
    objects: list[Name] = Field(description="ids of what it holds")
    card: Amount | None = Field(None, description="bytes/s that it sends; unlimited if not given")
    link: Amount | None = Field(
        None, description="bytes/s to any one machine; unlimited if not given"
    )
    links: dict[Name, Amount] = Field(
        {}, description="bytes/s by node or machine type, where it differs from link"
    )


class ProblemEntry(Entry):
    """One placement problem. Seconds, bytes, tuples/s, cores."""

    version: Literal[1]
    operators: Annotated[list[OperatorEntry], Field(min_length=1)]
    streams: list[StreamEntry] = []
    nodes: list[NodeEntry] = Field([], description="not needed to buy from a catalogue")
    links: list[LinkEntry] | None = None
    delays: DelaysEntry | None = None
    current: dict[Name, Name | Names] | None = Field(
        None, description="where operators run now; a list has one node for each executor"
    )
    load: LoadEntry | None = Field(None, description="the load model, for L and THETA")
    objects: list[ObjectEntry] = Field([], description="what operators download (provision)")
    servers: list[ServerEntry] = Field([], description="from where they do (provision)")
    machine_link: Amount | None = Field(
        None, description="bytes/s between two machines that are bought (provision)"
    )


def schema_text() -> str:
    """Return the JSON Schema as it is kept in problem.schema.json."""
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **ProblemEntry.model_json_schema(by_alias=True),
    }
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"
