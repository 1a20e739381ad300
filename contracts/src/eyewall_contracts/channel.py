"""The gRPC channel to the sidecar: the one place where a client of ours in Python makes it."""

from typing import Final

import grpc

_OPTIONS: Final = (
    # A large cluster's status and problems exceed gRPC's default of 4 MiB.
    ("grpc.max_receive_message_length", -1),
    ("grpc.max_send_message_length", -1),
    # A sidecar is back within seconds after an upgrade; gRPC would wait up to two minutes.
    ("grpc.initial_reconnect_backoff_ms", 200),
    ("grpc.max_reconnect_backoff_ms", 2000),
    # In spite of its name: how long connecting may take, handshake included. A busy machine or a
    # long way needs more than the pause between two attempts.
    ("grpc.min_reconnect_backoff_ms", 5000),
    # The sidecar is on the cluster's own network, whatever http_proxy is set to.
    ("grpc.enable_http_proxy", 0),
)


def open_channel(address: str) -> grpc.Channel:
    """Return a channel to the sidecar at HOST:PORT; nothing is sent before the first call."""
    return grpc.insecure_channel(address, _OPTIONS)
