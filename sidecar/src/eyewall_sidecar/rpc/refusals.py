"""Why a question is not answered, as gRPC says such things."""

from collections.abc import Iterator
from contextlib import contextmanager

import grpc

from eyewall_sidecar.service.names import (
    BadQuestionError,
    NotNowError,
    UnanswerableError,
    UnknownNameError,
)

NEAREST = "eyewall-nearest"
"""Trailing metadata of NOT_FOUND: the names that were perhaps meant, comma separated."""

_CODES = {
    UnknownNameError: grpc.StatusCode.NOT_FOUND,
    BadQuestionError: grpc.StatusCode.INVALID_ARGUMENT,
    NotNowError: grpc.StatusCode.FAILED_PRECONDITION,
}


@contextmanager
def worded(context: grpc.ServicerContext) -> Iterator[None]:
    """End the call with a status and a sentence if the question has no answer."""
    try:
        yield
    except UnanswerableError as error:
        if isinstance(error, UnknownNameError):
            # Metadata is ASCII, and a comma would make two names of one.
            nearest = [it for it in error.nearest if it.isascii() and it.isprintable()]
            joined = ",".join(it for it in nearest if "," not in it)
            context.set_trailing_metadata(((NEAREST, joined),))
        context.abort(_CODES[type(error)], str(error))
