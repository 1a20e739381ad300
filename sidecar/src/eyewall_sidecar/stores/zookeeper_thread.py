"""A thread that works with ZooKeeper until it is closed: no round of Nimbus's waits for it."""

import logging
import threading
from collections.abc import Callable
from contextlib import closing

from eyewall_contracts.stores.zookeeper_session import TROUBLES, ZookeeperSession
from kazoo.client import KazooClient

PAUSE_SECONDS = 1.0
"""Between two turns, and between two attempts while something is wrong."""
STOP_SECONDS = 1.0
"""For ending: a ZooKeeper that hangs must not keep anyone from ending."""
NO_CONNECTION = "no connection"

Work = Callable[[KazooClient], None]

LOG = logging.getLogger("eyewall.zookeeper")


class ZookeeperThread:
    """Takes turns of work while ZooKeeper is there; what is wrong never ends it.

    Parameters
    ----------
    servers
        ZooKeeper's addresses.
    steady
        A clock that does not jump.
    work
        One turn; raises what is wrong.
    report
        Called after each turn with what was wrong in the turn before and what is now; empty:
        nothing.
    fails
        What the log says of an error that nobody expected: `switches cannot be read`.
    last
        One more turn after it was closed, as long as that takes no time.
    pause
        Seconds between two turns, unless it is woken or something is wrong.
    expected
        Exceptions of `work` beside ZooKeeper's that are no surprise.
    reads_only
        Whether a server that lost its quorum will do.
    """

    def __init__(
        self,
        servers: str,
        steady: Callable[[], float],
        work: Work,
        report: Callable[[str, str], None],
        fails: str,
        *,
        last: Work | None = None,
        pause: float = PAUSE_SECONDS,
        expected: tuple[type[Exception], ...] = (),
        reads_only: bool = False,
    ) -> None:
        self._servers = servers
        self._steady = steady
        self._work = work
        self._report = report
        self._fails = fails
        self._last = last
        self._pause = pause
        self._expected = (*expected, *TROUBLES)
        self._reads_only = reads_only
        self.wrong = ""
        self._stopped = threading.Event()
        self._wake = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    @property
    def stopped(self) -> bool:
        """Whether it was closed: long work should come to an end."""
        return self._stopped.is_set()

    def start(self) -> None:
        """Take the first turn soon."""
        self._thread.start()

    def wake(self) -> None:
        """Take a turn now, unless something is wrong."""
        self._wake.set()

    def close(self) -> None:
        """Take no more turns."""
        self._stopped.set()
        self._wake.set()
        if self._thread.ident is not None:
            self._thread.join(STOP_SECONDS)

    def _run(self) -> None:
        session = ZookeeperSession(self._servers, self._steady, reads_only=self._reads_only)
        with closing(session):
            while not self._stopped.is_set():
                client = session.client()
                self._end_turn(
                    NO_CONNECTION if client is None else self._attempt(self._work, client)
                )
                if self.wrong:
                    self._stopped.wait(PAUSE_SECONDS)
                else:
                    self._wake.wait(self._pause)
                    self._wake.clear()
            client = session.client()
            if self._last is not None and client is not None:
                self._end_turn(self._attempt(self._last, client))

    def _attempt(self, work: Work, client: KazooClient) -> str:
        """Return what is wrong, or nothing."""
        try:
            work(client)
        except self._expected as error:
            return str(error) or type(error).__name__
        # The edge of this thread: a surprise must not end it unnoticed.
        except Exception as error:
            wrong = f"{type(error).__name__}: {error}"
            if wrong != self.wrong:
                LOG.exception("%s", self._fails)
            return wrong
        return ""

    def _end_turn(self, wrong: str) -> None:
        before, self.wrong = self.wrong, wrong
        self._report(before, wrong)
