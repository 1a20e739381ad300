"""What the sidecar tells, asked every second beside all requests."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from eyewall_monitor.dashboard.known import SidecarKnown
from eyewall_monitor.dashboard.plan_view import ON_ITS_WAY
from eyewall_monitor.dashboard.readers.thread import RepeatingThread
from eyewall_monitor.dashboard.sidecar_client import CONTRACT_VERSION, SidecarError

if TYPE_CHECKING:
    from collections.abc import Callable

    from eyewall_contracts.proto import operations_pb2 as pb

    from eyewall_monitor.dashboard.sidecar_client import SidecarClient

EVERY_SECONDS: Final = 1.0
WHOLE_SECONDS: Final = 10.0
"""Between two times that all is told: ages of links and rates come with that alone."""
PLANS_SECONDS: Final = 5.0
"""Between two looks at the plans while none is on its way: others make plans too."""


@dataclass(frozen=True, slots=True)
class _Told:
    """The last answers, and when they came by the steady clock."""

    status: pb.Status | None = None
    whole_at: float = 0.0
    at: float | None = None
    round_age: float | None = None
    switches_age: float | None = None
    delays_age: float | None = None
    plans: tuple[pb.PlanSummary, ...] = ()
    wrong: str = "not asked yet"


class SidecarReader:
    """Asks until it is closed.

    Parameters
    ----------
    steady
        A clock that does not jump.
    """

    def __init__(self, client: SidecarClient, steady: Callable[[], float]) -> None:
        self._client = client
        self._steady = steady
        self._told = _Told()
        self._plans_at: float | None = None
        self._thread = RepeatingThread("the sidecar", self.look, self._failed)

    def start(self) -> None:
        """Begin to ask."""
        self._thread.start()

    def wait_for_first_look(self, seconds: float) -> None:
        """Return once it answered or failed to, or after `seconds`."""
        self._thread.wait_for_first_look(seconds)

    def close(self) -> None:
        """Ask no more."""
        self._thread.close()

    def hurry(self) -> None:
        """Ask now, for the plans too: something was just done."""
        self._plans_at = None
        self._thread.hurry()

    def read(self) -> SidecarKnown:
        """Return what it told last; never waits."""
        told, now = self._told, self._steady()
        since = 0.0 if told.at is None else now - told.at
        return SidecarKnown(
            address=self._client.address,
            status=told.status,
            told=now - told.whole_at if told.status is not None else 0.0,
            age=None if told.at is None else since,
            round_age=None if told.round_age is None else told.round_age + since,
            switches_age=None if told.switches_age is None else told.switches_age + since,
            delays_age=None if told.delays_age is None else told.delays_age + since,
            plans=told.plans,
            wrong=told.wrong,
        )

    def look(self) -> float:
        """Ask once."""
        last, now = self._told, self._steady()
        whole = last.status is None or now - last.whole_at >= WHOLE_SECONDS
        known = 0 if whole or last.status is None else last.status.revision
        try:
            told = self._taken(last, self._client.status(known))
            if self._plans_due(told):
                told = replace(told, plans=tuple(self._client.plans().plans))
                self._plans_at = self._steady()
        except SidecarError as error:
            self._failed(str(error))
            return EVERY_SECONDS
        self._told = told
        return EVERY_SECONDS

    def _taken(self, last: _Told, answer: pb.Status) -> _Told:
        now = self._steady()
        if answer.contract_version > CONTRACT_VERSION:
            wrong = (
                f"it speaks contract {answer.contract_version}, the dashboard "
                f"{CONTRACT_VERSION}: update the dashboard"
            )
            return replace(last, wrong=wrong)
        answered = replace(
            last,
            at=now,
            wrong="",
            round_age=answer.round_age if answer.HasField("round_age") else None,
            switches_age=answer.switches.age if answer.switches.HasField("age") else None,
            delays_age=answer.delays.age if answer.HasField("delays") else None,
        )
        if not answer.unchanged:
            return replace(answered, status=answer, whole_at=now)
        if last.status is None or (answer.run and answer.run != last.status.run):
            # Another life of the sidecar that happens to count the same revision.
            return self._taken(replace(last, status=None), self._client.status(0))
        return answered

    def _plans_due(self, told: _Told) -> bool:
        if told.wrong:
            return False
        if self._plans_at is None or any(it.state in ON_ITS_WAY for it in told.plans):
            return True
        return self._steady() - self._plans_at >= PLANS_SECONDS

    def _failed(self, said: str) -> None:
        self._told = replace(self._told, wrong=said)
