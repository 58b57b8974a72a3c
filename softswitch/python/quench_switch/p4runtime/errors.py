# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Errors of P4Runtime requests and how they travel in gRPC (specification, "Error Reporting Messages")."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import grpc
from finsy import GRPCStatusCode
from finsy.proto import p4r, rpc_status
from google.protobuf import any_pb2

from quench_switch._native import DataPlaneError

DETAILS_KEY: Final = "grpc-status-details-bin"
"""Trailing metadata that holds a serialized ``google.rpc.Status``."""

Code = GRPCStatusCode
"""Canonical codes of ``google.rpc``."""

_GRPC_STATUS: Final = {Code.from_status_code(status): status for status in grpc.StatusCode}

_DATA_PLANE_CODES: Final = {
    "not_found": Code.NOT_FOUND,
    "already_exists": Code.ALREADY_EXISTS,
    "invalid_argument": Code.INVALID_ARGUMENT,
    "out_of_range": Code.OUT_OF_RANGE,
    "resource_exhausted": Code.RESOURCE_EXHAUSTED,
    "failed_precondition": Code.FAILED_PRECONDITION,
    "unimplemented": Code.UNIMPLEMENTED,
}


class RequestError(Exception):
    """A request, or one update of it, that is refused. Nothing of it was applied."""

    def __init__(self, code: Code, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message

    @property
    def status(self) -> grpc.StatusCode:
        """The code as gRPC's own enumeration."""
        return _GRPC_STATUS[self.code]

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
    """NOT_FOUND: what the request names does not exist."""
    return RequestError(Code.NOT_FOUND, message)


def denied(message: str) -> RequestError:
    """PERMISSION_DENIED: the program or the arbitration forbids it."""
    return RequestError(Code.PERMISSION_DENIED, message)


def unimplemented(message: str) -> RequestError:
    """UNIMPLEMENTED: legal P4Runtime that this target does not offer."""
    return RequestError(Code.UNIMPLEMENTED, message)


def batch_status(results: Sequence[RequestError | None]) -> rpc_status.Status:
    """The status of a Write in which at least one update failed: one ``p4.v1.Error`` per update, in order."""
    failed = sum(result is not None for result in results)
    status = rpc_status.Status(
        code=Code.UNKNOWN, message=f"Write failure: {failed} of {len(results)} updates were refused."
    )
    for result in results:
        error = p4r.Error()
        if result is not None:
            error.canonical_code = result.code
            error.message = result.message
        detail = any_pb2.Any()
        detail.Pack(error)
        status.details.append(detail)
    return status
