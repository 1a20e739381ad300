"""Generated stubs of the sidecar's contracts (see scheduler.proto and operations.proto)."""
