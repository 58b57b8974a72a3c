# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A program as the model needs it: its P4Info, and from the BMv2 JSON the properties that P4Info lacks."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from finsy.proto import p4i, p4r, p4t

from .keys import Key, canonical_field
from .values import Width

KINDS = {
    p4i.MatchField.EXACT: "exact",
    p4i.MatchField.LPM: "lpm",
    p4i.MatchField.TERNARY: "ternary",
    p4i.MatchField.RANGE: "range",
    p4i.MatchField.OPTIONAL: "optional",
}

_PORT_TYPES = ("PortId_t", "PortIdInHeader_t")


@dataclass(frozen=True)
class Field:
    """A match field."""

    id: int
    name: str
    kind: str
    width: Width

    @property
    def bits(self) -> int:
        """The width in the data plane."""
        return self.width.bits


@dataclass(frozen=True)
class Action:
    """An action; ``params`` has the width of each parameter id."""

    id: int
    name: str
    params: Mapping[int, Width]


Call = tuple[Action, tuple[tuple[int, int], ...]]
"""An action, and (parameter id, value) by parameter id."""


@dataclass(frozen=True)
class Table:
    """A table, with the entries and the default action that the program gives."""

    info: p4i.Table
    fields: tuple[Field, ...]
    actions: Mapping[int, Action]
    counter: bool
    meter: p4i.MeterSpec | None
    is_const: bool
    initial: Mapping[tuple[Key, int], Call | None]
    constant: frozenset[tuple[Key, int]]
    """Those of the initial entries that stay."""
    default: Call | None

    @property
    def id(self) -> int:
        """P4Info's id."""
        return self.info.preamble.id

    @property
    def needs_priority(self) -> bool:
        """Whether keys can overlap."""
        return any(match.kind in ("ternary", "range", "optional") for match in self.fields)

    @property
    def has_idle_timeout(self) -> bool:
        """Whether entries can have one."""
        return self.info.idle_timeout_behavior == p4i.Table.NOTIFY_CONTROL

    def scope(self, action_id: int) -> int:
        """The scope in which P4Info allows an action."""
        return next((ref.scope for ref in self.info.action_refs if ref.id == action_id), 0)


@dataclass(frozen=True)
class Profile:
    """An action profile or selector."""

    info: p4i.ActionProfile
    tables: tuple[Table, ...]

    @property
    def actions(self) -> dict[int, Action]:
        """The actions that members may have: those of every table of the profile."""
        first, *others = self.tables
        return {
            action_id: action
            for action_id, action in first.actions.items()
            if all(action_id in table.actions for table in others)
        }

    @property
    def counts_members(self) -> bool:
        """Whether sizes count members and not weights."""
        return self.info.WhichOneof("selector_size_semantics") == "sum_of_members"


@dataclass(frozen=True)
class Scalar:
    """Type of a register's cells: bit, int, bool, enum, or None where the server supports none."""

    kind: str | None
    bits: int = 0


@dataclass(frozen=True)
class Program:
    """Everything that messages can name."""

    config: p4r.ForwardingPipelineConfig
    actions: Mapping[int, Action]
    tables: Mapping[int, Table]
    profiles: Mapping[int, Profile]
    counters: Mapping[int, p4i.Counter]
    meters: Mapping[int, p4i.Meter]
    registers: Mapping[int, tuple[p4i.Register, Scalar]]
    value_sets: Mapping[int, tuple[p4i.ValueSet, tuple[Field, ...]]]
    digests: Mapping[int, p4i.Digest]
    packet_out: Sequence[tuple[int, Width, bool]] | None = field(default=None)
    """(metadata id, width, is padding), None without a header."""

    @property
    def info(self) -> p4i.P4Info:
        """The P4Info of the config."""
        return self.config.p4info


def read_program(config: p4r.ForwardingPipelineConfig) -> Program:
    """The program of a config that the switch accepts."""
    info = config.p4info
    device = json.loads(config.p4_device_config)
    natives = {action["id"]: action["name"] for action in device["actions"]}
    known = set(natives.values())
    types = info.type_info
    param_bits = {
        action["name"]: [param["bitwidth"] for param in action["runtime_data"]] for action in device["actions"]
    }
    actions = {
        action.preamble.id: Action(
            action.preamble.id,
            action.preamble.name,
            {
                param.id: _width(types, param.type_name.name, param.bitwidth, bits)
                for param, bits in zip(action.params, param_bits[action.preamble.name], strict=True)
            },
        )
        for action in info.actions
        if action.preamble.name in known
    }
    by_name = {action.name: action for action in actions.values()}

    def call(entry: Mapping[str, Any]) -> Call | None:
        action = by_name.get(natives[entry["action_id"]])
        if action is None:
            return None
        return action, tuple(
            sorted(zip(action.params, (int(value, 16) for value in entry["action_data"]), strict=True))
        )

    tables = {table.preamble.id: _table(info, table, device, actions, call) for table in info.tables}
    profiles = {
        profile.preamble.id: Profile(
            profile, tuple(table for table in tables.values() if table.info.implementation_id == profile.preamble.id)
        )
        for profile in info.action_profiles
    }
    headers = {header.preamble.name: header for header in info.controller_packet_metadata}
    packet_out = None
    if "packet_out" in headers:
        packet_out = [
            (
                item.id,
                _width(types, item.type_name.name, item.bitwidth, _header_bits(device, item.name)),
                any(text.startswith("@padding") for text in item.annotations),
            )
            for item in headers["packet_out"].metadata
        ]
    return Program(
        config=config,
        actions=actions,
        tables=tables,
        profiles={number: profile for number, profile in profiles.items() if profile.tables},
        counters={counter.preamble.id: counter for counter in info.counters},
        meters={meter.preamble.id: meter for meter in info.meters},
        registers={
            register.preamble.id: (register, _scalar(register.type_spec, info.type_info)) for register in info.registers
        },
        value_sets={
            value_set.preamble.id: (
                value_set,
                _fields(value_set.match, types, [0] * len(value_set.match)),
            )
            for value_set in info.value_sets
        },
        digests={digest.preamble.id: digest for digest in info.digests},
        packet_out=packet_out,
    )


def _width(types: p4t.P4TypeInfo, type_name: str, bits: int, device_bits: int) -> Width:
    named = types.new_types.get(type_name)
    if named is None or not named.HasField("translated_type"):
        if bits <= 0:
            raise ValueError("the model knows no values without a width")
        return Width(bits)
    translated = named.translated_type
    if not translated.sdn_bitwidth:
        raise ValueError(f"{type_name}: the model knows no translation to strings")
    return Width(device_bits, translated.sdn_bitwidth, translated.uri.rpartition("/")[2] in _PORT_TYPES)


def _header_bits(device: Mapping[str, Any], field_name: str) -> int:
    """Width of a field of the packet_out header, which P4Info does not have for translated types."""
    fields = next(kind["fields"] for kind in device["header_types"] if kind["name"].startswith("packet_out"))
    return next((int(entry[1]) for entry in fields if entry[0] == field_name), 0)


def _key_bits(device: Mapping[str, Any], key: Mapping[str, Any]) -> int:
    """Width of a key's field in the data plane, 0 for what is no field of a header."""
    header, *path = key["target"]
    kind = next((item["header_type"] for item in device["headers"] if item["name"] == header), None)
    fields: list[Any] = next((item["fields"] for item in device["header_types"] if item["name"] == kind), [])
    return next((int(entry[1]) for entry in fields if entry[0] == path[0]), 0)


def _fields(matches: Sequence[p4i.MatchField], types: p4t.P4TypeInfo, bits: Sequence[int]) -> tuple[Field, ...]:
    return tuple(
        Field(match.id, match.name, KINDS[match.match_type], _width(types, match.type_name.name, match.bitwidth, wide))
        for match, wide in zip(matches, bits, strict=True)
    )


def _table(
    info: p4i.P4Info,
    table: p4i.Table,
    device: Mapping[str, Any],
    actions: Mapping[int, Action],
    call: Callable[[Mapping[str, Any]], Call | None],
) -> Table:
    native = next(
        native
        for pipeline in device["pipelines"]
        for native in pipeline["tables"]
        if native["name"] == table.preamble.name
    )
    fields = _fields(table.match_fields, info.type_info, [_key_bits(device, key) for key in native["key"]])
    direct = set(table.direct_resource_ids)
    meters = [meter.spec for meter in info.direct_meters if meter.preamble.id in direct]
    entries = native.get("entries", [])
    last = max((entry["priority"] for entry in entries), default=0)
    needs_priority = any(match.kind in ("ternary", "range", "optional") for match in fields)

    def place(entry: Mapping[str, Any]) -> tuple[Key, int]:
        key = tuple(_initial_field(match, given) for match, given in zip(fields, entry["match_key"], strict=True))
        priority = entry.get("p4runtime_priority", last - entry["priority"] + 1)
        return key, priority if needs_priority else 0

    default = call(native["default_entry"]) if "default_entry" in native else None
    if default is None and table.implementation_id:
        default = _initial_default(table, actions)
    return Table(
        info=table,
        fields=fields,
        actions={
            ref.id: actions[ref.id]
            for ref in table.action_refs
            if ref.id in actions and actions[ref.id].name in native["actions"]
        },
        counter=any(counter.preamble.id in direct for counter in info.direct_counters),
        meter=meters[0] if meters else None,
        is_const=table.is_const_table,
        initial={place(entry): call(entry["action_entry"]) for entry in entries},
        constant=frozenset(place(entry) for entry in entries if table.is_const_table or entry.get("is_const", False)),
        default=default,
    )


def _initial_default(table: p4i.Table, actions: Mapping[int, Action]) -> Call | None:
    """P4Info's: the data plane has none where a table has an action profile."""
    given = table.initial_default_action
    action = actions.get(given.action_id)
    if action is None:
        return None
    return action, tuple(sorted((item.param_id, int.from_bytes(item.value, "big")) for item in given.arguments))


def _initial_field(match: Field, given: Mapping[str, Any]) -> Any:
    kind = given["match_type"]
    if kind == "exact":
        return ("exact", int(given["key"], 16))
    if kind == "lpm":
        return canonical_field(("lpm", int(given["key"], 16), given["prefix_length"]), match.bits)
    if kind == "range":
        return canonical_field(("range", int(given["start"], 16), int(given["end"], 16)), match.bits)
    if kind != "ternary":
        raise ValueError(f"field {match.name!r}: the model knows no entries of kind {kind}")
    value, mask = int(given["key"], 16), int(given["mask"], 16)
    if match.kind == "optional":
        return ("optional", value) if mask else None
    return canonical_field(("ternary", value, mask), match.bits)


def _scalar(spec: p4t.P4DataTypeSpec, types: p4t.P4TypeInfo) -> Scalar:
    kind = spec.WhichOneof("type_spec")
    if kind == "bool":
        return Scalar("bool", 1)
    if kind == "new_type" and types.new_types[spec.new_type.name].translated_type.sdn_bitwidth:
        return Scalar("bit", types.new_types[spec.new_type.name].translated_type.sdn_bitwidth)
    if kind == "serializable_enum":
        return Scalar("enum", types.serializable_enums[spec.serializable_enum.name].underlying_type.bitwidth)
    if kind == "new_type" and types.new_types[spec.new_type.name].HasField("original_type"):
        return _scalar(types.new_types[spec.new_type.name].original_type, types)
    if kind == "bitstring" and spec.bitstring.WhichOneof("type_spec") in ("bit", "int"):
        sign = str(spec.bitstring.WhichOneof("type_spec"))
        return Scalar(sign, getattr(spec.bitstring, sign).bitwidth)
    return Scalar(None)
