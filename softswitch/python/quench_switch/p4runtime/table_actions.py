# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``TableAction`` messages: actions, members, groups and one-shot sets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from finsy.proto import p4i, p4r
from google.protobuf import unknown_fields

from .actions import decode_action, encode_action
from .errors import denied, invalid, unimplemented
from .pipeline import ActionSpec, ProfileSpec, TableSpec
from .state import State
from .values import MAX_PORT, canonical, quoted

if TYPE_CHECKING:
    from quench_switch._native import TableAction

_Set: Final = p4r.ActionProfileActionSet
# The data plane keeps both enumerations of a one-shot set as one byte.
_MODE_SHIFT: Final = 4
_SEMANTICS_MASK: Final = 0xF


def decode_table_action(state: State, table: TableSpec, action: p4r.TableAction, is_default: bool) -> TableAction:
    """The data plane's action of an entry, checked against the table's implementation and action scopes."""
    given = action.WhichOneof("type")
    if given is None:
        raise invalid(f"{table}: the entry has no action")
    if given == "action":
        if table.profile_id and not is_default:
            raise invalid(f"{table} uses an action profile: give a member, a group or a one-shot set")
        check_scope(table, action.action.action_id, is_default)
        name, values = decode_action(str(table), table.actions, action.action)
        return ("action", name, values)
    if not table.profile_id:
        raise invalid(f"{table} has no action profile: give an action")
    if is_default:
        raise invalid(f"{table}: the default entry of a table with an action profile takes a plain action")
    profile = state.pipeline.profiles[table.profile_id]
    if given == "action_profile_member_id":
        return ("member", action.action_profile_member_id)
    if not profile.info.with_selector:
        raise invalid(f"action profile {profile.name!r} has no selector: give a member")
    if given == "action_profile_group_id":
        return ("group", action.action_profile_group_id)
    return _decode_oneshot(table, profile, action.action_profile_action_set)


def check_scope(table: TableSpec, action_id: int, is_default: bool) -> None:
    """PERMISSION_DENIED where the program allows an action only in the other kind of entry."""
    if action_id not in table.actions:
        return
    scope = table.scopes.get(action_id)
    if is_default and scope == p4i.ActionRef.TABLE_ONLY:
        raise denied(f"{table}: action {table.actions[action_id].name!r} is @tableonly")
    if not is_default and scope == p4i.ActionRef.DEFAULT_ONLY:
        raise denied(f"{table}: action {table.actions[action_id].name!r} is @defaultonly")


def by_members(profile: ProfileSpec, override: int = _Set.DEFAULT_SIZE_DETERMINED_BY_ACTION_SELECTOR) -> bool:
    """Whether a group's size is the number of its members, not the sum of their weights."""
    if override == _Set.DEFAULT_SIZE_DETERMINED_BY_ACTION_SELECTOR:
        return bool(profile.info.WhichOneof("selector_size_semantics") == "sum_of_members")
    return override == _Set.SUM_OF_MEMBERS


def check_weight(profile: ProfileSpec, weight: int, *, count_members: bool) -> int:
    """The weight for the data plane; P4Info may forbid weights, or bound them where a group's size is its members'."""
    info = profile.info
    if info.weights_disallowed:
        if weight:
            raise invalid(f"action profile {profile.name!r} takes no weights")
        return 1
    if weight <= 0:
        raise invalid(f"action profile {profile.name!r}: weight {weight} is not positive")
    limit = info.sum_of_members.max_member_weight
    if count_members and 0 < limit < weight:
        raise invalid(f"action profile {profile.name!r}: weight {weight} is above the maximum {limit}")
    return weight


def group_size(weights: list[int], *, count_members: bool) -> int:
    """Size of a group as its selector counts it."""
    return len(weights) if count_members else sum(weights)


def watch_port(member: p4r.ActionProfileGroup.Member | p4r.ActionProfileAction, what: str) -> int | None:
    """Port that a member's liveness depends on, if any."""
    kind = member.WhichOneof("watch_kind")
    if kind is None or (kind == "watch_port" and not member.watch_port):
        return None
    if kind == "watch":
        port, given = member.watch, str(member.watch)
    else:
        port, given = int.from_bytes(member.watch_port, "big"), quoted(member.watch_port)
    if not 0 <= port <= MAX_PORT:
        raise invalid(f"{what}: watch port {given} is not between 0 and {MAX_PORT}")
    return port


def _decode_oneshot(table: TableSpec, profile: ProfileSpec, action_set: p4r.ActionProfileActionSet) -> TableAction:
    if len(unknown_fields.UnknownFieldSet(action_set)):
        raise unimplemented(f"{table}: the one-shot set has fields newer than P4Runtime 1.4 (group_action?)")
    mode, semantics = action_set.action_selection_mode, action_set.size_semantics
    if mode not in _Set.ActionSelectionMode.values():
        raise invalid(f"{table}: {mode} is no ActionSelectionMode")
    if semantics not in _Set.SizeSemantics.values():
        raise invalid(f"{table}: {semantics} is no SizeSemantics")
    count_members = by_members(profile, semantics)
    members = []
    for item in action_set.action_profile_actions:
        check_scope(table, item.action.action_id, is_default=False)
        name, values = decode_action(str(table), table.actions, item.action)
        weight = check_weight(profile, item.weight, count_members=count_members)
        members.append((name, values, weight, watch_port(item, str(table))))
    limit = profile.info.max_group_size
    size = group_size([member[2] for member in members], count_members=count_members)
    if 0 < limit < size:
        raise invalid(f"{table}: the one-shot set has size {size}, the maximum is {limit}")
    return "oneshot", members, mode == _Set.RANDOM, mode << _MODE_SHIFT | semantics


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
