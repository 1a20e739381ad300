"""Whether a port is free, and if not, whose it is."""

from __future__ import annotations

import errno
import socket

import psutil

from eyewall_deploy.failure import Failure


def check_port(address: str, port: int, purpose: str, option: str) -> Failure | None:
    """Say who has the port, and how to choose another; None if it is free.

    Parameters
    ----------
    address
        Which must be free; 0.0.0.0 for a server that takes all addresses.
    option
        The command's option that chooses another port.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as trial:
        trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            trial.bind((address, port))
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                advice = f"choose another with {option} PORT, or end that"
                return Failure(f"port {port} for {purpose} is taken{_by_whom(port)}; {advice}")
            return Failure(f"port {port} for {purpose}: {error.strerror}")
    return None


def _by_whom(port: int) -> str:
    try:
        owners = [
            psutil.Process(connection.pid)
            for connection in psutil.net_connections("tcp")
            if connection.status == psutil.CONN_LISTEN
            and connection.laddr
            and connection.laddr[1] == port
            and connection.pid is not None
        ]
        return f" by {owners[0].name()} (process {owners[0].pid})" if owners else ""
    except psutil.Error:
        return ""
