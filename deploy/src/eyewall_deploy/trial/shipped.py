"""The trials that come with this package."""

from __future__ import annotations

from importlib import resources


def shipped_trials() -> tuple[str, ...]:
    """Return their names."""
    folder = resources.files("eyewall_deploy") / "trials"
    return tuple(sorted(f.name[:-5] for f in folder.iterdir() if f.name.endswith(".toml")))
