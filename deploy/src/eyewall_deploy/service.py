"""The frame of the programs that serve an emulated cluster: options, log, readiness, errors."""

from __future__ import annotations

import logging
from argparse import ArgumentParser
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable


def make_parser(name: str, description: str | None) -> ArgumentParser:
    """Return a parser that has the options of every service."""
    parser = ArgumentParser(prog=name, description=description)
    parser.add_argument("--ready-file", type=Path, help="created when the service is ready")
    return parser


def run_service(
    parser: ArgumentParser,
    serve: Callable[[Namespace, Callable[[], None]], None],
    *errors: type[Exception],
) -> int:
    """Run a service until it ends; return its exit code.

    Parameters
    ----------
    serve
        Gets the options, and a function to call once the service is ready.
    errors
        Exceptions, in addition to OSError and ValueError, that become one line in the log.
    """
    options = parser.parse_args()
    ready: Path | None = options.ready_file
    known: tuple[type[Exception], ...] = (OSError, ValueError, *errors)
    if ready is not None:
        ready.unlink(missing_ok=True)
    logging.basicConfig(format=f"{parser.prog}: %(message)s", level=logging.INFO)
    try:
        serve(options, lambda: None if ready is None else ready.touch())
    except known as error:
        logging.getLogger(parser.prog).error("%s", error)
        return 1
    return 0
