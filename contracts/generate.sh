#!/bin/sh
# Regenerates the committed Python stubs from the .proto files: `make proto`.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
package=eyewall_contracts/proto
set --
for file in "$here"/proto/eyewall/scheduler/v1/*.proto; do
    set -- "$@" "$package/$(basename "$file")"
done
target=${TARGET:-$here/src}
"${PYTHON:-python}" -m grpc_tools.protoc \
    "-I$package=$here/proto/eyewall/scheduler/v1" \
    "--python_out=$target" "--grpc_python_out=$target" "--mypy_out=quiet:$target" \
    "$@"
