"""Whether a supervisor host's container is ready for moves without a gap.

It is healthy without them, too: where the jar is missing it leaves out the plugin.
"""

from dataclasses import replace
from pathlib import Path

from eyewall_deploy.container import EXTLIB_DAEMON
from eyewall_deploy.storm.settings import OVERLAP_JAR

from image_check.compose import Service

_READY = """\
jar=$1 log=$2
shift 2
"$@" || exit
if ! grep -q "isolation plugin io.eyewall" "$log"; then
  echo "the supervisor has another plugin"
  exit 1
fi
java "-javaagent:$jar" -version
"""
"""The supervisor's log names its plugin. No worker is started here, but a JVM with the agent that
the plugin gives workers: without the jar it does not start."""
_JAR = EXTLIB_DAEMON / OVERLAP_JAR
_LOG = Path("/logs/supervisor.log")


def with_question(host: Service) -> Service:
    """Return a supervisor host whose health check asks for it, after all else."""
    return replace(host, health=health_command(host.health, _JAR, _LOG))


def health_command(health: tuple[str, ...], jar: Path, log: Path) -> tuple[str, ...]:
    """Return a health check's command with that question added.

    Parameters
    ----------
    jar
        Of the agent.
    log
        The supervisor's.
    """
    return ("sh", "-c", _READY, "-", str(jar), str(log), *health)
