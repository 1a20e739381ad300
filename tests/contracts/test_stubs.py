"""The committed Python stubs are those that `make proto` generates."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

CONTRACTS = Path(__file__).parents[2] / "contracts"
COMMITTED = CONTRACTS / "src" / "eyewall_contracts" / "proto"


def test_the_committed_stubs_are_current(tmp_path: Path) -> None:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {"PATH": path, "PYTHON": sys.executable, "TARGET": str(tmp_path)}
    subprocess.run([CONTRACTS / "generate.sh"], env=environment, check=True)
    generated = {it.name: it.read_text() for it in (tmp_path / "eyewall_contracts/proto").iterdir()}
    assert generated, "nothing was generated"
    committed = {it.name: it.read_text() for it in COMMITTED.glob("*_pb2*")}
    assert generated == committed, "run `make proto`"
