# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Messages of the data plane's actions, members, groups and one-shot sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from quench_switch.messages import p4r

from .pipeline import ActionSpec, ProfileSpec
from .values import canonical

if TYPE_CHECKING:
    from quench_switch._native import TableAction

_Set: Final = p4r.ActionProfileActionSet
# The data plane keeps both enumerations of a one-shot set as one byte.
_MODE_SHIFT: Final = 4
_SEMANTICS_MASK: Final = 0xF


def encode_action(actions: Mapping[str, ActionSpec], name: str, values: Sequence[bytes]) -> p4r.Action | None:
    """Message of a call; None for an action that P4Info does not show."""
    spec = actions.get(name)
    if spec is None:
        return None
    message = p4r.Action(action_id=spec.id)
    for (param_id, value_type), value in zip(spec.params, values, strict=True):
        message.params.add(param_id=param_id, value=value_type.encode(int.from_bytes(value, "big")))
    return message


def encode_table_action(
    actions: dict[str, ActionSpec], profile: ProfileSpec | None, action: TableAction | None
) -> p4r.TableAction | None:
    """Message of a data-plane action; None where P4Info does not show it."""
    if action is None:
        return None
    if action[0] == "action":
        call = encode_action(actions, action[1], action[2])
        return None if call is None else p4r.TableAction(action=call)
    if action[0] == "member":
        return p4r.TableAction(action_profile_member_id=action[1])
    if action[0] == "group":
        return p4r.TableAction(action_profile_group_id=action[1])
    no_weights = profile is not None and profile.info.weights_disallowed
    message = p4r.TableAction()
    action_set = message.action_profile_action_set
    action_set.SetInParent()
    action_set.action_selection_mode = _Set.ActionSelectionMode.values()[action[3] >> _MODE_SHIFT]
    action_set.size_semantics = _Set.SizeSemantics.values()[action[3] & _SEMANTICS_MASK]
    for name, values, weight, port in action[1]:
        call = encode_action(actions, name, values)
        item = action_set.action_profile_actions.add(action=call, weight=0 if no_weights else weight)
        if port is not None:
            item.watch_port = canonical(port)
    return message
