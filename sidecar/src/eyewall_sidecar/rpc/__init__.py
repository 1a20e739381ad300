"""The only place that knows protobuf and gRPC."""

from eyewall_sidecar.rpc.server import AddressError, Server

__all__ = ["AddressError", "Server"]
