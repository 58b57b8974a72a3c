# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The running program as the handlers need it: by name, with BMv2's handles."""

from __future__ import annotations

import hashlib
import heapq
import json
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeVar

from bm_runtime.standard import ttypes as t

from quench_switch.p4runtime.device_config import bmv2_json
from quench_switch.p4runtime.limits import PAGE

from .errors import table_error, unsupported

if TYPE_CHECKING:
    from quench_switch._native import ActionCall, Entry, Key, RealtimeSwitch
    from quench_switch.p4runtime.device import Device

    Group = tuple[int, list[tuple[int, int, int | None]], int]
    Place = tuple[tuple[Any, ...], int]
    """An entry's key and priority, which the data plane finds it by."""

Item = TypeVar("Item")

LISTS: Final = {
    t.BmResourceType.MATCH_TABLE: "tables",
    t.BmResourceType.ACTION_PROFILE: "action_profiles",
    t.BmResourceType.COUNTER: "counter_arrays",
    t.BmResourceType.METER: "meter_arrays",
    t.BmResourceType.REGISTER: "register_arrays",
    t.BmResourceType.LEARNING_LIST: "learn_lists",
}
"""The lists of the JSON, by the kind of their items."""
CELLS: Final = 1 << 16
"""Cells of an array that are set in one turn of a call."""
VERSION_BITS: Final = 24
"""BMv2's: of a handle, the lower bits are its slot, and those above count the handles that the slot had before."""


@dataclass(slots=True)
class Handles:
    """Numbers of one table's entries, as on BMv2: the smallest free slot is the next.

    No handle comes again until the table is cleared, so one whose entry is gone names no other entry.
    """

    places: dict[int, Place] = field(default_factory=dict)
    given: dict[int, list[bytes | None]] = field(default_factory=dict)
    """LPM values as clients gave them: the data plane keeps no bits past a prefix."""
    _numbers: dict[Place, int] = field(default_factory=dict)
    _free: list[int] = field(default_factory=list)
    _versions: dict[int, int] = field(default_factory=dict)
    """The number of handles that each freed slot had."""
    _looked_at: int = 0

    def of(self, place: Place) -> int:
        """The handle of an entry, a new one for an entry that has none."""
        number = self._numbers.get(place)
        if number is None:
            number = self._current(heapq.heappop(self._free) if self._free else len(self.places))
            self.places[number] = place
            self._numbers[place] = number
        return number

    def drop(self, number: int) -> None:
        """The entry is gone."""
        del self._numbers[self.places.pop(number)]
        self.given.pop(number, None)
        slot = _slot(number)
        self._versions[slot] = (number >> VERSION_BITS) + 1
        heapq.heappush(self._free, slot)

    def keep(self, numbers: Collection[int]) -> None:
        """Drop all others: P4Runtime may have deleted some."""
        for number in self.places.keys() - numbers:
            self.drop(number)

    def is_expired(self, number: int) -> bool:
        """Whether a later handle has the slot of one that is no entry's."""
        return self._current(_slot(number)) in self.places

    def clear(self, kept: Collection[int]) -> None:
        """Drop all others. As on BMv2 the free slots have their first handles again."""
        self.keep(kept)
        self._versions = {_slot(number): number >> VERSION_BITS for number in self.places}

    def in_turn(self) -> int | None:
        """The handle of each slot in its turn; None for a free slot."""
        self._looked_at = (self._looked_at + 1) % max(1, len(self.places) + len(self._free))
        number = self._current(self._looked_at)
        return number if number in self.places else None

    def _current(self, slot: int) -> int:
        return self._versions.get(slot, 0) << VERSION_BITS | slot


def _slot(number: int) -> int:
    return number & (1 << VERSION_BITS) - 1


def place_of(entry: Entry) -> Place:
    """The place of an entry that the data plane gave."""
    return _hashable(entry["key"]), entry["priority"]


def _hashable(key: Key) -> tuple[Any, ...]:
    return tuple(None if match is None else tuple(match) for match in key)


class Running:
    """The part of the running program that handlers share; all of it is new when the program is replaced."""

    def __init__(self, device: Device, switch: RealtimeSwitch) -> None:
        self.device = device
        self.switch = switch
        self._loaded: object = None
        self.generation = 0
        """Counts programs, for what else has to begin anew."""
        self.tables: dict[str, dict[str, Any]] = {}
        self.actions: dict[str, dict[str, Any]] = {}
        self.registers: dict[str, dict[str, Any]] = {}
        self.counters: dict[str, dict[str, Any]] = {}
        self.meters: dict[str, dict[str, Any]] = {}
        self.profiles: dict[str, dict[str, Any]] = {}
        self.value_sets: dict[str, dict[str, Any]] = {}
        self.next_numbers: dict[tuple[str, str], int] = {}
        """The next numbers of members and groups, by their kind and profile."""
        self._handles: dict[str, Handles] = {}
        self._md5: bytes | None = None
        self._identifiers: dict[tuple[int, str], int] | None = None

    def refresh(self) -> None:
        """See whether the program was replaced."""
        entities = self.device.running
        if entities is self._loaded:
            return
        self._loaded = entities
        self.generation += 1
        program = (self.switch.program() if entities is not None else None) or {}
        for kind in ("tables", "actions", "registers", "counters", "meters", "profiles", "value_sets"):
            setattr(self, kind, {item["name"]: item for item in program.get(kind, ())})
        self.next_numbers, self._handles = {}, {}
        self._md5 = self._identifiers = None

    def restart(self) -> None:
        """Run the program from its beginning, without entries."""
        if self.device.running is not None:
            self.device.restart()
            self.refresh()

    def table(self, name: str) -> dict[str, Any]:
        """A table of the program. Raises INVALID_TABLE_NAME."""
        table = self.tables.get(name)
        if table is None:
            raise table_error("INVALID_TABLE_NAME")
        return table

    def handles(self, table: str) -> Handles:
        """The handles of a table's entries. The entries that are there already have the first ones."""
        handles = self._handles.get(table)
        if handles is None:
            handles = self._handles[table] = Handles()
            for entry in self.entries(table):
                handles.of(place_of(entry))
        return handles

    # -- Turns of a long call -----------------------------------------------------------------------------

    @contextmanager
    def others_turn(self) -> Iterator[None]:
        """Give up the switch's lock while the block runs, so that others have their turn.

        Raises where the program was replaced meanwhile.
        """
        self.device.lock.release()
        try:
            yield
        finally:
            self.device.lock.acquire()
        if self.device.running is not self._loaded:
            raise unsupported("the program was replaced during the call")

    def pages(self, page: Callable[[int], tuple[list[Item], int | None]]) -> Iterator[Item]:
        """All that ``page`` gives from place 0 on. Others have their turn after each page."""
        items, place = page(0)
        yield from items
        while place is not None:
            with self.others_turn():
                pass
            items, place = page(place)
            yield from items

    def entries(self, table: str) -> Iterator[Entry]:
        """All entries of a table."""
        return self.pages(lambda place: self.switch.table_page(table, place, PAGE))

    def members(self, profile: str) -> Iterator[tuple[int, ActionCall]]:
        """All members of an action profile."""
        return self.pages(lambda place: self.switch.members_page(profile, place, PAGE))

    def groups(self, profile: str) -> Iterator[Group]:
        """All groups of an action profile."""
        return self.pages(lambda place: self.switch.groups_page(profile, place, PAGE))

    def multicast_groups(self) -> Iterator[tuple[int, list[tuple[int, int]]]]:
        """All multicast groups with their ports and egress_rids."""
        return self.pages(lambda place: self.switch.multicast_groups_page(place, PAGE))

    def cells(self, first: int, end: int, most: int = CELLS) -> Iterator[tuple[int, int]]:
        """The cells of an array in parts (first, number). Others have their turn after each part."""
        for start in range(first, end, most):
            if start > first:
                with self.others_turn():
                    pass
            yield start, min(most, end - start)

    def handle(self, table: str, entry: Entry) -> int:
        """The handle of an entry. With each, two others are looked at, and dropped if P4Runtime deleted their entries.

        So handles are at most four times as many as the entries that there were at once.
        """
        handles = self.handles(table)
        for _ in range(2):
            number = handles.in_turn()
            if number is not None and self.switch.table_get(table, *handles.places[number]) is None:
                handles.drop(number)
        return handles.of(place_of(entry))

    def config(self) -> str:
        """The JSON of the running program; an empty object if there is none."""
        entities = self.device.running
        if entities is None:
            return "{}"
        with self.others_turn():
            return bmv2_json(entities.pipeline.config.p4_device_config)

    def config_md5(self) -> bytes:
        """Its sum, by which clients see that two configurations are the same."""
        if self._md5 is None:
            config = self.config()
            with self.others_turn():
                found = hashlib.md5(config.encode(), usedforsecurity=False).digest()
            self._md5 = found
        return self._md5

    def identifier(self, kind: int, name: str) -> int | None:
        """The number of an object in the JSON, which is parsed once for a program."""
        if self._identifiers is None:
            config = self.config()
            with self.others_turn():
                found = _identifiers(json.loads(config))
            self._identifiers = found
        return self._identifiers.get((kind, name))


def _identifiers(document: dict[str, Any]) -> dict[tuple[int, str], int]:
    """The number of each object by its kind and name; the first one of a name."""
    found: dict[tuple[int, str], int] = {}
    for part in (document, *document.get("pipelines", ())):
        for kind, list_name in LISTS.items():
            for item in part.get(list_name, ()):
                found.setdefault((kind, item.get("name")), item["id"])
    return found
