"""The TypeScript types of the pages are generated from the API."""

from __future__ import annotations

import runpy
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[3] / "tools/api_types.py"


def test_the_committed_types_are_current() -> None:
    check = [sys.executable, str(SCRIPT), "--check"]
    done = subprocess.run(check, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout


def test_each_kind_of_schema_has_its_type() -> None:
    number_or_null = {"anyOf": [{"type": "number"}, {"type": "null"}]}
    host = {
        "description": "One host.",
        "required": ["name", "load"],
        "properties": {
            "name": {"type": "string"},
            "load": {**number_or_null, "description": "In cores."},
            "state": {"enum": ["up", "down"]},
            "tags": {"type": "array", "items": {"enum": ["a", "b"]}},
            "tasks": {"type": "array", "prefixItems": [{"type": "integer"}, {"type": "integer"}]},
            "peer": {"$ref": "#/components/schemas/Host"},
        },
    }
    declarations = runpy.run_path(str(SCRIPT))["declarations"]({"Host": host})
    assert declarations.split("\n\n", 1)[1] == (
        "/** One host. */\n"
        "export interface Host {\n"
        "  name: string;\n"
        "  /** In cores. */\n"
        "  load: number | null;\n"
        '  state?: "up" | "down";\n'
        '  tags?: ("a" | "b")[];\n'
        "  tasks?: [number, number];\n"
        "  peer?: Host;\n"
        "}\n"
    )
