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

LONGEST = 2000
"""Bytes of a sentence: gRPC drops trailing metadata beyond 8 KB, in which a byte may take three."""

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
        context.abort(_CODES[type(error)], _cut(str(error)))


def _cut(sentence: str) -> str:
    """Cut a sentence that repeats a name of any length, or it reaches nobody."""
    encoded = sentence.encode()
    if len(encoded) <= LONGEST:
        return sentence
    return encoded[:LONGEST].decode(errors="ignore") + " …"
