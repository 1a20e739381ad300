"""Whether a supervisor host's container is ready for moves without a gap.

It is healthy without them, too: where the jar is missing it leaves out the settings.
"""

from dataclasses import replace
from pathlib import Path

from image_check.compose import Service

_READY = """\
settings=$1 log=$2
shift 2
"$@" || exit
if ! grep -q "isolation plugin io.eyewall" "$log"; then
  echo "the supervisor has another plugin"
  exit 1
fi
java "$(grep -o -e "-javaagent:[^ ]*" "$settings")" -version
"""
"""The supervisor's log names its plugin. No worker is started here, but a JVM with the agent of
workers: without the jar it does not start."""
_SETTINGS = Path("/conf/storm.yaml")
_LOG = Path("/logs/supervisor.log")


def with_question(host: Service) -> Service:
    """Return a supervisor host whose health check asks for it, after all else."""
    return replace(host, health=health_command(host.health, _SETTINGS, _LOG))


def health_command(health: tuple[str, ...], settings: Path, log: Path) -> tuple[str, ...]:
    """Return a health check's command with that question added.

    Parameters
    ----------
    settings
        The host's storm.yaml.
    log
        The supervisor's.
    """
    return ("sh", "-c", _READY, "-", str(settings), str(log), *health)
