"""Reads the sidecar's status and plans every second."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from eyewall_contracts.operations import CONTRACT_VERSION

from eyewall_monitor.dashboard.errors import RequestError
from eyewall_monitor.dashboard.readers.reader import RepeatingThread
from eyewall_monitor.dashboard.snapshot import SidecarSnapshot
from eyewall_monitor.dashboard.views.plan import PENDING

if TYPE_CHECKING:
    from collections.abc import Callable

    from eyewall_contracts.proto import operations_pb2 as pb

    from eyewall_monitor.dashboard.sidecar_client import SidecarClient

EVERY_SECONDS: Final = 1.0
COMPLETE_SECONDS: Final = 10.0
"""Between two complete answers, which alone have the ages of links and rates."""
PLANS_SECONDS: Final = 5.0
"""Between two readings of the plans while none is pending: others make plans too."""


class _Reading(NamedTuple):
    """The last answers, and when they came by the steady clock."""

    snapshot: SidecarSnapshot
    answered_at: float = 0.0
    complete_at: float = 0.0


class SidecarReader:
    """Reads until it is closed.

    Parameters
    ----------
    steady
        A clock that does not jump.
    """

    def __init__(self, client: SidecarClient, steady: Callable[[], float]) -> None:
        self._client = client
        self._steady = steady
        self._last = _Reading(SidecarSnapshot(client.address))
        self._plans_at: float | None = None
        self._thread = RepeatingThread("the sidecar", self.poll, self._failed)
        self.start = self._thread.start
        self.close = self._thread.close
        self.wait_for_first = self._thread.wait_for_first

    def hurry(self) -> None:
        """Read now, including the plans: something has just changed."""
        self._plans_at = None
        self._thread.hurry()

    def read(self) -> SidecarSnapshot:
        """Return the last answers; never waits."""
        last, now = self._last, self._steady()
        known = last.snapshot

        def aged(age: float | None) -> float | None:
            return None if age is None else age + now - last.answered_at

        return replace(
            known,
            status_age=now - last.complete_at if known.status is not None else 0.0,
            age=aged(known.age),
            round_age=aged(known.round_age),
            switches_age=aged(known.switches_age),
            delays_age=aged(known.delays_age),
        )

    def poll(self) -> float:
        """Read once."""
        known = self._last.snapshot.status
        complete = self._steady() - self._last.complete_at >= COMPLETE_SECONDS
        revision = 0 if complete or known is None else known.revision
        try:
            self._take(self._client.status(revision))
            if self._plans_due():
                self._update(plans=tuple(self._client.plans().plans))
                self._plans_at = self._steady()
        except RequestError as error:
            self._failed(str(error))
        return EVERY_SECONDS

    def _take(self, answer: pb.Status) -> None:
        if answer.contract_version > CONTRACT_VERSION:
            self._failed(
                f"its contract version is {answer.contract_version}, the dashboard's "
                f"{CONTRACT_VERSION}: update the dashboard"
            )
            return
        known, complete_at, now = self._last.snapshot, self._last.complete_at, self._steady()
        status = known.status
        if answer.unchanged and (status is None or (answer.run and answer.run != status.run)):
            # Another run of the sidecar has reached the same revision.
            answer, now = self._client.status(0), self._steady()
        if not answer.unchanged:
            status, complete_at = answer, now
        snapshot = replace(
            known,
            status=status,
            age=0.0,
            round_age=answer.round_age if answer.HasField("round_age") else None,
            switches_age=answer.switches.age if answer.switches.HasField("age") else None,
            delays_age=answer.delays.age if answer.HasField("delays") else None,
            error="",
        )
        self._last = _Reading(snapshot, now, complete_at)

    def _plans_due(self) -> bool:
        known = self._last.snapshot
        if known.error:
            return False
        if self._plans_at is None or any(it.state in PENDING for it in known.plans):
            return True
        return self._steady() - self._plans_at >= PLANS_SECONDS

    def _failed(self, error: str) -> None:
        self._update(error=error)

    def _update(self, **changes: Any) -> None:
        self._last = self._last._replace(snapshot=replace(self._last.snapshot, **changes))
