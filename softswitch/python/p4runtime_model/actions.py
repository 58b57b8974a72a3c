# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Rules of actions, one-shot sets and weights (specification, "Action Specification", "One Shot")."""

from __future__ import annotations

from collections.abc import Mapping

from finsy import GRPCStatusCode as Code
from finsy.proto import p4i, p4r
from google.protobuf import unknown_fields

from .program import Action, Call, Profile, Table
from .state import Choice, EntryAction, State
from .verdict import Verdict

MAX_PORT = 511
"""Largest port of v1model."""


def judge_call(allowed: Mapping[int, Action], given: p4r.Action, verdict: Verdict) -> Call | None:
    """The call of a message, None if it breaks a rule."""
    action = allowed.get(given.action_id)
    if action is None:
        verdict.invalid(f"action {given.action_id} is not allowed here")
        return None
    values: dict[int, int] = {}
    is_good = True
    for param in given.params:
        width = action.params.get(param.param_id)
        if width is None or param.param_id in values:
            verdict.invalid(f"parameter {param.param_id} of action {action.name!r} is unknown or given twice")
            is_good = False
            continue
        value = width.parse(param.value, f"parameter {param.param_id}", verdict)
        is_good = is_good and value is not None
        values[param.param_id] = value or 0
    if len(values) < len(action.params):
        verdict.invalid(f"action {action.name!r} needs {len(action.params)} parameters")
        return None
    return (action, tuple(sorted(values.items()))) if is_good else None


def judge_scope(table: Table, action_id: int, is_default: bool, verdict: Verdict) -> None:
    """PERMISSION_DENIED where the program allows an action only in the other kind of entry."""
    forbidden = p4i.ActionRef.TABLE_ONLY if is_default else p4i.ActionRef.DEFAULT_ONLY
    if action_id in table.actions and table.scope(action_id) == forbidden:
        verdict.refuse(Code.PERMISSION_DENIED, f"action {action_id} is not for this kind of entry")


def judge_watch(given: p4r.ActionProfileGroup.Member | p4r.ActionProfileAction, verdict: Verdict) -> int | None:
    """The port that liveness depends on."""
    kind = given.WhichOneof("watch_kind")
    if kind is None or (kind == "watch_port" and not given.watch_port):
        return None
    port = given.watch if kind == "watch" else int.from_bytes(given.watch_port, "big")
    if not 0 <= port <= MAX_PORT:
        verdict.invalid("the watch port does not exist")
        return None
    return port


def judge_weight(profile: Profile, weight: int, verdict: Verdict, counts_members: bool) -> None:
    """Weights are positive, bounded or forbidden, as P4Info says."""
    if profile.info.weights_disallowed:
        if weight:
            verdict.invalid("the profile takes no weights")
        return
    limit = profile.info.sum_of_members.max_member_weight if counts_members else 0
    if weight <= 0 or 0 < limit < weight:
        verdict.invalid(f"weight {weight}")


def size_of(profile: Profile, weights: list[int], counts_members: bool) -> int:
    """Size of a group, by the profile's semantics or those of a one-shot set."""
    if profile.info.weights_disallowed or counts_members:
        return len(weights)
    return sum(weights)


def judge_table_action(
    state: State, table: Table, given: p4r.TableAction, is_default: bool, verdict: Verdict
) -> EntryAction | None:
    """The action of an entry, None if it breaks a rule."""
    kind = given.WhichOneof("type")
    profile = state.program.profiles.get(table.info.implementation_id)
    if kind is None:
        verdict.invalid("no action is given")
        return None
    if kind == "action":
        if profile is not None and not is_default:
            verdict.invalid("the table takes members, groups or one-shot sets")
        judge_scope(table, given.action.action_id, is_default, verdict)
        call = judge_call(table.actions, given.action, verdict)
        return None if call is None else EntryAction(call=call)
    if profile is None:
        verdict.invalid("the table takes plain actions")
        return None
    if is_default:
        verdict.invalid("the default entry takes a plain action")
        return None
    profile_id = profile.info.preamble.id
    if kind == "action_profile_member_id":
        if given.action_profile_member_id not in state.members[profile_id]:
            verdict.refuse(Code.NOT_FOUND, f"member {given.action_profile_member_id}")
        if state.has_oneshots(profile_id):
            verdict.invalid("members beside one-shot sets")
        return EntryAction(member=given.action_profile_member_id)
    if not profile.info.with_selector:
        verdict.invalid("the profile has no selector")
        return None
    if kind == "action_profile_group_id":
        if given.action_profile_group_id not in state.groups[profile_id]:
            verdict.refuse(Code.NOT_FOUND, f"group {given.action_profile_group_id}")
        if state.has_oneshots(profile_id):
            verdict.invalid("groups beside one-shot sets")
        return EntryAction(group=given.action_profile_group_id)
    if state.members[profile_id] or state.groups[profile_id]:
        verdict.invalid("one-shot sets beside members or groups")
    return _judge_oneshot(table, profile, given.action_profile_action_set, verdict)


def _judge_oneshot(
    table: Table, profile: Profile, given: p4r.ActionProfileActionSet, verdict: Verdict
) -> EntryAction | None:
    if len(unknown_fields.UnknownFieldSet(given)):
        verdict.refuse(Code.UNIMPLEMENTED, "newer fields of a one-shot set")
    if given.action_selection_mode not in range(3) or given.size_semantics not in range(3):
        verdict.invalid("a selection mode or size semantics that is none")
    counts_members = profile.counts_members if not given.size_semantics else given.size_semantics == 2
    choices: list[Choice] = []
    weights = []
    for item in given.action_profile_actions:
        judge_scope(table, item.action.action_id, False, verdict)
        call = judge_call(table.actions, item.action, verdict)
        judge_weight(profile, item.weight, verdict, counts_members)
        weights.append(max(item.weight, 0))
        watch = judge_watch(item, verdict)
        if call is not None:
            choices.append((call, item.weight, watch))
    limit = profile.info.max_group_size
    if 0 < limit < size_of(profile, weights, counts_members):
        verdict.invalid("the one-shot set is too large")
    return EntryAction(oneshot=tuple(choices), mode=given.action_selection_mode, semantics=given.size_semantics)
