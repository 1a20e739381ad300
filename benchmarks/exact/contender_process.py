"""A process that runs contenders, and is ended with its children when one of them overruns."""

import multiprocessing
import os
import signal
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from types import TracebackType
from typing import Self

from benchmarks.exact.contenders import (
    Contender,
    ContenderRun,
    Question,
    policy,
    pulp_cbc,
    pulp_highs,
    time_contender,
)
from benchmarks.exact.engines import ENGINES
from benchmarks.exact.prototypes import prototypes

START = 900.0
"""Seconds that the first answer may take: code is compiled once after it was changed."""


class ContenderProcess:
    """Answers one question at a time; use as a context manager."""

    def __init__(self, directory: Path | None = None) -> None:
        """Start nothing yet; `directory` holds the prototypes."""
        self._directory = directory
        self._process: multiprocessing.process.BaseProcess | None = None
        self._connection: Connection | None = None

    def ask(self, contender: str, question: Question, patience: float) -> ContenderRun:
        """Return its answer, or a run with a remark if there is none within `patience` seconds."""
        connection = self._started()
        connection.send((contender, question))
        try:
            if connection.poll(patience):
                answer = connection.recv()
                assert isinstance(answer, ContenderRun)
                return answer
        except (EOFError, ConnectionError):
            self.end()
            return ContenderRun(0.0, remark="its process died")
        self.end()
        return ContenderRun(patience, remark=f"ended after {patience:.0f} s")

    def end(self) -> None:
        """End the process and its children, whatever they do."""
        if self._process is None or self._process.pid is None:
            return
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.join()
        self._process = self._connection = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.end()

    def _started(self) -> Connection:
        if self._connection is None:
            context = multiprocessing.get_context("spawn")
            self._connection, theirs = context.Pipe()
            self._process = context.Process(target=_serve, args=(theirs, self._directory))
            self._process.start()
            theirs.close()
            if not self._connection.poll(START):
                raise TimeoutError(f"no process for contenders within {START:.0f} s")
            self._connection.recv()
        return self._connection


def _serve(connection: Connection, directory: Path | None) -> None:
    os.setsid()
    contenders = ENGINES | {"PuLP+CBC": pulp_cbc, "PuLP+HiGHS": pulp_highs}
    if directory is not None:
        contenders["prototypes"] = prototypes(directory)
    connection.send("ready")
    with suppress(EOFError):
        while True:
            name, question = connection.recv()
            connection.send(_answer(contenders.get(name) or policy(name), question))


def _answer(contender: Contender, question: Question) -> ContenderRun:
    try:
        return time_contender(contender, question)
    except Exception as error:  # noqa: BLE001 (a contender that fails is a row of the table)
        return ContenderRun(0.0, remark=f"{type(error).__name__}: {error}", failed=True)
