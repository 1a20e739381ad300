"""What a Storm home holds and how its jars make class paths. A home is only ever read."""

from dataclasses import dataclass
from pathlib import Path

from eyewall_deploy.failure import Failure


@dataclass(frozen=True, slots=True)
class StormHome:
    """A folder laid out like Storm's distribution.

    Parameters
    ----------
    path
        Holds `lib` (daemons) and `lib-worker` (workers), perhaps `extlib`, `lib-webapp`, `public`.
    version
        Storm's version, from the name of its server jar.
    """

    path: Path
    version: str

    @property
    def has_ui(self) -> bool:
        """Whether Storm UI can run: only full distributions have it."""
        return (self.path / "public").is_dir() and any(self.path.glob("lib-webapp/*.jar"))

    def daemon_class_path(self, conf: Path, extlib_daemon: Path) -> str:
        """Class path of Nimbus, a supervisor or Storm UI.

        `conf` and `extlib_daemon` lie outside the home, so that the home is never written.
        """
        folders = [
            str(conf),
            f"{self.path}/lib/*",
            f"{self.path}/extlib/*",
            f"{self.path}/extlib-daemon/*",
            f"{extlib_daemon}/*",
        ]
        if self.has_ui:
            folders.append(f"{self.path}/lib-webapp/*")
        return ":".join(folders)


def open_storm_home(path: Path) -> StormHome | Failure:
    """Look at a folder that is said to be a Storm home."""
    if not path.is_dir():
        return Failure(f"Storm home {path}: no such folder")
    servers = sorted(path.glob("lib/storm-server-*.jar"))
    missing = []
    if not servers:
        missing.append("lib/storm-server-VERSION.jar")
    if not any(path.glob("lib-worker/storm-client-*.jar")):
        missing.append("lib-worker/storm-client-VERSION.jar")
    if missing:
        return Failure(
            f"Storm home {path}: {' and '.join(missing)} missing; expected is the top folder of "
            "Storm's binary distribution, or leave --storm-home out to have one put together "
            "from Maven Central"
        )
    return StormHome(path.resolve(), servers[-1].stem.removeprefix("storm-server-"))
