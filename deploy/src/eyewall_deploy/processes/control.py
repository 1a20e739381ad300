"""Commands to supervisord: XML-RPC over its unix socket."""

from __future__ import annotations

import socket
import xmlrpc.client
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from typing import TYPE_CHECKING, Any, cast

from eyewall_deploy.failure import Failure

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

_ANSWER_SECONDS = 30.0
_NOT_RUNNING = 70
_ALREADY_STARTED = 60
_BAD_NAME = 10
_SHUTDOWN_STATE = 6


class SupervisordGoneError(Exception):
    """No supervisord answers, or it is ending."""


@dataclass(frozen=True, slots=True)
class ProgramState:
    """What supervisord knows of a program.

    Parameters
    ----------
    state
        STOPPED, STARTING, RUNNING, BACKOFF, STOPPING, EXITED or FATAL.
    pid
        0 unless it runs; counted inside the cluster's own process namespace, if it has one.
    uptime
        Seconds.
    """

    name: str
    state: str
    pid: int
    uptime: float


class Control:
    """Starts, stops and lists the programs of one running cluster.

    Each method but `answers` raises SupervisordGoneError when the cluster has ended or is ending.
    """

    def __init__(self, socket_path: Path) -> None:
        self._server = xmlrpc.client.ServerProxy(
            "http://localhost/RPC2", transport=_UnixTransport(str(socket_path))
        )

    def answers(self) -> bool:
        """Return whether supervisord answers."""
        try:
            self._call("getState")
        except SupervisordGoneError:
            return False
        return True

    def states(self) -> tuple[ProgramState, ...]:
        """Return all programs, in the order of their names."""
        programs = cast("list[dict[str, Any]]", self._call("getAllProcessInfo"))
        return tuple(sorted(map(_state, programs), key=lambda program: program.name))

    def state(self, name: str) -> ProgramState:
        """Return one program that is known to exist."""
        return _state(cast("dict[str, Any]", self._call("getProcessInfo", name)))

    def start(self, name: str) -> Failure | None:
        """Start a program and return at once; a running one is left alone."""
        return self._command("startProcess", name, option=False, harmless=_ALREADY_STARTED)

    def stop(self, name: str, *, wait: bool = True) -> Failure | None:
        """Stop a program, and wait for its end if asked; a stopped one is left alone."""
        return self._command("stopProcess", name, option=wait, harmless=_NOT_RUNNING)

    def kill(self, name: str) -> Failure | None:
        """End a program by SIGKILL; supervisord starts it again. A stopped one is left alone."""
        return self._command("signalProcess", name, option="KILL", harmless=_NOT_RUNNING)

    def stop_all_but(self, needed: Collection[str]) -> None:
        """Ask every program to stop but those that the others need for it; return at once."""
        for program in self.states():
            if program.pid and program.name not in needed:
                self._command("stopProcess", program.name, option=False, harmless=_NOT_RUNNING)

    def _command(
        self, method: str, name: str, *, option: bool | str, harmless: int
    ) -> Failure | None:
        """Have a method called; `option` is whether to wait for its end, or a signal."""
        try:
            self._call(method, name, option)
        except xmlrpc.client.Fault as fault:
            if fault.faultCode == harmless:
                return None
            if fault.faultCode == _BAD_NAME:
                names = ", ".join(program.name for program in self.states())
                return Failure(f"program {name}: there is none; programs are {names}")
            return Failure(f"program {name}: {fault.faultString}")
        return None

    def _call(self, method: str, *arguments: object) -> object:
        try:
            with self._server as server:  # closes the connection, not the proxy
                return getattr(server.supervisor, method)(*arguments)
        except (OSError, HTTPException, xmlrpc.client.ProtocolError) as error:
            raise SupervisordGoneError(str(error)) from error
        except xmlrpc.client.Fault as fault:
            if fault.faultCode == _SHUTDOWN_STATE:
                raise SupervisordGoneError(fault.faultString) from fault
            raise


def _state(info: dict[str, Any]) -> ProgramState:
    return ProgramState(
        name=info["name"],
        state=info["statename"],
        pid=info["pid"],
        uptime=float(info["now"] - info["start"]) if info["pid"] else 0.0,
    )


class _UnixConnection(HTTPConnection):
    def __init__(self, path: str) -> None:
        super().__init__("localhost", timeout=_ANSWER_SECONDS)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(_ANSWER_SECONDS)
        self.sock.connect(self._path)


class _UnixTransport(xmlrpc.client.Transport):
    def __init__(self, path: str) -> None:
        super().__init__()
        self._unix = _UnixConnection(path)

    def make_connection(
        self,
        host: tuple[str, dict[str, str]] | str,  # noqa: ARG002 - the socket is known
    ) -> HTTPConnection:
        return self._unix

    def close(self) -> None:
        self._unix.close()
