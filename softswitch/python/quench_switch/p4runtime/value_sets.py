# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``ValueSetEntry``: the members of parser value sets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from quench_switch.messages import p4r

from .errors import Code, RequestError, not_found
from .matches import decode_key, encode_key
from .state import State, only_modify

if TYPE_CHECKING:
    from quench_switch._native import MatchField


class ValueSets:
    """Writes and reads of ``ValueSetEntry``."""

    def __init__(self, state: State) -> None:
        self._state = state

    def write(self, kind: int, entry: p4r.ValueSetEntry) -> None:
        """Replace all members of a set."""
        spec = self._state.pipeline.value_sets.get(entry.value_set_id)
        if spec is None:
            raise not_found(f"no value set has id {entry.value_set_id}")
        what = f"value set {spec.name!r}"
        only_modify(kind, what)
        if len(entry.members) > spec.size:
            raise RequestError(Code.RESOURCE_EXHAUSTED, f"{what}: {len(entry.members)} members, it holds {spec.size}")
        members = [decode_key(what, spec.fields, member.match) for member in entry.members]
        seen: set[tuple[MatchField, ...]] = set()
        for place, member in enumerate(members):
            if tuple(member) in seen:
                raise RequestError(Code.ALREADY_EXISTS, f"{what}: member {place + 1} is given twice")
            seen.add(tuple(member))
        self._state.changes.value_set_write(spec.name, members)

    def read(self, entry: p4r.ValueSetEntry) -> Iterator[p4r.Entity]:
        """The sets that the request selects."""
        sets = self._state.pipeline.value_sets
        if entry.value_set_id and entry.value_set_id not in sets:
            raise not_found(f"no value set has id {entry.value_set_id}")
        for set_id, spec in sets.items():
            if entry.value_set_id in (0, set_id):
                message = p4r.ValueSetEntry(value_set_id=set_id)
                for member in self._state.control.value_set_read(spec.name):
                    message.members.add(match=encode_key(spec.fields, member))
                yield p4r.Entity(value_set_entry=message)
