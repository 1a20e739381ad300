"""Generated stubs of the contract between Nimbus and the sidecar (see scheduler.proto)."""
