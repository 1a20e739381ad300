"""Storm's id of a topology: NAME-NUMBER-SECONDS."""


def topology_name(topology: str) -> str:
    """Return the name in an id."""
    return topology.rsplit("-", 2)[0]
