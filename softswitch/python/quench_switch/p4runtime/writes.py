# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The ``Write`` RPC: each update on its own, or all of them together (specification, "Batch Atomicity")."""

from __future__ import annotations

from typing import TYPE_CHECKING

from finsy.proto import p4r

from .errors import Code, RequestError, exhausted, invalid
from .limits import ATOMIC_CELLS, UPDATES, WRITE_SLICE

if TYPE_CHECKING:
    from .arbitration import Arbitration
    from .device import Device


def apply_write(request: p4r.WriteRequest, arbitration: Arbitration, device: Device) -> list[RequestError | None]:
    """The error of each update, on the thread that writes. Raises the error of the request as a whole."""
    arbitration.check_primary(request)
    device.entities()
    if len(request.updates) > UPDATES:
        raise exhausted(f"the request has {len(request.updates)} updates, the most is {UPDATES}")
    if request.atomicity == p4r.WriteRequest.CONTINUE_ON_ERROR:
        return _apply_each(request, arbitration, device)
    if request.atomicity not in (p4r.WriteRequest.ROLLBACK_ON_ERROR, p4r.WriteRequest.DATAPLANE_ATOMIC):
        raise invalid(f"atomicity {request.atomicity} is not one of WriteRequest's")
    return _apply_all(request, arbitration, device)


def _apply_each(request: p4r.WriteRequest, arbitration: Arbitration, device: Device) -> list[RequestError | None]:
    """Updates one after the other, each of which may fail on its own."""
    entities = device.entities()
    entities.begin(arbitration.access(request.role))
    results: list[RequestError | None] = []
    for place, update in enumerate(request.updates):
        if place % WRITE_SLICE == 0 and place:
            try:
                arbitration.check_primary(request)
            except RequestError as error:
                # Another controller became the primary: this one may write no more updates.
                return results + [error.bare()] * (len(request.updates) - place)
        with device.lock:
            results.append(entities.write(update))
    return results


def _apply_all(request: p4r.WriteRequest, arbitration: Arbitration, device: Device) -> list[RequestError | None]:
    """All updates between two packets, or none: ABORTED for those that would have succeeded or were not tried."""
    entities = device.entities()
    entities.begin(arbitration.access(request.role), ATOMIC_CELLS)
    refusal = entities.write_together(request.updates, device.lock)
    if refusal is None:
        return [None] * len(request.updates)
    failed, error = refusal
    aborted = RequestError(Code.ABORTED, f"not applied: update {failed + 1} of the batch was refused")
    results: list[RequestError | None] = [aborted] * len(request.updates)
    results[failed] = error
    return results
