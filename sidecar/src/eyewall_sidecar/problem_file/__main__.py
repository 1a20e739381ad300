"""Prints the JSON Schema of problem files, to be kept as problem.schema.json."""

import sys

from eyewall_sidecar.problem_file.schema import schema_text

sys.stdout.write(schema_text())
