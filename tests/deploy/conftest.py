"""Fixtures with a real emulated network; where that is not allowed, failures in CI."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from emulated_room import Room, end_room, start_room
from eyewall_deploy.state import NetworkEmulator
from eyewall_deploy.wan.emulator import check_namespaces

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="session")
def namespaces_allowed() -> None:
    """Without the rights a test that needs namespaces fails in CI, and is skipped elsewhere."""
    refusal = check_namespaces()
    if refusal is not None:
        if os.environ.get("CI") == "true":
            pytest.fail(refusal.reason)
        pytest.skip(refusal.reason)


@pytest.fixture(scope="module")
def room(namespaces_allowed: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Room]:
    """A room whose delays come from the user-space router, which works on every kernel."""
    started = start_room(tmp_path_factory.mktemp("room"), NetworkEmulator.ROUTER)
    yield started
    end_room(started)
