# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``Action`` messages to data-plane action calls and back (specification, "Action Specification")."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from finsy.proto import p4r

from .errors import invalid
from .pipeline import ActionSpec

Call = tuple[str, list[bytes]]
"""Name and parameters of an action, as the data plane takes them."""


def decode_action(what: str, allowed: Mapping[int, ActionSpec], action: p4r.Action) -> Call:
    """The data plane's call. Each parameter has to be given exactly once."""
    spec = allowed.get(action.action_id)
    if spec is None:
        raise invalid(f"{what} has no action with id {action.action_id}")
    given: dict[int, bytes] = {}
    for param in action.params:
        if param.param_id in given:
            raise invalid(f"action {spec.name!r}: parameter {param.param_id} is given twice")
        given[param.param_id] = param.value
    values = []
    for param_id, value_type in spec.params:
        if param_id not in given:
            raise invalid(f"{value_type.what} (id {param_id}) is missing")
        value = value_type.decode(given.pop(param_id))
        values.append(value.to_bytes((value_type.bits + 7) // 8, "big"))
    if given:
        raise invalid(f"action {spec.name!r} has no parameter with id {min(given)}")
    return spec.name, values


def encode_action(actions: Mapping[str, ActionSpec], name: str, values: Sequence[bytes]) -> p4r.Action | None:
    """Message of a call; None for an action that P4Info does not show."""
    spec = actions.get(name)
    if spec is None:
        return None
    message = p4r.Action(action_id=spec.id)
    for (param_id, value_type), value in zip(spec.params, values, strict=True):
        message.params.add(param_id=param_id, value=value_type.encode(int.from_bytes(value, "big")))
    return message
