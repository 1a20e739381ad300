"""What streamparse calls before and after any submit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workload.settings import hints

if TYPE_CHECKING:
    from collections.abc import MutableMapping


def pre_submit(
    topology_name: str,
    env_name: str,  # noqa: ARG001 - streamparse's signature
    env_config: object,  # noqa: ARG001
    options: MutableMapping[str, Any],
) -> None:
    """Check the settings and derive Eyewall's hints from them; hints that are given stay."""
    del topology_name
    for key, value in hints(options).items():
        options.setdefault(key, value)
