# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Errors of P4Runtime requests and how they travel in gRPC (specification, "Error Reporting Messages")."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from itertools import groupby
from typing import Final

from google.protobuf import any_pb2

from quench_switch.errors import DataPlaneError
from quench_switch.messages import p4r, rpc_code, rpc_status

from .limits import CODES_BYTES, ERROR_BYTES, STATUS_BYTES


class Code(IntEnum):
    """Canonical codes of ``google.rpc``."""

    OK = rpc_code.OK
    CANCELLED = rpc_code.CANCELLED
    UNKNOWN = rpc_code.UNKNOWN
    INVALID_ARGUMENT = rpc_code.INVALID_ARGUMENT
    DEADLINE_EXCEEDED = rpc_code.DEADLINE_EXCEEDED
    NOT_FOUND = rpc_code.NOT_FOUND
    ALREADY_EXISTS = rpc_code.ALREADY_EXISTS
    PERMISSION_DENIED = rpc_code.PERMISSION_DENIED
    RESOURCE_EXHAUSTED = rpc_code.RESOURCE_EXHAUSTED
    FAILED_PRECONDITION = rpc_code.FAILED_PRECONDITION
    ABORTED = rpc_code.ABORTED
    OUT_OF_RANGE = rpc_code.OUT_OF_RANGE
    UNIMPLEMENTED = rpc_code.UNIMPLEMENTED
    INTERNAL = rpc_code.INTERNAL
    UNAVAILABLE = rpc_code.UNAVAILABLE
    DATA_LOSS = rpc_code.DATA_LOSS
    UNAUTHENTICATED = rpc_code.UNAUTHENTICATED


_DATA_PLANE_CODES: Final = {
    "not_found": Code.NOT_FOUND,
    "already_exists": Code.ALREADY_EXISTS,
    "invalid_argument": Code.INVALID_ARGUMENT,
    "out_of_range": Code.OUT_OF_RANGE,
    "resource_exhausted": Code.RESOURCE_EXHAUSTED,
    "failed_precondition": Code.FAILED_PRECONDITION,
    "permission_denied": Code.PERMISSION_DENIED,
    "unimplemented": Code.UNIMPLEMENTED,
}


def cut(message: str) -> str:
    """A message that quotes what a client sent, at a length that can be sent and logged."""
    text = message.encode("utf-8", "replace")
    if len(text) <= ERROR_BYTES:
        return message
    return text[: ERROR_BYTES - len("...")].decode("utf-8", "ignore") + "..."


class RequestError(Exception):
    """A request, or one update of it, that is refused. Nothing of it was applied."""

    def __init__(self, code: Code, message: str, details: bytes = b"") -> None:
        super().__init__(message)
        self.code = code
        self.message = cut(message)
        self.details = details
        """A serialized ``google.rpc.Status``, which gRPC carries beside the message."""

    def bare(self) -> RequestError:
        """The same without its origin, which would keep the request in memory until the next collection of cycles."""
        self.__traceback__ = self.__context__ = self.__cause__ = None
        return self

    @classmethod
    def of_data_plane(cls, error: DataPlaneError) -> RequestError:
        """The same refusal in P4Runtime's terms."""
        return cls(_DATA_PLANE_CODES[error.code], error.message)


def invalid(message: str) -> RequestError:
    """INVALID_ARGUMENT: the request contradicts P4Info or itself."""
    return RequestError(Code.INVALID_ARGUMENT, message)


def out_of_range(message: str) -> RequestError:
    """OUT_OF_RANGE: a value does not fit its bits, an index its array."""
    return RequestError(Code.OUT_OF_RANGE, message)


def not_found(message: str) -> RequestError:
    """NOT_FOUND: the request names an object that does not exist."""
    return RequestError(Code.NOT_FOUND, message)


def denied(message: str) -> RequestError:
    """PERMISSION_DENIED: the program or the arbitration forbids it."""
    return RequestError(Code.PERMISSION_DENIED, message)


def exhausted(message: str) -> RequestError:
    """RESOURCE_EXHAUSTED: beyond one of the limits."""
    return RequestError(Code.RESOURCE_EXHAUSTED, message)


def unimplemented(message: str) -> RequestError:
    """UNIMPLEMENTED: legal P4Runtime that this target does not offer."""
    return RequestError(Code.UNIMPLEMENTED, message)


def batch_status(results: Sequence[RequestError | None]) -> rpc_status.Status:
    """The status of a Write in which at least one update failed: one ``p4.v1.Error`` per update, in order.

    It has to fit into gRPC's metadata. Messages are left out from where they do not fit on. Where even the codes do not
    fit, there are no details: the message says so, and has the codes as far as they fit, and the first error.
    """
    failed = [place for place, result in enumerate(results) if result is not None]
    first = results[failed[0]]
    assert first is not None
    status = rpc_status.Status(
        code=Code.UNKNOWN, message=f"Write failure: {len(failed)} of {len(results)} updates were refused."
    )
    codes = [_detail(result, with_message=False) for result in results]
    left_bytes = _room_bytes(status) - sum(_in_status_bytes(code) for code in codes)
    if left_bytes < 0:
        status.message = cut(
            f"{status.message} Their errors do not fit into gRPC's metadata: send fewer updates at a time. "
            f"The codes of updates: {_runs(results)}. "
            f"The first error is of update {failed[0]}, {first.code.name}: {first.message}"
        )
        return status
    for code, result in zip(codes, results, strict=True):
        whole = _detail(result, with_message=True)
        left_bytes -= _in_status_bytes(whole) - _in_status_bytes(code)
        status.details.append(whole if left_bytes >= 0 else code)
    return status


def _room_bytes(status: rpc_status.Status) -> int:
    """The bytes that are left for details: they travel in base64, beside the message, which the status repeats."""
    return (STATUS_BYTES - len(status.message)) // 4 * 3 - status.ByteSize()


def _runs(results: Sequence[RequestError | None]) -> str:
    """The code of each update, neighbours with the same one together; cut where there are too many."""
    text, place = "", 0
    for code, run in groupby(Code.OK if result is None else result.code for result in results):
        last = place + sum(1 for _ in run) - 1
        text += f"{', ' if text else ''}{place}{f' to {last}' if last > place else ''} {code.name}"
        place = last + 1
        if len(text) > CODES_BYTES:
            return text[:CODES_BYTES] + "..."
    return text


def _detail(result: RequestError | None, *, with_message: bool) -> any_pb2.Any:
    error = p4r.Error()
    if result is not None:
        error.canonical_code = result.code
        if with_message:
            error.message = result.message
    detail = any_pb2.Any()
    detail.Pack(error)
    return detail


def _in_status_bytes(detail: any_pb2.Any) -> int:
    """The size of a detail with its tag and length, in bytes."""
    return detail.ByteSize() + 4
