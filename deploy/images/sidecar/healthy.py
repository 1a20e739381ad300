"""Exit code 0 if the sidecar at HOST:PORT says that it serves (gRPC's health service)."""

import sys

import grpc
from eyewall_contracts.channel import open_channel
from grpc_health.v1.health_pb2 import HealthCheckRequest, HealthCheckResponse
from grpc_health.v1.health_pb2_grpc import HealthStub

_SECONDS = 3.0

with open_channel(sys.argv[1]) as channel:
    try:
        answer = HealthStub(channel).Check(HealthCheckRequest(), timeout=_SECONDS)
    except grpc.RpcError as error:
        sys.exit(f"no answer from {sys.argv[1]}: {error.code().name}")
sys.exit(answer.status != HealthCheckResponse.SERVING)
