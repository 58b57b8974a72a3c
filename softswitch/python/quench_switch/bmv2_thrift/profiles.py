# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Action profiles, with and without a selector, and the tables that use them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count
from typing import TYPE_CHECKING, Any

from bm_runtime.standard import ttypes as t

from quench_switch.errors import DataPlaneError
from quench_switch.p4runtime.limits import PAGE

from .errors import table_error
from .running import Running
from .tables import Tables, shortest

if TYPE_CHECKING:
    from quench_switch._native import ActionCall

    from .running import Group


class Profiles:
    """The methods of action profiles and of indirect tables. A handle is P4Runtime's member or group id."""

    def __init__(self, running: Running, tables: Tables) -> None:
        self._running = running
        self._switch = running.switch
        self._tables = tables

    def _profile(self, name: str) -> dict[str, Any]:
        profile = self._running.profiles.get(name)
        if profile is None:
            raise table_error("INVALID_ACTION_PROFILE_NAME")
        return profile

    def _actions(self, profile: str) -> list[str]:
        return [
            name for table in self._running.tables.values() if table["profile"] == profile for name in table["actions"]
        ]

    def _insert(self, kind: str, profile: str, insert: Callable[[int], None]) -> int:
        """Insert under the next number that is free; P4Runtime may have taken some."""
        numbers = self._running.next_numbers
        for tried in count():
            number = numbers.get((kind, profile), 0)
            numbers[kind, profile] = number + 1
            try:
                insert(number)
            except DataPlaneError as error:
                if error.code != "already_exists":
                    self._free(kind, profile, number)
                    raise
                if tried % PAGE == PAGE - 1:
                    with self._running.others_turn():
                        pass
                continue
            return number
        raise AssertionError("there is always a further number")

    def _free(self, kind: str, profile: str, number: int) -> None:
        """The next member or group has a number of at most this."""
        numbers = self._running.next_numbers
        numbers[kind, profile] = min(number, numbers.get((kind, profile), 0))

    def _group(self, profile: str, number: int) -> Group:
        if not self._profile(profile)["selector"]:
            raise table_error("NO_ACTION_PROFILE_SELECTION")
        for group in self._running.groups(profile):
            if group[0] == number:
                return group
        raise table_error("INVALID_GRP_HANDLE")

    def _member(self, profile: str, number: int) -> t.BmMtActProfMember:
        self._profile(profile)
        for found, call in self._running.members(profile):
            if found == number:
                return _member_message(found, call)
        raise table_error("INVALID_MBR_HANDLE")

    # -- Members and groups -------------------------------------------------------------------------------

    def bm_mt_act_prof_add_member(self, _context: int, profile: str, action: str, data: Sequence[bytes]) -> int:
        """Add a member; returns its handle."""
        self._profile(profile)
        call = self._tables.call(self._actions(profile), action, data)
        return self._insert("member", profile, lambda number: self._switch.member_insert(profile, number, call))

    def bm_mt_act_prof_delete_member(self, _context: int, profile: str, member: int) -> None:
        """Delete a member that nothing uses."""
        self._member(profile, member)
        try:
            self._switch.member_delete(profile, member)
        except DataPlaneError as error:
            if error.code == "failed_precondition":
                raise table_error("MBR_STILL_USED") from error
            raise
        self._free("member", profile, member)

    def bm_mt_act_prof_modify_member(
        self, _context: int, profile: str, member: int, action: str, data: Sequence[bytes]
    ) -> None:
        """Give a member another action."""
        self._member(profile, member)
        self._switch.member_modify(profile, member, self._tables.call(self._actions(profile), action, data))

    def bm_mt_act_prof_create_group(self, _context: int, profile: str) -> int:
        """Make an empty group; returns its handle."""
        if not self._profile(profile)["selector"]:
            raise table_error("NO_ACTION_PROFILE_SELECTION")
        return self._insert("group", profile, lambda number: self._switch.group_insert(profile, number, []))

    def bm_mt_act_prof_delete_group(self, _context: int, profile: str, group: int) -> None:
        """Delete a group that no entry uses."""
        self._group(profile, group)
        try:
            self._switch.group_delete(profile, group)
        except DataPlaneError as error:
            if error.code == "failed_precondition":
                raise table_error("GRP_STILL_USED") from error
            raise
        self._free("group", profile, group)

    def bm_mt_act_prof_add_member_to_group(self, _context: int, profile: str, member: int, group: int) -> None:
        """Put a member into a group, with weight 1."""
        # The group last: nobody changes it between here and the change.
        self._member(profile, member)
        number, members, max_size = self._group(profile, group)
        if any(each[0] == member for each in members):
            raise table_error("MBR_ALREADY_IN_GRP")
        self._switch.group_modify(profile, number, [*members, (member, 1, None)], max_size)

    def bm_mt_act_prof_remove_member_from_group(self, _context: int, profile: str, member: int, group: int) -> None:
        """Take a member out of a group."""
        self._member(profile, member)
        number, members, max_size = self._group(profile, group)
        left = [each for each in members if each[0] != member]
        if len(left) == len(members):
            raise table_error("MBR_NOT_IN_GRP")
        self._switch.group_modify(profile, number, left, max_size)

    def bm_mt_act_prof_get_members(self, _context: int, profile: str) -> list[t.BmMtActProfMember]:
        """All members."""
        self._profile(profile)
        return [_member_message(number, call) for number, call in self._running.members(profile)]

    def bm_mt_act_prof_get_member(self, _context: int, profile: str, member: int) -> t.BmMtActProfMember:
        """One member."""
        return self._member(profile, member)

    def bm_mt_act_prof_get_groups(self, _context: int, profile: str) -> list[t.BmMtActProfGroup]:
        """All groups."""
        if not self._profile(profile)["selector"]:
            raise table_error("NO_ACTION_PROFILE_SELECTION")
        return [_group_message(group) for group in self._running.groups(profile)]

    def bm_mt_act_prof_get_group(self, _context: int, profile: str, group: int) -> t.BmMtActProfGroup:
        """One group."""
        return _group_message(self._group(profile, group))

    # -- Tables -------------------------------------------------------------------------------------------

    def _indirect(self, name: str, *, selector: bool = False) -> str:
        profile = self._running.table(name)["profile"]
        if profile is None or (selector and not self._profile(profile)["selector"]):
            raise table_error("WRONG_TABLE_TYPE")
        return str(profile)

    def bm_mt_indirect_add_entry(
        self, _context: int, name: str, match_key: Sequence[t.BmMatchParam], member: int, options: t.BmAddEntryOptions
    ) -> int:
        """Insert an entry that uses a member."""
        self._member(self._indirect(name), member)
        return self._tables.add(name, match_key, options, ("member", member))

    def bm_mt_indirect_modify_entry(self, _context: int, name: str, handle: int, member: int) -> None:
        """Let an entry use a member."""
        self._member(self._indirect(name), member)
        self._tables.replace(name, handle, ("member", member))

    def bm_mt_indirect_delete_entry(self, context: int, name: str, handle: int) -> None:
        """Delete an entry."""
        self._indirect(name)
        self._tables.bm_mt_delete_entry(context, name, handle)

    def bm_mt_indirect_set_entry_ttl(self, context: int, name: str, handle: int, timeout_ms: int) -> None:
        """Set an entry's idle timeout."""
        self._indirect(name)
        self._tables.bm_mt_set_entry_ttl(context, name, handle, timeout_ms)

    def bm_mt_indirect_set_default_member(self, _context: int, name: str, member: int) -> None:
        """Let packets without an entry use a member."""
        self._member(self._indirect(name), member)
        self._tables.set_default(name, ("member", member))

    def bm_mt_indirect_reset_default_entry(self, _context: int, name: str) -> None:
        """Go back to the program's default."""
        self._indirect(name)
        self._tables.set_default(name, None)

    def bm_mt_indirect_ws_add_entry(
        self, _context: int, name: str, match_key: Sequence[t.BmMatchParam], group: int, options: t.BmAddEntryOptions
    ) -> int:
        """Insert an entry that uses a group."""
        self._group(self._indirect(name, selector=True), group)
        return self._tables.add(name, match_key, options, ("group", group))

    def bm_mt_indirect_ws_modify_entry(self, _context: int, name: str, handle: int, group: int) -> None:
        """Let an entry use a group."""
        self._group(self._indirect(name, selector=True), group)
        self._tables.replace(name, handle, ("group", group))

    def bm_mt_indirect_ws_set_default_group(self, _context: int, name: str, group: int) -> None:
        """Let packets without an entry use a group."""
        self._group(self._indirect(name, selector=True), group)
        self._tables.set_default(name, ("group", group))


def _member_message(number: int, call: ActionCall) -> t.BmMtActProfMember:
    name, data = call
    return t.BmMtActProfMember(mbr_handle=number, action_name=name, action_data=shortest(data))


def _group_message(group: Group) -> t.BmMtActProfGroup:
    return t.BmMtActProfGroup(grp_handle=group[0], mbr_handles=[member[0] for member in group[1]])
