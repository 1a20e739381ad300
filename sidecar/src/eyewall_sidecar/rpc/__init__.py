"""The only place that knows protobuf and gRPC."""

from eyewall_sidecar.rpc.server import AddressError, RpcServer

__all__ = ["AddressError", "RpcServer"]
