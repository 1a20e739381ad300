"""The composition root of `eyewall serve`: everything is put together here, and nowhere else."""

import logging
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import TypeVar

from eyewall_contracts import crossing_costs, wait_fit, worker_starts
from eyewall_contracts.codec import RecordCodec
from eyewall_contracts.crossing_costs import CrossingCostRecord
from eyewall_contracts.redis_url import server_of
from eyewall_contracts.wait_fit import WaitRecord
from eyewall_contracts.worker_starts import WorkerStartRecord
from eyewall_contracts.znodes import Znodes
from msgspec import Struct

from eyewall_sidecar.config import SidecarConfig, service_settings
from eyewall_sidecar.policies import policy_catalogue, policy_faults
from eyewall_sidecar.rpc import RpcServer
from eyewall_sidecar.service.crossing_memory import CrossingMemory
from eyewall_sidecar.service.decision_log import DecisionLog
from eyewall_sidecar.service.learned import Learned
from eyewall_sidecar.service.planner import Planner, ServiceContext
from eyewall_sidecar.service.round import InputStores, SchedulingService
from eyewall_sidecar.service.solver_pool import SolverPool
from eyewall_sidecar.service.wait_tracker import WaitTracker
from eyewall_sidecar.service.worker_starts import WorkerStarts
from eyewall_sidecar.stores import (
    DelayFile,
    DelayStore,
    MeasurementStore,
    NoDelays,
    NoMeasurements,
    NoRecords,
    NoSwitches,
    RecordStore,
    RedisDelays,
    SwitchStore,
    ZookeeperKnowledge,
    ZookeeperMeasurements,
    ZookeeperRecords,
    ZookeeperSwitches,
)
from eyewall_sidecar.termination import stop_signals

STOP_SECONDS = 1.0

LOG = logging.getLogger("eyewall.sidecar")

Record = TypeVar("Record", bound=Struct)


def serve(config: SidecarConfig, say: Callable[[str], None], path: Path | None = None) -> None:
    """Answer Nimbus until SIGTERM or SIGINT; `say` gets one line when ready.

    `path` is the file that the configuration was read from. ConfigError and AddressError name what
    keeps it from starting.
    """
    for fault in policy_faults():
        LOG.warning("policy left out: %s", fault)
    settings = service_settings(config, policy_catalogue(), path)
    stopped = stop_signals()
    with (
        _delay_store(config) as delays,
        _zookeeper_stores(config) as (measurements, records, switches, learned),
        closing(SolverPool(policy=settings.defaults.policy)) as solvers,
    ):
        service = SchedulingService(
            settings,
            InputStores(delays, measurements, switches),
            solvers,
            DecisionLog(records, secrets.token_hex(4), time.time),
            time.monotonic,
            learned,
        )
        planner = Planner(ServiceContext(service, solvers), lambda: secrets.token_hex(4))
        server = RpcServer(planner, config.listen)
        server.start()
        try:
            if _warm(solvers, stopped):
                server.set_serving(serving=True)
                host = config.listen.rpartition(":")[0]
                say(f"eyewall sidecar ready on {host}:{server.port} ({_delays(config)})")
                stopped.wait()
        finally:
            server.stop(STOP_SECONDS)


def _warm(solvers: SolverPool, stopped: threading.Event) -> bool:
    """Wait for the solvers; False if a signal came first."""
    warmed = threading.Event()
    failed: list[BaseException] = []

    def warm() -> None:
        try:
            solvers.warm()
        except BaseException as error:  # noqa: BLE001 - raised again in the main thread
            failed.append(error)
        warmed.set()

    threading.Thread(target=warm, daemon=True).start()
    while not warmed.wait(0.05):
        if stopped.is_set():
            return False
    if failed and not stopped.is_set():
        raise failed[0]
    return not stopped.is_set()


@contextmanager
def _delay_store(config: SidecarConfig) -> Iterator[DelayStore]:
    given = config.delays
    if given.redis is not None:
        with closing(
            RedisDelays(given.redis, given.prefix, given.minimum_confidence, time.monotonic)
        ) as store:
            store.start()
            yield store
    elif given.file is not None:
        yield DelayFile(Path(given.file), time.time)
    else:
        yield NoDelays()


@contextmanager
def _zookeeper_stores(
    config: SidecarConfig,
) -> Iterator[tuple[MeasurementStore, RecordStore, SwitchStore, Learned]]:
    servers = config.zookeeper.servers
    if servers is None:
        yield NoMeasurements(), NoRecords(), NoSwitches(), Learned.nothing(time.time)
        return
    paths = Znodes(config.zookeeper.root)
    with (
        closing(ZookeeperMeasurements(servers, paths, time.time, time.monotonic)) as measurements,
        closing(ZookeeperRecords(servers, paths, time.time, time.monotonic)) as records,
        closing(ZookeeperSwitches(servers, paths, time.monotonic)) as switches,
        _learned(servers, paths) as learned,
    ):
        measurements.start()
        records.start()
        switches.start()
        yield measurements, records, switches, learned


@contextmanager
def _learned(servers: str, paths: Znodes) -> Iterator[Learned]:
    with ExitStack() as kept:

        def store(
            path: str, codec: RecordCodec[Record], nothing: Record
        ) -> ZookeeperKnowledge[Record]:
            knowledge = ZookeeperKnowledge(servers, path, codec, nothing, time.monotonic)
            knowledge.start()
            kept.callback(knowledge.close)
            return knowledge

        yield Learned(
            WaitTracker(store(paths.waits, wait_fit.CODEC, WaitRecord()), time.time),
            CrossingMemory(
                store(paths.crossings, crossing_costs.CODEC, CrossingCostRecord()), time.time
            ),
            WorkerStarts(store(paths.starts, worker_starts.CODEC, WorkerStartRecord())),
        )


def _delays(config: SidecarConfig) -> str:
    given = config.delays
    if given.redis is not None:
        return f"delays from {server_of(given.redis)}, prefix {given.prefix}"
    return f"delays from {given.file}" if given.file else "no delays configured"
