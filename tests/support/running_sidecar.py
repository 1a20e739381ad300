"""A sidecar behind a real gRPC server, with a real client and the delay file that it reads."""

import json
import time
from pathlib import Path

import grpc
from eyewall_contracts.proto import scheduler_pb2 as pb
from eyewall_contracts.proto import scheduler_pb2_grpc as pb_grpc
from eyewall_sidecar.config import MoveLimits, ServiceSettings, SolverLimits
from eyewall_sidecar.rpc import RpcServer
from eyewall_sidecar.service.decision_log import DecisionLog
from eyewall_sidecar.service.planner import Planner, ServiceContext
from eyewall_sidecar.service.round import InputStores, SchedulingService
from eyewall_sidecar.service.solver_pool import SolverPool
from eyewall_sidecar.stores import DelayFile, NoRecords
from nimbus_messages import HOSTS
from storm_builders import IDLE_HOSTS


def write_delays(file: Path, **milliseconds: float) -> None:
    """2 ms within a site, 15, 25 and 40 ms between sites; `edge_cloud=200` changes one."""
    between = {"edge_fog": 15.0, "cloud_fog": 25.0, "cloud_edge": 40.0} | milliseconds

    def delay(a: str, b: str) -> float:
        sites = sorted((a.split("-")[0], b.split("-")[0]))
        inside = 0.0 if a == b else 0.002
        return inside if sites[0] == sites[1] else between["_".join(sites)] / 1000

    content = {
        "version": 1,
        "unit": "s",
        "kind": "one_way",
        "source": "test",
        "as_of": time.time(),
        "hosts": HOSTS,
        "delay": [[delay(a, b) for b in HOSTS] for a in HOSTS],
    }
    replacement = file.with_suffix(".new")
    replacement.write_text(json.dumps(content))
    replacement.replace(file)


class RunningSidecar:
    """A real server with a real client, and the delay file that it reads."""

    def __init__(self, solvers: SolverPool, delay_file: Path) -> None:
        self.delay_file = delay_file
        self.write_delays()
        service = SchedulingService(
            ServiceSettings(
                defaults=IDLE_HOSTS,
                solver=SolverLimits(first_placement_seconds=20),
                moves=MoveLimits(cool_down_seconds=0),
            ),
            InputStores(DelayFile(delay_file, time.time)),
            solvers,
            DecisionLog(NoRecords(), "5f1c1a0e", time.time),
            time.monotonic,
        )
        planner = Planner(ServiceContext(service, solvers), lambda: "5f1c1a0e")
        self.server = RpcServer(planner, "127.0.0.1:0")
        self.server.start()
        self.channel = grpc.insecure_channel(f"127.0.0.1:{self.server.port}")
        self.stub = pb_grpc.SchedulerStub(self.channel)  # type: ignore[no-untyped-call]

    def write_delays(self, **milliseconds: float) -> None:
        """Write the delay file, see `write_delays`."""
        write_delays(self.delay_file, **milliseconds)

    def schedule(self, request: pb.ScheduleRequest) -> pb.ScheduleReply:
        reply: pb.ScheduleReply = self.stub.Schedule(request, timeout=60)
        return reply

    def close(self) -> None:
        self.channel.close()
        self.server.stop(0)
