"""Requests without an answer, as gRPC's status."""

from collections.abc import Iterator
from contextlib import contextmanager

import grpc
from eyewall_contracts.operations import NEAREST

from eyewall_sidecar.rpc.encode import encodable
from eyewall_sidecar.service.lookup import (
    InvalidRequestError,
    ServiceError,
    UnavailableError,
    UnknownNameError,
)

LONGEST = 2000
"""Bytes of a sentence: gRPC drops trailing metadata beyond 8 KB, in which a byte may take three."""

_CODES = {
    UnknownNameError: grpc.StatusCode.NOT_FOUND,
    InvalidRequestError: grpc.StatusCode.INVALID_ARGUMENT,
    UnavailableError: grpc.StatusCode.FAILED_PRECONDITION,
}


@contextmanager
def answering(context: grpc.ServicerContext) -> Iterator[None]:
    """End the call with a status and a sentence if the request has no answer."""
    try:
        yield
    except ServiceError as error:
        if isinstance(error, UnknownNameError):
            # Metadata is ASCII, and a comma would make two names of one.
            nearest = [it for it in error.nearest if it.isascii() and it.isprintable()]
            joined = ",".join(it for it in nearest if "," not in it)
            context.set_trailing_metadata(((NEAREST, joined),))
        context.abort(_CODES[type(error)], _cut(str(error)))


def _cut(sentence: str) -> str:
    """Cut a sentence that repeats a very long name, or gRPC drops it."""
    sentence = encodable(sentence)
    encoded = sentence.encode()
    if len(encoded) <= LONGEST:
        return sentence
    return encoded[:LONGEST].decode(errors="ignore") + " …"
