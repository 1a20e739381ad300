"""A private room with an emulated network, which takes orders line by line.

    python room_program.py CLUSTER_FILE FOLDER KIND [--forward …]

Requests are JSON lines on stdin, answers JSON lines on stdout; the first answer says that the
room is ready. The process that is started waits for process 1 of the room, which dies with it.
"""

from __future__ import annotations

import hashlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

from eyewall_deploy.cluster_file import Cluster, load
from eyewall_deploy.host import linux
from eyewall_deploy.state import NetworkEmulator
from eyewall_deploy.state_file import write
from eyewall_deploy.wan import delay_file, link_file, policy_routing
from eyewall_deploy.wan.addresses import addresses, hosts_file
from eyewall_deploy.wan.emulator import build
from eyewall_deploy.wan.link_file import leased_hosts
from eyewall_deploy.wan.namespaces import enter_room, mount_room

ECHO_PORT = 7


class Room:
    """What can be asked for; each method's arguments are the request's."""

    def __init__(self, address_of: dict[str, str]) -> None:
        self._address_of = address_of
        self._open: tuple[socket.socket, socket.socket] | None = None

    def rtt(self, source: str, target: str, count: int) -> float:
        """Least round-trip time of so many small datagrams, seconds."""
        address = self._address_of[target], 9001
        echo = linux.in_network_namespace(target, lambda: _datagrams(address))
        probe = linux.in_network_namespace(source, _datagrams)
        answering = threading.Thread(target=_echo_datagrams, args=(echo, count))
        answering.start()
        times = []
        for number in range(count):
            started = time.perf_counter()
            probe.sendto(str(number).encode(), address)
            probe.recv(100)
            times.append(time.perf_counter() - started)
        probe.close()
        answering.join()  # it closes its socket last: the next request binds the same port
        return min(times)

    def transfer(self, source: str, target: str, size: int) -> list[str]:
        """Send so many bytes over TCP; checksums of what was sent and of what arrived."""
        address = self._address_of[target], 9002
        server = linux.in_network_namespace(target, lambda: socket.create_server(address))
        sender = linux.in_network_namespace(source, lambda: socket.create_connection(address))
        receiver, _ = server.accept()
        payload = os.urandom(size)
        thread = threading.Thread(target=_send, args=(sender, payload))
        thread.start()
        arrived = hashlib.sha256()
        while data := receiver.recv(1 << 20):
            arrived.update(data)
        thread.join()
        receiver.close()
        server.close()
        return [hashlib.sha256(payload).hexdigest(), arrived.hexdigest()]

    def connect(self, source: str, target: str, port: int) -> None:
        """Open a TCP connection that `exchange` uses, again and again."""
        address = self._address_of[target], port
        server = linux.in_network_namespace(target, lambda: socket.create_server(address))
        sender = linux.in_network_namespace(source, lambda: socket.create_connection(address))
        receiver, _ = server.accept()
        server.close()
        self._open = sender, receiver

    def exchange(self, size: int) -> float:
        """Send so many bytes over the open connection and a byte back; seconds that it took."""
        assert self._open is not None
        sender, receiver = self._open
        started = time.perf_counter()
        thread = threading.Thread(target=sender.sendall, args=(bytes(size),))
        thread.start()
        left = size
        while left:
            left -= len(receiver.recv(min(left, 1 << 20)))
        receiver.sendall(b"!")
        sender.recv(1)
        thread.join()
        return time.perf_counter() - started

    def rules(self, host: str) -> list[Any]:
        """The rules that marks have put into force on a host."""
        rules = linux.in_network_namespace(host, policy_routing.read_rules)
        return sorted([rule.to, rule.port, rule.side] for rule in rules)

    def serve_echo(self, host: str) -> None:
        """Answer each connection to this host's echo port with what it sends."""
        address = self._address_of[host], ECHO_PORT
        server = linux.in_network_namespace(host, lambda: socket.create_server(address))
        threading.Thread(target=_echo_streams, args=(server,), daemon=True).start()

    def enter(self, host: str, command: list[str], groups: list[str]) -> list[Any]:
        """Run a command on a host; its exit code and output."""
        enter = [sys.executable, "-m", "eyewall_deploy.host.enter", "--network-namespace", host]
        options = [part for group in groups for part in ("--cgroup", group)]
        run = subprocess.run(
            [*enter, *options, "--", *command], capture_output=True, text=True, check=False
        )
        return [run.returncode, run.stdout + run.stderr]

    def namespaces(self) -> dict[str, int]:
        """Inode of each named network namespace."""
        return {entry.name: entry.stat().st_ino for entry in linux.NAMED.iterdir()}


def _datagrams(address: tuple[str, int] = ("", 0)) -> socket.socket:
    made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    made.bind(address)
    made.settimeout(120)
    return made


def _echo_datagrams(echo: socket.socket, count: int) -> None:
    with echo:
        for _ in range(count):
            data, sender = echo.recvfrom(100)
            echo.sendto(data, sender)


def _send(sender: socket.socket, payload: bytes) -> None:
    with sender:
        sender.sendall(payload)


def _echo_streams(server: socket.socket) -> None:
    while True:
        connection, _ = server.accept()
        with connection:
            while data := connection.recv(65_536):
                connection.sendall(data)


def furnish(cluster_file: str, folder: Path, kind: NetworkEmulator, forwards: list[str]) -> Room:
    """Build the network and start its programs; return when they are ready."""
    linux.die_with_parent(signal.SIGKILL)
    cluster = load(cluster_file)
    table = delay_file.declared_delays(cluster, as_of=time.time())
    write(folder / "delays.json", table)
    address_of = addresses(table.hosts)
    names = hosts_file(address_of, Path("/etc/hosts").read_text(encoding="utf-8"))
    (folder / "hosts").write_text(names, encoding="utf-8")
    mount_room(folder / "hosts")
    build(kind, address_of, leased_hosts(cluster.dedicated))
    delays = ["--delay-file", str(folder / "delays.json")]
    programs = {str(kind): delays, "forwarder": forwards}
    if cluster.has_two_kinds:
        programs |= _two_kinds(cluster, folder, delays)
    for program, arguments in programs.items():
        ready = folder / f"{program}.ready"
        command = [sys.executable, "-m", f"eyewall_deploy.wan.{program}", *arguments]
        started = subprocess.Popen([*command, "--ready-file", str(ready)])
        while not ready.exists():
            if started.poll() is not None:
                raise SystemExit(f"{program} ended with {started.returncode}")
            time.sleep(0.02)
    return Room(address_of)


def _two_kinds(cluster: Cluster, folder: Path, delays: list[str]) -> dict[str, list[str]]:
    """The programs that such a network has, and their files."""
    write(folder / "links.json", link_file.declared_links(cluster, as_of=time.time()))
    link_file.write_marks(folder / "marks.json", [])
    files = ["--link-file", str(folder / "links.json"), "--mark-file", str(folder / "marks.json")]
    traffic = ["--traffic-file", str(folder / "traffic.json")]
    return {"router": [*delays, *files, *traffic], "policy_routing": files}


def main() -> None:
    cluster_file, folder, kind, *forwards = sys.argv[1:]
    enter_room()
    child = os.fork()
    if child:
        raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    room = furnish(cluster_file, Path(folder), NetworkEmulator(kind), forwards)
    print(json.dumps("ready"), flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        print(json.dumps(getattr(room, request.pop("do"))(**request)), flush=True)


if __name__ == "__main__":
    main()
