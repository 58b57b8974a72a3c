# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The ``Write`` RPC: each update on its own, or all of them together (specification, "Batch Atomicity")."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quench_switch.messages import p4r

from .errors import Code, RequestError, invalid
from .limits import ATOMIC_CELLS, WRITE_SLICE
from .updates import WriteUpdates, parse_write

if TYPE_CHECKING:
    from .arbitration import Arbitration
    from .device import Device


def apply_write(data: bytes, arbitration: Arbitration, device: Device) -> list[RequestError | None]:
    """The error of each update, on the thread that writes. Raises the error of the request as a whole."""
    request, updates = parse_write(data)
    arbitration.check_primary(request)
    device.entities()
    updates.decode()
    if request.atomicity == p4r.WriteRequest.CONTINUE_ON_ERROR:
        return _apply_each(request, updates, arbitration, device)
    if request.atomicity not in (p4r.WriteRequest.ROLLBACK_ON_ERROR, p4r.WriteRequest.DATAPLANE_ATOMIC):
        raise invalid(f"atomicity {request.atomicity} is not one of WriteRequest's")
    return _apply_all(request, updates, arbitration, device)


def _apply_each(
    request: p4r.WriteRequest, updates: WriteUpdates, arbitration: Arbitration, device: Device
) -> list[RequestError | None]:
    """Updates one after the other, each of which may fail on its own."""
    entities = device.entities()
    entities.begin(arbitration.access(request.role))
    results: list[RequestError | None] = [None] * len(updates)
    place = 0
    while place < len(updates):
        if place:
            try:
                arbitration.check_primary(request)
            except RequestError as error:
                # Another controller became the primary: this one may write no more updates.
                results[place:] = [error.bare()] * (len(updates) - place)
                break
        end = min(place + WRITE_SLICE, len(updates))
        while place < end:
            with device.lock:
                place, refused = entities.apply_some(updates, place, end)
            for failed, refusal in refused:
                results[failed] = refusal
    return results


def _apply_all(
    request: p4r.WriteRequest, updates: WriteUpdates, arbitration: Arbitration, device: Device
) -> list[RequestError | None]:
    """All updates or none: ABORTED for those that would have succeeded or were not tried.

    Only ``DATAPLANE_ATOMIC`` asks for all of them between two packets.
    """
    entities = device.entities()
    entities.begin(arbitration.access(request.role), ATOMIC_CELLS)
    in_parts = request.atomicity == p4r.WriteRequest.ROLLBACK_ON_ERROR
    refusal = entities.apply_together(updates, device.lock, in_parts=in_parts)
    if refusal is None:
        return [None] * len(updates)
    failed, error = refusal
    aborted = RequestError(Code.ABORTED, f"not applied: update {failed + 1} of the batch was refused")
    results: list[RequestError | None] = [aborted] * len(updates)
    results[failed] = error
    return results
