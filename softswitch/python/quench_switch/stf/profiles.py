# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Action profiles, their groups, and value sets: statements of Quench's own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from .names import StfError, action_call, match_field, number, resolve
from .statements import Action, AddMember

if TYPE_CHECKING:
    from quench_switch._native import Key, TableAction, VirtualSwitch

_REFERENCES: Final = ("member", "group")
"""The names that stand in place of an action in ``add`` to a table with an action profile: ``member(number:1)``."""


def _named(program: Mapping[str, Any], kind: str, name: str) -> Mapping[str, Any]:
    known = {item["name"]: item for item in program[f"{kind}s"]}
    found: Mapping[str, Any] = known[resolve(name, known, kind.replace("_", " "))]
    return found


def add_member(switch: VirtualSwitch, program: Mapping[str, Any], add: AddMember) -> None:
    """Insert a member with an action of one of the profile's tables. Raises StfError and DataPlaneError."""
    profile = _named(program, "profile", add.profile)["name"]
    allowed = {action for table in program["tables"] if table["profile"] == profile for action in table["actions"]}
    actions = {action["name"]: action for action in program["actions"]}
    switch.member_insert(profile, add.member, action_call(actions, sorted(allowed), add.action))


def add_group(switch: VirtualSwitch, program: Mapping[str, Any], args: Sequence[str]) -> None:
    """``PROFILE GROUP MEMBER...``: a group, or new members of one that is there. Raises StfError and DataPlaneError."""
    profile = _named(program, "profile", args[0])["name"]
    group, members = number(args[1]), [(number(arg), 1, None) for arg in args[2:]]
    if any(known == group for known, _, _ in switch.groups(profile)):
        switch.group_modify(profile, group, members)
    else:
        switch.group_insert(profile, group, members)


def reference(action: Action) -> TableAction:
    """The member or group that an entry of a table with a profile refers to. Raises StfError."""
    if action.name not in _REFERENCES or [name for name, _ in action.args] != ["number"]:
        raise StfError("the table has an action profile: its entries are member(number:N) or group(number:N)")
    value = number(action.args[0][1])
    return ("member", value) if action.name == "member" else ("group", value)


def add_to_value_set(switch: VirtualSwitch, program: Mapping[str, Any], args: Sequence[str]) -> None:
    """``VALUE_SET VALUE...``: one more member. Raises StfError and DataPlaneError."""
    value_set = _named(program, "value_set", args[0])
    widths = value_set["key_bits"]
    if len(args) - 1 != len(widths):
        raise StfError(f"value set {value_set['name']!r} has {len(widths)} fields, not {len(args) - 1}")
    key: Key = [
        match_field("range" if ".." in text else "ternary", bits, text, f"value {text!r}")
        for bits, text in zip(widths, args[1:], strict=True)
    ]
    switch.value_set_write(value_set["name"], [*switch.value_set_read(value_set["name"]), key])
