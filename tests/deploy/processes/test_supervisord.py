from __future__ import annotations

from configparser import RawConfigParser
from pathlib import Path

from eyewall_deploy.processes.supervisord import Program, configuration, read_end
from eyewall_deploy.run_dir import RunDir

RUN = RunDir(Path("/a run/100%"))


def test_paths_and_arguments_reach_the_program_as_they_are() -> None:
    # supervisord reads % as the start of a variable and splits commands as a shell does.
    program = Program("p", ("/bin/echo", "a b", "50%"), environment={"NAME": "x,y%"})
    text = configuration([program], RUN)
    parsed = RawConfigParser()
    parsed.read_string(text)
    section = parsed["program:p"]
    assert section["command"] == "/bin/echo 'a b' 50%%"
    assert section["directory"] == "/a run/100%%"
    assert section["environment"] == 'NAME="x,y%%"'
    assert parsed["unix_http_server"]["file"] == "/a run/100%%/supervisor.sock"


def test_programs_start_on_demand_and_again_when_they_end() -> None:
    text = configuration([Program("p", ("true",))], RUN)
    assert "autostart=false" in text
    assert "autorestart=true" in text


def test_how_a_program_ended_is_read_from_supervisords_log(tmp_path: Path) -> None:
    log = tmp_path / "supervisord.log"
    log.write_text(
        "2026-01-01 INFO exited: nimbus (exit status 1; not expected)\n"
        "2026-01-01 INFO exited: nimbus-2 (exit status 99; not expected)\n"
        "2026-01-01 INFO exited: nimbus (terminated by SIGKILL; not expected)\n"
    )
    assert read_end(log, "nimbus") == "terminated by SIGKILL"
