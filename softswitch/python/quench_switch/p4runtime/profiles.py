# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``ActionProfileMember`` and ``ActionProfileGroup``."""

from __future__ import annotations

from collections.abc import Iterator

from quench_switch.messages import p4r

from .errors import invalid, not_found
from .limits import PAGE
from .pipeline import ProfileSpec
from .state import DELETE, INSERT, State, pages
from .updates import known
from .values import canonical


def _find(state: State, profile_id: int) -> ProfileSpec:
    profile = state.pipeline.profiles.get(profile_id)
    if profile is None:
        raise not_found(f"no action profile has id {profile_id}")
    return profile


def _selected(state: State, profile_id: int) -> list[ProfileSpec]:
    return list(state.pipeline.profiles.values()) if profile_id == 0 else [_find(state, profile_id)]


class Members:
    """Reads of ``ActionProfileMember``; ``Forms`` has the writes."""

    def __init__(self, state: State) -> None:
        self._state = state

    def read(self, entry: p4r.ActionProfileMember) -> Iterator[p4r.Entity | None]:
        """Members that the request selects; id 0 means all."""
        state = self._state
        for profile in _selected(state, entry.action_profile_id):
            place: int | None = 0
            while place is not None:
                found, place = state.forms.members(state.control, profile.id, entry.member_id, place, PAGE)
                yield from map(p4r.Entity.FromString, found)
                yield None


class Groups:
    """Writes and reads of ``ActionProfileGroup``."""

    def __init__(self, state: State) -> None:
        self._state = state

    def write(self, kind: int, entry: p4r.ActionProfileGroup) -> None:
        """Apply one update."""
        profile = _find(self._state, entry.action_profile_id)
        if not profile.info.with_selector:
            raise invalid(f"action profile {profile.name!r} has no selector, hence no groups")
        if entry.group_id == 0:
            raise invalid(f"action profile {profile.name!r}: group ids start at 1")
        if kind == DELETE:
            self._state.changes.group_delete(profile.name, entry.group_id)
            self._state.group_max_sizes.remove((profile.id, entry.group_id))
            return
        members = self._state.forms.group_members(known(entry))
        sizes = self._state.group_max_sizes
        if kind == INSERT:
            self._state.changes.group_insert(profile.name, entry.group_id, members)
            sizes.put((profile.id, entry.group_id), entry.max_size)
            return
        max_size = sizes.get((profile.id, entry.group_id))
        if max_size not in (None, entry.max_size):
            raise invalid(f"group {entry.group_id}: max_size is {max_size} since it was inserted, not {entry.max_size}")
        self._state.changes.group_modify(profile.name, entry.group_id, members)

    def read(self, entry: p4r.ActionProfileGroup) -> Iterator[p4r.Entity | None]:
        """Groups that the request selects; id 0 means all."""
        for profile in _selected(self._state, entry.action_profile_id):
            if not profile.info.with_selector:
                continue
            for found in pages(self._state.control.groups_page, profile.name):
                if found is None:
                    yield None
                    continue
                group_id, members, _ = found
                # Between two steps of a read, groups come and go.
                max_size = self._state.group_max_sizes.settled.get((profile.id, group_id))
                if entry.group_id in (0, group_id) and max_size is not None:
                    message = p4r.ActionProfileGroup(action_profile_id=profile.id, group_id=group_id, max_size=max_size)
                    for member_id, weight, port in members:
                        member = message.members.add(
                            member_id=member_id, weight=0 if profile.info.weights_disallowed else weight
                        )
                        if port is not None:
                            member.watch_port = canonical(port)
                    yield p4r.Entity(action_profile_group=message)
