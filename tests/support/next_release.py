"""The next release of the contracts: one more field in each record, row and protobuf message.

It is a copy of the installed package with a field added to its source. A program that finds it
first on PYTHONPATH is of the next release; one that does not is of today's.
"""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import eyewall_contracts

if TYPE_CHECKING:
    from google.protobuf.message import Message

FIELD, VALUE = "colour", "blue"
NUMBER = 999
"""Of the field in messages."""

_LENGTH_DELIMITED = 2
_WRITER = f"""
def _coloured(message):
    for field, value in message.ListFields():
        entries = field.message_type
        if entries is not None and not entries.GetOptions().map_entry:
            for it in value if field.is_repeated else [value]:
                _coloured(it)
    message.{FIELD} = "{VALUE}"
    return message.SerializeToString()

"""
"""Added to the stubs: every message that is sent carries the field."""


def write_next_release(folder: Path) -> Path:
    """Write the package into `folder`; return what goes to the front of PYTHONPATH."""
    package = folder / eyewall_contracts.__name__
    source = Path(eyewall_contracts.__file__).parent
    shutil.copytree(source, package, ignore=shutil.ignore_patterns("__pycache__"))
    for file in package.rglob("*.py"):
        if file.parent.name != "proto":
            file.write_text(_with_grown_records(file.read_text()))
    _generate_stubs(source.parents[1] / "proto", folder)
    for file in package.glob("proto/*_pb2_grpc.py"):
        serialised = re.sub(r"[\w.]+\.SerializeToString\b", "_coloured", file.read_text())
        file.write_text(serialised.replace("import grpc\n", f"import grpc\n{_WRITER}", 1))
    return folder


def _with_grown_records(source: str) -> str:
    """Add the field at the end of each msgspec Struct."""
    lines = source.splitlines(keepends=True)
    structs = [
        it
        for it in ast.walk(ast.parse(source))
        if isinstance(it, ast.ClassDef) and any(ast.unparse(base) == "Struct" for base in it.bases)
    ]
    for it in sorted(structs, key=lambda it: it.lineno, reverse=True):
        lines.insert(it.end_lineno or 0, f'    {FIELD}: str = "{VALUE}"\n')
    return "".join(lines)


def _generate_stubs(protos: Path, folder: Path) -> None:
    package = "eyewall_contracts/proto"
    definitions = folder / "definitions"
    definitions.mkdir()
    for file in protos.rglob("*.proto"):
        message = rf"\1 string {FIELD} = {NUMBER}; "
        grown = re.sub(r"(?m)^(\s*message \w+ \{)", message, file.read_text())
        (definitions / file.name).write_text(grown)
    names = [f"{package}/{it.name}" for it in definitions.iterdir()]
    flags = [f"-I{package}={definitions}", f"--python_out={folder}", f"--grpc_python_out={folder}"]
    subprocess.run([sys.executable, "-m", "grpc_tools.protoc", *flags, *names], check=True)


def add_unknown_field(message: Message) -> None:
    """Let a message of today, and all in it, carry the field as the next release sends it."""
    for field, value in message.ListFields():
        kind = field.message_type
        if kind is not None and not kind.GetOptions().map_entry:
            for it in value if field.is_repeated else [value]:
                add_unknown_field(it)
    key = NUMBER << 3 | _LENGTH_DELIMITED
    text = VALUE.encode()
    message.MergeFromString(bytes([key & 0x7F | 0x80, key >> 7, len(text)]) + text)
