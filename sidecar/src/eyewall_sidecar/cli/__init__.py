"""The operators' commands: they ask a running sidecar (operations.proto) and show its answers."""
