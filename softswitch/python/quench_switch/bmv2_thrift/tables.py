# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Tables: keys, actions, entries and their direct counters and meters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from bm_runtime.standard import ttypes as t
from thrift.protocol.TBinaryProtocol import TBinaryProtocol
from thrift.transport.TTransport import TMemoryBuffer

from .errors import table_error, unsupported
from .rates import from_rates, to_rates
from .running import Running, place_of

if TYPE_CHECKING:
    from quench_switch._native import ActionCall, Entry, Key, MatchField, TableAction

LAST_PRIORITY: Final = 2**31 - 1
"""In BMv2 the smaller number wins, in the data plane and P4Runtime the larger one.

BMv2's own P4Runtime server turns the numbers around at this one too.
"""
MAX_ENTRIES: Final = 1 << 16
"""The largest number of entries of a table that is read whole: all of them are in memory then."""
_KIND: Final = {
    t.BmMatchParamType.EXACT: ("exact",),
    t.BmMatchParamType.LPM: ("lpm",),
    t.BmMatchParamType.TERNARY: ("ternary", "optional"),
    t.BmMatchParamType.VALID: ("valid",),
    t.BmMatchParamType.RANGE: ("range",),
}
_PRIORITIES: Final = ("ternary", "range", "optional")


class Tables:
    """The methods ``bm_mt_*`` of tables whose entries have actions, and what all tables have."""

    def __init__(self, running: Running) -> None:
        self._running = running
        self._switch = running.switch

    # -- Keys and actions ---------------------------------------------------------------------------------

    def key(self, table: dict[str, Any], params: Sequence[t.BmMatchParam]) -> Key:
        """A key of the data plane. Raises BAD_MATCH_KEY."""
        fields = table["key"]
        if len(params) != len(fields):
            raise table_error("BAD_MATCH_KEY")
        return [_match(field, param) for field, param in zip(fields, params, strict=True)]

    def call(self, allowed: Sequence[str], name: str, data: Sequence[bytes]) -> ActionCall:
        """An action with its parameters. Raises INVALID_ACTION_NAME and BAD_ACTION_DATA."""
        action = self._running.actions.get(name)
        if action is None or name not in allowed:
            raise table_error("INVALID_ACTION_NAME")
        if len(data) != len(action["params"]):
            raise table_error("BAD_ACTION_DATA")
        return name, [bytes(value) for value in data]

    def priority(self, table: dict[str, Any], options: t.BmAddEntryOptions | None) -> int:
        """The data plane's priority of an entry."""
        if not any(field["match"] in _PRIORITIES for field in table["key"]):
            return 0
        given = options.priority if options is not None else None
        if given is None or not 0 <= given < LAST_PRIORITY:
            raise table_error("ERROR")
        return LAST_PRIORITY - int(given)

    def find(self, name: str, handle: int) -> Entry:
        """The entry with a handle. Raises INVALID_HANDLE."""
        handles = self._running.handles(name)
        place = handles.places.get(handle)
        if place is None:
            raise table_error("EXPIRED_HANDLE" if handles.is_expired(handle) else "INVALID_HANDLE")
        entry = self._switch.table_get(name, *place)
        if entry is None:
            # P4Runtime deleted it.
            handles.drop(handle)
            raise table_error("INVALID_HANDLE")
        return entry

    def changeable(self, name: str) -> dict[str, Any]:
        """A table whose entries may change. Raises IMMUTABLE_TABLE_ENTRIES."""
        table = self._running.table(name)
        if table["const_entries"]:
            raise table_error("IMMUTABLE_TABLE_ENTRIES")
        return table

    def add(self, name: str, params: Sequence[t.BmMatchParam], options: Any, action: TableAction) -> int:
        """Insert an entry; returns its handle."""
        table = self.changeable(name)
        key, priority = self.key(table, params), self.priority(table, options)
        # Before the entry is there: the program's own entries have the first handles.
        handles = self._running.handles(name)
        self._switch.table_insert(name, key, priority, action)
        entry = self._switch.table_get(name, key, priority)
        assert entry is not None
        handle = self._running.handle(name, entry)
        handles.given[handle] = [
            _bytes(field, _number(field, param.lpm.key)) if field["match"] == "lpm" else None
            for field, param in zip(table["key"], params, strict=True)
        ]
        return handle

    def replace(self, name: str, handle: int, action: TableAction) -> None:
        """Give an entry another action."""
        self.changeable(name)
        entry = self.find(name, handle)
        self._switch.table_modify(
            name, entry["key"], entry["priority"], action, entry["metadata"], entry["idle_timeout_ns"]
        )

    def set_default(self, name: str, action: TableAction | None) -> None:
        """Set the action of packets without an entry; None: the program's own, which a constant one is already."""
        if self._running.table(name)["const_default_action"] and action is not None:
            raise table_error("DEFAULT_ENTRY_IS_CONST")
        self._switch.table_set_default(name, action)

    # -- Methods ------------------------------------------------------------------------------------------

    def bm_mt_get_num_entries(self, _context: int, name: str) -> int:
        """Entries of a table."""
        self._running.table(name)
        return sum(1 for _ in self._running.entries(name))

    def bm_mt_clear_entries(self, _context: int, name: str, reset_default_entry: bool) -> None:
        """Delete all entries but constant ones."""
        self.changeable(name)
        handles, kept = self._running.handles(name), set()
        for entry in self._running.entries(name):
            if entry["is_const"]:
                kept.add(handles.of(place_of(entry)))
            else:
                self._switch.table_delete(name, entry["key"], entry["priority"])
        handles.clear(kept)
        if reset_default_entry:
            self.set_default(name, None)

    def bm_mt_add_entry(
        self,
        _context: int,
        name: str,
        match_key: Sequence[t.BmMatchParam],
        action_name: str,
        action_data: Sequence[bytes],
        options: t.BmAddEntryOptions,
    ) -> int:
        """Insert an entry."""
        table = self._direct(name)
        return self.add(name, match_key, options, ("action", *self.call(table["actions"], action_name, action_data)))

    def bm_mt_set_default_action(self, _context: int, name: str, action_name: str, data: Sequence[bytes]) -> None:
        """Set the default action."""
        table = self._direct(name)
        self.set_default(name, ("action", *self.call(table["actions"], action_name, data)))

    def bm_mt_reset_default_entry(self, _context: int, name: str) -> None:
        """Go back to the program's default action."""
        self.set_default(name, None)

    def bm_mt_delete_entry(self, _context: int, name: str, handle: int) -> None:
        """Delete an entry."""
        self.changeable(name)
        entry = self.find(name, handle)
        self._switch.table_delete(name, entry["key"], entry["priority"])
        self._running.handles(name).drop(handle)

    def bm_mt_modify_entry(
        self, _context: int, name: str, handle: int, action_name: str, action_data: Sequence[bytes]
    ) -> None:
        """Give an entry another action."""
        table = self._direct(name)
        self.replace(name, handle, ("action", *self.call(table["actions"], action_name, action_data)))

    def bm_mt_set_entry_ttl(self, _context: int, name: str, handle: int, timeout_ms: int) -> None:
        """Set an entry's idle timeout."""
        if not self._running.table(name)["support_timeout"]:
            raise table_error("AGEING_DISABLED")
        entry = self.find(name, handle)
        timeout_ns = max(timeout_ms, 0) * 1_000_000
        self._switch.table_modify(name, entry["key"], entry["priority"], entry["action"], entry["metadata"], timeout_ns)

    def bm_mt_get_entries(self, _context: int, name: str) -> list[_Written]:
        """All entries. As bytes they take a tenth of the memory."""
        table = self._running.table(name)
        handles = self._running.handles(name)
        found: dict[int, _Written] = {}
        for entry in self._running.entries(name):
            if len(found) == MAX_ENTRIES:
                raise unsupported(f"{name} has more than {MAX_ENTRIES} entries: read them by P4Runtime")
            handle = handles.of(place_of(entry))
            found[handle] = _Written.of(self._message(table, handle, entry))
        with self._running.others_turn():
            handles.keep(found.keys())
            return [found[handle] for handle in sorted(found)]

    def bm_mt_get_entry(self, _context: int, name: str, handle: int) -> t.BmMtEntry:
        """The entry with a handle."""
        return self._message(self._running.table(name), handle, self.find(name, handle))

    def bm_mt_get_default_entry(self, _context: int, name: str) -> t.BmActionEntry:
        """The default action."""
        self._running.table(name)
        return action_message(self._switch.table_default(name))

    def bm_mt_get_entry_from_key(
        self, _context: int, name: str, params: Sequence[t.BmMatchParam], options: t.BmAddEntryOptions
    ) -> t.BmMtEntry:
        """The entry with a key; the default entry for an empty key."""
        table = self._running.table(name)
        if not params:
            return t.BmMtEntry(
                match_key=[],
                options=t.BmAddEntryOptions(),
                entry_handle=0,
                action_entry=self.bm_mt_get_default_entry(0, name),
            )
        entry = self._switch.table_get(name, self.key(table, params), self.priority(table, options))
        if entry is None:
            raise table_error("BAD_MATCH_KEY")
        return self._message(table, self._running.handle(name, entry), entry)

    def bm_mt_read_counter(self, _context: int, name: str, handle: int) -> t.BmCounterValue:
        """The direct counter of an entry."""
        self._running.table(name)
        counter = self.find(name, handle)["counter"]
        if counter is None:
            raise table_error("COUNTERS_DISABLED")
        return t.BmCounterValue(packets=counter[0], bytes=counter[1])

    def bm_mt_write_counter(self, _context: int, name: str, handle: int, value: t.BmCounterValue) -> None:
        """Set the direct counter of an entry."""
        if not self._running.table(name)["direct_counter"]:
            raise table_error("COUNTERS_DISABLED")
        entry = self.find(name, handle)
        self._switch.direct_counter_write(name, entry["key"], entry["priority"], value.packets, value.bytes)

    def bm_mt_reset_counters(self, _context: int, name: str) -> None:
        """Set the direct counters of a table to 0."""
        if not self._running.table(name)["direct_counter"]:
            raise table_error("COUNTERS_DISABLED")
        for entry in self._running.entries(name):
            self._switch.direct_counter_write(name, entry["key"], entry["priority"], 0, 0)

    def bm_mt_set_meter_rates(self, _context: int, name: str, handle: int, rates: list[t.BmMeterRateConfig]) -> None:
        """Configure the direct meter of an entry."""
        if self._running.table(name)["direct_meter"] is None:
            raise table_error("METERS_DISABLED")
        entry = self.find(name, handle)
        self._switch.direct_meter_write(name, entry["key"], entry["priority"], to_rates(rates))

    def bm_mt_get_meter_rates(self, _context: int, name: str, handle: int) -> list[t.BmMeterRateConfig]:
        """The direct meter of an entry; nothing where it is not configured."""
        if self._running.table(name)["direct_meter"] is None:
            raise table_error("METERS_DISABLED")
        return from_rates(self.find(name, handle)["meter"])

    def _direct(self, name: str) -> dict[str, Any]:
        table = self._running.table(name)
        if table["profile"] is not None:
            raise table_error("WRONG_TABLE_TYPE")
        return table

    def _params(self, table: dict[str, Any], handle: int, entry: Entry) -> list[t.BmMatchParam]:
        """The match fields of an entry; as on BMv2, LPM values keep the bits past their prefix."""
        params = [_param(field, match) for field, match in zip(table["key"], entry["key"], strict=True)]
        given = self._running.handles(table["name"]).given.get(handle, [])
        for param, key in zip(params, given, strict=False):
            if param.lpm is not None and key is not None:
                param.lpm.key = key
        return params

    def _message(self, table: dict[str, Any], handle: int, entry: Entry) -> t.BmMtEntry:
        has_priority = any(field["match"] in _PRIORITIES for field in table["key"])
        life = None
        if table["support_timeout"]:
            since_ns = entry["since_hit_ns"] or 0
            life = t.BmMtEntryLife(
                timeout_ms=_milliseconds(entry["idle_timeout_ns"]), time_since_hit_ms=_milliseconds(since_ns)
            )
        return t.BmMtEntry(
            match_key=self._params(table, handle, entry),
            options=t.BmAddEntryOptions(priority=LAST_PRIORITY - entry["priority"] if has_priority else -1),
            entry_handle=handle,
            action_entry=action_message(entry["action"]),
            life=life,
        )


@dataclass(frozen=True, slots=True)
class _Written:
    """A message as its bytes, in the place of the message."""

    data: bytes

    @classmethod
    def of(cls, message: t.BmMtEntry) -> _Written:
        buffer = TMemoryBuffer()
        message.write(TBinaryProtocol(buffer))
        return cls(buffer.getvalue())

    def write(self, protocol: TBinaryProtocol) -> None:
        """Write the bytes, as a message of Thrift's writes itself."""
        protocol.trans.write(self.data)


def action_message(action: TableAction | None) -> t.BmActionEntry:
    """The action of an entry. One-shot sets of P4Runtime have no form in Thrift."""
    if action is None or action[0] == "oneshot":
        return t.BmActionEntry(action_type=t.BmActionEntryType.NONE)
    if action[0] == "member":
        return t.BmActionEntry(action_type=t.BmActionEntryType.MBR_HANDLE, mbr_handle=action[1])
    if action[0] == "group":
        return t.BmActionEntry(action_type=t.BmActionEntryType.GRP_HANDLE, grp_handle=action[1])
    return t.BmActionEntry(
        action_type=t.BmActionEntryType.ACTION_DATA,
        action_name=action[1],
        action_data=shortest(action[2]),
    )


def shortest(values: Sequence[bytes]) -> list[bytes]:
    """Parameters as BMv2 gives them: without leading zeros."""
    return [value.lstrip(b"\0") or b"\0" for value in values]


def _milliseconds(time_ns: int) -> int:
    return min(time_ns // 1_000_000, 2**31 - 1)


def _number(field: dict[str, Any], value: bytes | None) -> int:
    number = int.from_bytes(value or b"", "big")
    if number >> field["bits"]:
        raise table_error("BAD_MATCH_KEY")
    return number


def _bytes(field: dict[str, Any], number: int) -> bytes:
    return number.to_bytes((field["bits"] + 7) // 8, "big")


def _match(field: dict[str, Any], param: t.BmMatchParam) -> MatchField:
    """A match, in the data plane's canonical form: without bits that do not count."""
    bits, types = field["bits"], t.BmMatchParamType
    full = (1 << bits) - 1
    content = getattr(param, types._VALUES_TO_NAMES.get(param.type, "").lower(), None)
    if field["match"] not in _KIND.get(param.type, ()) or content is None:
        raise table_error("BAD_MATCH_KEY")
    if param.type == types.VALID:
        return ("exact", bytes([bool(content.key)]))
    if param.type == types.EXACT:
        return ("exact", _bytes(field, _number(field, content.key)))
    if param.type == types.LPM:
        length = content.prefix_length
        if length is None or not 0 <= length <= bits:
            raise table_error("BAD_MATCH_KEY")
        number = _number(field, content.key) & (full >> (bits - length) << (bits - length))
        return ("lpm", _bytes(field, number), length) if length else None
    if param.type == types.TERNARY:
        mask = _number(field, content.mask)
        number = _number(field, content.key) & mask
        if mask == 0:
            return None
        if field["match"] == "optional":
            if mask != full:
                raise table_error("BAD_MATCH_KEY")
            return ("optional", _bytes(field, number))
        return ("ternary", _bytes(field, number), _bytes(field, mask))
    low, high = _number(field, content.start), _number(field, content.end_)
    if low > high:
        raise table_error("BAD_MATCH_KEY")
    return None if (low, high) == (0, full) else ("range", _bytes(field, low), _bytes(field, high))


def _param(field: dict[str, Any], match: MatchField) -> t.BmMatchParam:
    width_bytes = (field["bits"] + 7) // 8
    kind = field["match"]

    values = [value for value in match or () if isinstance(value, bytes)]

    def data(place: int, without: int = 0) -> bytes:
        number = without if match is None else int.from_bytes(values[place - 1], "big")
        return number.to_bytes(width_bytes, "big")

    full = (1 << field["bits"]) - 1
    types = t.BmMatchParamType
    if kind == "exact":
        return t.BmMatchParam(type=types.EXACT, exact=t.BmMatchParamExact(key=data(1)))
    if kind == "valid":
        return t.BmMatchParam(type=types.VALID, valid=t.BmMatchParamValid(key=any(data(1))))
    if kind == "lpm":
        length = match[2] if match is not None and match[0] == "lpm" else 0
        return t.BmMatchParam(type=types.LPM, lpm=t.BmMatchParamLPM(key=data(1), prefix_length=length))
    if kind == "range":
        return t.BmMatchParam(type=types.RANGE, range=t.BmMatchParamRange(start=data(1), end_=data(2, full)))
    if kind == "optional":
        mask = (0 if match is None else full).to_bytes(width_bytes, "big")
        return t.BmMatchParam(type=types.TERNARY, ternary=t.BmMatchParamTernary(key=data(1), mask=mask))
    return t.BmMatchParam(type=types.TERNARY, ternary=t.BmMatchParamTernary(key=data(1), mask=data(2)))
