"""What a dashboard reads, written as agents, jobs and the sidecar write it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import redis as redis_client
from eyewall_contracts import decision as decision_record
from eyewall_contracts import latency as contract
from eyewall_contracts import metric_history as history
from eyewall_contracts import rates as rate_document
from eyewall_contracts import sample
from eyewall_contracts.decision import day_of
from eyewall_contracts.znodes import Znodes
from eyewall_monitor.dashboard.config import Access, Config, Redis, Sidecar, ZooKeeper

if TYPE_CHECKING:
    from eyewall_contracts.decision import DecisionRecord
    from eyewall_contracts.rates import Rates
    from eyewall_contracts.sample import Sample
    from kazoo.client import KazooClient


@dataclass
class Stores:
    """ZooKeeper and Redis, with a root and a prefix of the test's own."""

    zookeeper: str
    redis: str
    root: str
    prefix: str
    client: KazooClient
    keys: Any = field(init=False)
    last: dict[str, history.EntryId] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.paths = Znodes(self.root)
        self.store: Any = redis_client.Redis.from_url(self.redis)
        self.keys = contract.Keys(self.prefix)

    def config(self, address: str, **access: Any) -> Config:
        return Config(
            listen="127.0.0.1:0",
            sidecar=Sidecar(address=address),
            zookeeper=ZooKeeper(servers=self.zookeeper, root=self.root),
            redis=Redis(url=self.redis, prefix=self.prefix),
            access=Access(**access),
        )

    def now(self) -> float:
        seconds, micros = self.store.time()
        return float(seconds + micros / 1e6)

    def decide(self, *records: DecisionRecord) -> None:
        for it in records:
            path = f"{self.paths.decisions_of(day_of(it.time))}/{it.id}"
            self.client.create(path, decision_record.encode(it), makepath=True)

    def report(self, report: Sample) -> None:
        """As an agent does: the latest one in ZooKeeper, all of them in Redis."""
        path = self.paths.sample(report.host)
        data = sample.encode(report)
        if self.client.exists(path) is None:
            self.client.create(path, data, makepath=True)
        else:
            self.client.set(path, data)
        self.remember(report)

    def remember(self, report: Sample) -> None:
        keys = history.Keys(self.prefix)
        key = keys.stream(report.host)
        # "ms-*" would let Redis number the entries of a millisecond, from version 7 on.
        entry = history.next_id(report.time, self.last.get(key))
        self.store.xadd(key, history.encode_entry(report), id=str(entry))
        self.last[key] = entry
        self.store.zadd(keys.hosts, {report.host: report.time})

    def rate(self, rates: Rates) -> None:
        path = self.paths.rates(rates.topology)
        self.client.create(path, rate_document.encode(rates), makepath=True)

    def place(self, host: str, *position: float, error: float = 0.1) -> None:
        now = self.now()
        coordinate = contract.Coordinate(position, 0.001)
        record = contract.HostRecord("127.0.0.1", 7078, coordinate, error, 0, now)
        self.store.set(self.keys.host(host), contract.encode_host(record))
        self.store.zadd(self.keys.members, {host: now})

    def probe(self, source: str, target: str, rtt: float) -> None:
        record = contract.RttRecord(rtt, 0.0, self.now())
        self.store.hset(self.keys.rtts(target), source, contract.encode_rtt(record))
