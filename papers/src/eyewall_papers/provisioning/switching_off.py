"""Which nodes a topology can do without: its problem file, priced for `eyewall provision`."""

import json
from collections.abc import Collection

from eyewall_sidecar.model.errors import listed

FEW = 3
"""As many names stand in one sentence."""
UNSIZED = "network cards and links are not looked at: no sizes of tuples were given"
UNCOUNTED = "slots and delays are not looked at: `eyewall plan` does"


def priced_to_switch_off(
    text: str, shared: Collection[str], tuple_bytes: float | None
) -> tuple[str, tuple[str, ...]]:
    """Return a problem file whose fewest nodes are the best, and what that takes for granted.

    Parameters
    ----------
    text
        A problem file that has no prices.
    shared
        Nodes that stay on in any case, since others run there: they cost nothing, all others 1.
    tuple_bytes
        Mean size of a tuple in bytes; None: not known, and then only CPU and memory count, which
        is right as long as nothing limits the nodes' cards and links.
    """
    file = json.loads(text)
    said = [UNCOUNTED]
    for node in file["nodes"]:
        node.pop("operators", None)
    if tuple_bytes is None:
        for stream in file["streams"]:
            stream.setdefault("tuple_bytes", 0)
        said.append(UNSIZED)
    if shared:
        for node in file["nodes"]:
            node["price"] = 0 if node["id"] in shared else 1
        names = listed(sorted(shared), FEW)
        said.append(f"on in any case, as other topologies run there: {names}")
    return json.dumps(file, ensure_ascii=False), tuple(said)
