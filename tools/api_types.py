"""Generate the TypeScript types of the dashboard's JSON API from its OpenAPI document.

    python tools/api_types.py           write dashboard/api.d.ts
    python tools/api_types.py --check   fail if the committed file is out of date

The pages' JavaScript is checked against these types (monitor/jsconfig.json).
"""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from eyewall_monitor.dashboard.config import DashboardConfig
from eyewall_monitor.dashboard.serve import Dashboard

FILE: Final = Path(__file__).parents[1] / "monitor/src/eyewall_monitor/dashboard/api.d.ts"
HEAD: Final = (
    "// Generated from the API's OpenAPI document by tools/api_types.py. Do not edit.\n"
    "// Types for the modules in static/; never served.\n"
)
PRIMITIVES: Final = {"string": "string", "boolean": "boolean", "null": "null"} | dict.fromkeys(
    ("integer", "number"), "number"
)


def declarations(schemas: Mapping[str, Any]) -> str:
    """Return one declaration for each schema, in the order of their names."""
    return HEAD + "".join(_declaration(name, schemas[name]) for name in sorted(schemas))


def _declaration(name: str, schema: Mapping[str, Any]) -> str:
    comment = _comment(schema, "")
    if "properties" not in schema:
        return f"\n{comment}export type {name} = {_type(schema)};\n"
    required = schema.get("required", ())
    fields = "".join(
        f"{_comment(field, '  ')}  {key}{'' if key in required else '?'}: {_type(field)};\n"
        for key, field in schema["properties"].items()
    )
    return f"\n{comment}export interface {name} {{\n{fields}}}\n"


def _comment(schema: Mapping[str, Any], indent: str) -> str:
    text = " ".join(schema.get("description", "").split())
    return f"{indent}/** {text} */\n" if text else ""


def _type(schema: Mapping[str, Any]) -> str:
    """Return the type of a value; ValueError for a kind of schema that no view uses yet."""
    if "$ref" in schema:
        return str(schema["$ref"].rpartition("/")[2])
    if "const" in schema:
        return f'"{schema["const"]}"'
    if "enum" in schema:
        return " | ".join(f'"{it}"' for it in schema["enum"])
    if "anyOf" in schema:
        return " | ".join(_type(it) for it in schema["anyOf"])
    if "prefixItems" in schema:
        return f"[{', '.join(_type(it) for it in schema['prefixItems'])}]"
    if schema.get("type") == "array":
        inner = _type(schema["items"])
        return f"({inner})[]" if " | " in inner else f"{inner}[]"
    if schema.get("type") in PRIMITIVES:
        return PRIMITIVES[schema["type"]]
    raise ValueError(f"{schema}: there is no rule for such a schema in {__file__}")


def main() -> int:
    """Write the file, or check it; return the exit code."""
    dashboard = Dashboard(DashboardConfig())
    try:
        wanted = declarations(dashboard.api.openapi()["components"]["schemas"])
    finally:
        dashboard.close()
    if "--check" in sys.argv[1:]:
        current = FILE.exists() and FILE.read_text(encoding="utf-8") == wanted
        if not current:
            print(f"{FILE} is out of date: run python {sys.argv[0]}")
        return 0 if current else 1
    FILE.write_text(wanted, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
