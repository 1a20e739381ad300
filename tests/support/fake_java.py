"""Stands in for `java` where tests are about processes, not Storm: light daemons that start fast.

It reads the storm.yaml that the real daemon would, and serves just what readiness looks at. The
variable FAKE_FAULT makes one daemon misbehave: `nimbus:dies`, `nimbus:hangs`, or `nimbus:stays`
(it does not end when asked to).
"""

import os
import signal
import socketserver
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml

CONF = Path(os.environ["STORM_CONF_DIR"])
RUN = CONF.parent.parent
MAIN, *ARGUMENTS = sys.argv[sys.argv.index("-cp") + 2 :]
NAME = CONF.name


def zookeeper(_settings: dict[str, Any]) -> None:
    class Answer(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            self.request.recv(100)
            self.request.sendall(b"Mode: standalone\n")

    socketserver.TCPServer.allow_reuse_address = True
    socketserver.TCPServer(("0.0.0.0", int(ARGUMENTS[0])), Answer).serve_forever()


def nimbus(settings: dict[str, Any]) -> None:
    warnings.simplefilter("ignore")
    from streamparse.thrift import ClusterSummary, Nimbus, NimbusSummary, SupervisorSummary
    from thriftpy2.protocol import TBinaryProtocolFactory
    from thriftpy2.rpc import make_server
    from thriftpy2.transport import TFramedTransportFactory

    class Handler:
        def getClusterInfo(self) -> ClusterSummary:  # noqa: N802
            leader = NimbusSummary("control", 6627, 1, isLeader=True, version="2.8.3")
            registered = sorted(RUN.glob("data/supervisor-*/registered"))
            known = []
            for file in registered:
                host = file.parent.name.removeprefix("supervisor-")
                uptime = int(time.time() - file.stat().st_mtime)
                known.append(SupervisorSummary(host, uptime, 2, 0, f"id-{host}"))
            return ClusterSummary(supervisors=known, topologies=[], nimbuses=[leader])

    make_server(
        Nimbus,
        Handler(),
        "0.0.0.0",
        settings["nimbus.thrift.port"],
        proto_factory=TBinaryProtocolFactory(),  # type: ignore[no-untyped-call]
        trans_factory=TFramedTransportFactory(),
    ).serve()


def supervisor(settings: dict[str, Any]) -> None:
    """Like Storm's: its worker is in a group of its own and outlives it."""
    subprocess.Popen(["sleep", "1000"], start_new_session=True)
    (RUN / "data" / NAME / "registered").touch()
    signal.pause()


signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
program, _, fault = os.environ.get("FAKE_FAULT", "").partition(":")
if program == NAME and fault == "dies":
    print("class io.example.Missing is nowhere", flush=True)
    sys.exit(13)
if program == NAME and fault == "hangs":
    time.sleep(1000)
if program == NAME and fault == "stays":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
daemons: dict[str, Callable[[dict[str, Any]], None]] = {
    "ZooKeeperServerMain": zookeeper,
    "Nimbus": nimbus,
    "Supervisor": supervisor,
}
file = CONF / "storm.yaml"
settings = yaml.safe_load(file.read_text()) if file.exists() else {}
daemons[MAIN.rpartition(".")[2]](settings)
