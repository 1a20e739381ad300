"""Stand-ins for the base images that no package registry has: Debian roots laid out alike.

Python's is Debian 12 with its Python 3.11, Maven's the same with a JDK and Maven. Storm's has the
folders, the user and the JRE's place of the official image, and Storm's jars from Maven Central;
its `bin/storm` is a stand-in that starts the same classes, and it has no Storm UI.
"""

import shutil
import subprocess
from pathlib import Path

from eyewall_deploy.failure import Failure
from eyewall_deploy.storm.home import assemble_storm_home

SUITE = "bookworm"
MIRROR = "http://deb.debian.org/debian"
PACKAGES = {
    "python": ("ca-certificates", "python3", "python3-venv", "python3-pip"),
    "storm": ("openjdk-17-jre-headless", "gosu", "procps"),
    "maven": ("openjdk-17-jdk-headless", "maven"),
}
_FOLDERS = "bin conf extlib extlib-daemon lib-webapp lib-tools log4j2 public"
_STORM = """\
#!/bin/sh
# A stand-in for Storm's own command: the daemon that is asked for, on the same class path.
case "$1" in
  nimbus) class=org.apache.storm.daemon.nimbus.Nimbus ;;
  supervisor) class=org.apache.storm.daemon.supervisor.Supervisor ;;
  *) echo "storm $1: not in this stand-in" >&2; exit 2 ;;
esac
home=/apache-storm
exec /opt/java/openjdk/bin/java -server -Xmx256m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 \\
  -Djava.net.preferIPv4Stack=true -Ddaemon.name="$1" -Dstorm.home=$home -Dstorm.log.dir=/logs \\
  -Dlogfile.name="$1.log" -Dlog4j.configurationFile=$home/log4j2/cluster.xml \\
  -Djava.deserialization.disabled=true -Dstorm.options= -Dstorm.conf.file= \\
  -cp "/conf:$home/lib/*:$home/extlib/*:$home/extlib-daemon/*" $class
"""


def roots(folder: Path) -> dict[str, Path]:
    """Make the roots that are not in `folder` yet; each appears when it is complete."""
    folder.mkdir(parents=True, exist_ok=True)
    made = {name: folder / name for name in PACKAGES}
    if not made["python"].is_dir():
        partial = folder / ".python"
        include = ",".join(PACKAGES["python"])
        _run("debootstrap", "--variant=minbase", f"--include={include}", SUITE, partial, MIRROR)
        partial.rename(made["python"])
    for name in ("storm", "maven"):
        if not made[name].is_dir():
            partial = folder / f".{name}"
            _run("cp", "-a", "--reflink=auto", made["python"], partial)
            _install(partial, PACKAGES[name])
            if name == "storm":
                _lay_out_storm(partial)
            partial.rename(made[name])
    return made


def _install(root: Path, packages: tuple[str, ...]) -> None:
    shutil.copy("/etc/resolv.conf", root / "etc/resolv.conf")
    _run("mount", "-t", "proc", "proc", root / "proc")
    try:
        _run("chroot", root, "apt-get", "update", "-qq")
        quiet = ("env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "install", "-y", "-qq")
        _run("chroot", root, *quiet, "--no-install-recommends", *packages)
    finally:
        _run("umount", root / "proc")


def _lay_out_storm(root: Path) -> None:
    java = root / "opt/java/openjdk"
    java.parent.mkdir(parents=True, exist_ok=True)
    _run("chroot", root, "cp", "-rL", "/usr/lib/jvm/java-17-openjdk-amd64", "/opt/java/openjdk")
    home = assemble_storm_home(Path("~/.cache/eyewall").expanduser(), lambda _: None)
    if isinstance(home, Failure):
        raise SystemExit(str(home))
    target = root / "apache-storm"
    shutil.copytree(home.path, target)
    for name in _FOLDERS.split():
        (target / name).mkdir(exist_ok=True)
    logging = Path(__file__).parents[2] / "src/eyewall_deploy/storm"
    for name in ("cluster", "worker"):
        shutil.copy(logging / f"log4j2_{name}.xml", target / "log4j2" / f"{name}.xml")
    command = target / "bin/storm"
    command.write_text(_STORM, encoding="utf-8")
    command.chmod(0o755)
    _run("chroot", root, "groupadd", "-r", "storm", "--gid=1000")
    _run("chroot", root, "useradd", "-r", "-g", "storm", "--uid=1000", "storm")
    for name in ("conf", "data", "logs"):
        (root / name).mkdir()
        shutil.chown(root / name, 1000, 1000)
    _run("chroot", root, "chown", "-R", "storm:storm", "/apache-storm")


def _run(*command: str | Path) -> None:
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
