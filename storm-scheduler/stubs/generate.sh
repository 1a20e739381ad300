#!/bin/sh
# Regenerates the committed Python stubs from the contract: `make proto`.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
contract=$here/../src/main/proto/eyewall/scheduler/v1
"${PYTHON:-python}" -m grpc_tools.protoc \
    "-Ieyewall_proto=$contract" \
    "--python_out=$here/src" "--grpc_python_out=$here/src" "--mypy_out=quiet:$here/src" \
    eyewall_proto/scheduler.proto eyewall_proto/operations.proto
