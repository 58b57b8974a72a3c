# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Rules of members and groups (specification, "ActionProfileMember & ActionProfileGroup")."""

from __future__ import annotations

from collections.abc import Collection

from finsy import GRPCStatusCode as Code
from finsy.proto import p4r

from .actions import judge_call, judge_scope, judge_watch, judge_weight, size_of
from .program import Profile
from .state import Group, State
from .tables import DELETE, INSERT, MODIFY, Effect, nothing
from .verdict import Verdict


def judge_member(state: State, kind: int, given: p4r.ActionProfileMember, verdict: Verdict) -> Effect:
    """One update of an ``ActionProfileMember``."""
    number = given.member_id
    profile = _find(state, given.action_profile_id, number, verdict)
    if profile is None:
        return nothing
    members = state.members[given.action_profile_id]
    _judge_existence(kind, number, members, verdict)
    if kind == DELETE:
        if state.is_used(given.action_profile_id, "member", number):
            verdict.refuse(Code.FAILED_PRECONDITION, "the member is in use")
        return lambda: members.__delitem__(number)
    if kind == INSERT and number not in members and 0 < profile.info.size <= len(members):
        verdict.refuse(Code.RESOURCE_EXHAUSTED, "the profile is full")
    if state.has_oneshots(given.action_profile_id):
        verdict.invalid("members beside one-shot sets")
    if not given.HasField("action"):
        verdict.invalid("the member has no action")
        return nothing
    for table in profile.tables:
        judge_scope(table, given.action.action_id, False, verdict)
    call = judge_call(profile.actions, given.action, verdict)
    return nothing if call is None else lambda: members.__setitem__(number, call)


def judge_group(state: State, kind: int, given: p4r.ActionProfileGroup, verdict: Verdict) -> Effect:
    """One update of an ``ActionProfileGroup``."""
    number = given.group_id
    profile = _find(state, given.action_profile_id, number, verdict)
    if profile is None:
        return nothing
    if not profile.info.with_selector:
        verdict.invalid("the profile has no selector")
    groups, members = state.groups[given.action_profile_id], state.members[given.action_profile_id]
    _judge_existence(kind, number, groups, verdict)
    if kind == DELETE:
        if state.is_used(given.action_profile_id, "group", number):
            verdict.refuse(Code.FAILED_PRECONDITION, "the group is in use")
        return lambda: groups.__delitem__(number)
    if state.has_oneshots(given.action_profile_id):
        verdict.invalid("groups beside one-shot sets")
    _judge_size(profile, given, groups.get(number) if kind == MODIFY else None, verdict)
    chosen = []
    for member in given.members:
        if member.member_id not in members:
            verdict.refuse(Code.NOT_FOUND, f"member {member.member_id}")
        judge_weight(profile, member.weight, verdict, profile.counts_members)
        chosen.append((member.member_id, member.weight, judge_watch(member, verdict)))
    if len({member for member, _, _ in chosen}) < len(chosen):
        verdict.invalid("a member is given twice")
    return lambda: groups.__setitem__(number, Group(tuple(chosen), given.max_size))


def _judge_size(profile: Profile, given: p4r.ActionProfileGroup, old: Group | None, verdict: Verdict) -> None:
    limit = profile.info.max_group_size
    if given.max_size < 0 or 0 < limit < given.max_size:
        verdict.invalid(f"max_size {given.max_size}")
    elif limit and not given.max_size:
        verdict.may_refuse(Code.INVALID_ARGUMENT, "Rules on Setting max_size: names no error for 0")
    if old is not None and old.max_size != given.max_size:
        verdict.invalid("max_size of a group never changes")
    size = size_of(profile, [max(member.weight, 0) for member in given.members], profile.counts_members)
    if 0 < (given.max_size or limit) < size:
        verdict.refuse(Code.RESOURCE_EXHAUSTED, f"size {size} is above the maximum")


def _find(state: State, profile_id: int, number: int, verdict: Verdict) -> Profile | None:
    profile = state.program.profiles.get(profile_id)
    if profile is None:
        verdict.refuse(Code.NOT_FOUND, f"profile {profile_id}")
    elif number == 0:
        verdict.invalid("ids start at 1")
    return profile


def _judge_existence(kind: int, number: int, known: Collection[int], verdict: Verdict) -> None:
    exists = number in known
    if kind == INSERT and exists:
        verdict.refuse(Code.ALREADY_EXISTS, f"id {number}")
    if kind != INSERT and not exists:
        verdict.refuse(Code.NOT_FOUND, f"id {number}")
