"""Makes .venv with all distributions and what developing needs: by uv, or by pip without one.

    python3.11 tools/environment.py .venv contracts[rpc] sidecar … -- -r requirements-dev.txt

It runs before anything is installed, so it imports nothing but Python.
"""

import ast
import os
import subprocess
import sys
import venv
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

CONSTRAINTS = ("-c", "constraints.txt")
NOT_COMPRESSED = "[bdist_wheel]\ncompression = stored\n"
"""PySpark comes as sources only: 450 MB that would be compressed and at once unpacked again."""
SECTIONS = ("global", "install", ":env:")
"""Where pip looks for its settings, as it lists them; the last is the strongest."""
PIP_TO_UV = {
    "index-url": "UV_DEFAULT_INDEX",
    "extra-index-url": "UV_INDEX",
    "no-index": "UV_NO_INDEX",
    "trusted-host": "UV_INSECURE_HOST",
    "cert": "SSL_CERT_FILE",
    "timeout": "UV_HTTP_TIMEOUT",
    "default-timeout": "UV_HTTP_TIMEOUT",
    "proxy": "ALL_PROXY",
}
"""Settings of pip's, and the variable by which uv reads the same."""


def main() -> None:
    """Install the distributions named, editable, and what the options after `--` say."""
    folder, *rest = sys.argv[1:]
    at = rest.index("--")
    wanted = [word for it in rest[:at] for word in ("-e", it)] + rest[at + 1 :]
    python = Path(folder, "bin", "python")
    print("an empty environment", flush=True)
    venv.create(folder, with_pip=True, symlinks=True)
    with TemporaryDirectory() as scratch:
        config = Path(scratch, "setuptools.cfg")
        config.write_text(NOT_COMPRESSED, encoding="utf-8")
        sys.exit(install(python, wanted, os.environ | {"DIST_EXTRA_CONFIG": str(config)}))


def install(python: Path, wanted: Sequence[str], environment: Mapping[str, str]) -> int:
    """Install by uv, or by pip if there is no uv for this machine; returns the exit code."""
    pip = [str(python), "-m", "pip", "install", "--disable-pip-version-check"]
    print("uv", flush=True)
    has_uv = subprocess.run([*pip, "--quiet", *CONSTRAINTS, "uv"], check=False).returncode == 0
    if has_uv:
        uv = [str(python.with_name("uv")), "pip", "install", "--python", str(python)]
        settings = dict(environment) | uv_settings(parse_pip_settings(list_pip_settings(python)))
        if subprocess.run([*uv, *CONSTRAINTS, *wanted], env=settings, check=False).returncode == 0:
            return 0
    print("by pip, without uv", flush=True)
    return subprocess.run([*pip, *CONSTRAINTS, *wanted], env=environment, check=False).returncode


def list_pip_settings(python: Path) -> str:
    """What pip is configured with, by its files and by variables, as pip lists it."""
    command = [str(python), "-m", "pip", "config", "list"]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


def parse_pip_settings(listed: str) -> dict[str, str]:
    """Name → value, each from the strongest place that has it."""
    found: dict[str, tuple[int, str]] = {}
    for line in listed.splitlines():
        key, _, value = line.partition("=")
        section, _, name = key.rpartition(".")
        if section in SECTIONS:
            setting = (SECTIONS.index(section), str(ast.literal_eval(value)))
            found[name] = max(setting, found.get(name, setting))
    return {name: value for name, (_, value) in found.items()}


def uv_settings(pip: Mapping[str, str]) -> dict[str, str]:
    """Variables by which uv does what pip would, and trusts what this machine trusts.

    The strategy is pip's: it looks for a package in all indexes and takes the newest. Bytecode is
    compiled as by pip: without it `eyewall solve` takes 3.8 s of CPU instead of 1.5 wherever Python
    must not write it (PYTHONDONTWRITEBYTECODE).
    """
    settings = {
        "UV_SYSTEM_CERTS": "1",
        "UV_INDEX_STRATEGY": "unsafe-best-match",
        "UV_COMPILE_BYTECODE": "1",
    }
    for name, value in pip.items():
        if name == "find-links":  # pip passes over folders that are not there
            links = (it for it in value.split() if "://" in it or Path(it).exists())
            settings["UV_FIND_LINKS"] = ",".join(links)
        elif name in PIP_TO_UV:
            settings[PIP_TO_UV[name]] = " ".join(value.split())
    return {name: value for name, value in settings.items() if value}


if __name__ == "__main__":
    main()
