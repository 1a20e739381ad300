"""What a dashboard reads, written as agents, jobs and the sidecar write it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import redis as redis_client
from eyewall_contracts.decision import day_of, encode_decision
from eyewall_contracts.latency import (
    HostCoordinate,
    LatencyKeys,
    RttRecord,
    encode_host,
    encode_rtt,
)
from eyewall_contracts.metric_history import EntryId, HistoryKeys, encode_entry, next_id
from eyewall_contracts.rates import encode_rates
from eyewall_contracts.sample import encode_sample
from eyewall_contracts.znodes import Znodes
from eyewall_monitor.dashboard.config import (
    Access,
    DashboardConfig,
    DashboardRedis,
    DashboardZooKeeper,
    SidecarAddress,
)

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
    last: dict[str, EntryId] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.paths = Znodes(self.root)
        self.store: Any = redis_client.Redis.from_url(self.redis)
        self.keys = LatencyKeys(self.prefix)

    def config(self, address: str, **access: Any) -> DashboardConfig:
        return DashboardConfig(
            listen="127.0.0.1:0",
            sidecar=SidecarAddress(address=address),
            zookeeper=DashboardZooKeeper(servers=self.zookeeper, root=self.root),
            redis=DashboardRedis(url=self.redis, prefix=self.prefix),
            access=Access(**access),
        )

    def now(self) -> float:
        seconds, micros = self.store.time()
        return float(seconds + micros / 1e6)

    def decide(self, *records: DecisionRecord) -> None:
        for it in records:
            path = f"{self.paths.decisions_of(day_of(it.time))}/{it.id}"
            self.client.create(path, encode_decision(it), makepath=True)

    def report(self, report: Sample) -> None:
        """As an agent does: the latest one in ZooKeeper, all of them in Redis."""
        path = self.paths.sample(report.host)
        data = encode_sample(report)
        if self.client.exists(path) is None:
            self.client.create(path, data, makepath=True)
        else:
            self.client.set(path, data)
        self.remember(report)

    def remember(self, report: Sample) -> None:
        keys = HistoryKeys(self.prefix)
        key = keys.stream(report.host)
        # "ms-*" would let Redis number the entries of a millisecond, from version 7 on.
        entry = next_id(report.time, self.last.get(key))
        self.store.xadd(key, encode_entry(report), id=str(entry))
        self.last[key] = entry
        self.store.zadd(keys.hosts, {report.host: report.time})

    def rate(self, rates: Rates) -> None:
        path = self.paths.rates(rates.topology)
        self.client.create(path, encode_rates(rates), makepath=True)

    def place(self, host: str, *position: float, error: float = 0.1) -> None:
        now = self.now()
        record = HostCoordinate("127.0.0.1", 7078, position, now, 0.001, error)
        self.store.set(self.keys.host(host), encode_host(record))
        self.store.zadd(self.keys.members, {host: now})

    def probe(self, source: str, target: str, rtt: float) -> None:
        record = RttRecord(rtt, 0.0, self.now())
        self.store.hset(self.keys.rtts(target), source, encode_rtt(record))
