# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Checks P4Info and device config against each other, and indexes them by id."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any, Final

from quench_switch._native import Program
from quench_switch.errors import DataPlaneError
from quench_switch.messages import p4i, p4r
from quench_switch.reached import load_program
from quench_switch.tna.p4info import ExternError, described, standard

from .device_config import bmv2_json
from .errors import RequestError, cut, invalid
from .externs import FORMS
from .p4data import Types, check_fields
from .pipeline import (
    ActionSpec,
    ExternSpec,
    MatchSpec,
    PacketHeaderSpec,
    Pipeline,
    ProfileSpec,
    TableSpec,
    ValueSetSpec,
)
from .port_metadata import PORTS
from .values import ValueTypes

_log = logging.getLogger(__name__)

MATCH_KINDS: Final[Mapping[int, str]] = {
    p4i.MatchField.EXACT: "exact",
    p4i.MatchField.LPM: "lpm",
    p4i.MatchField.TERNARY: "ternary",
    p4i.MatchField.RANGE: "range",
    p4i.MatchField.OPTIONAL: "optional",
}


def verify(config: p4r.ForwardingPipelineConfig, cpu_port: int | None, *, interpreted: bool = False) -> Pipeline:
    """Check a config without touching any switch; ``interpreted`` makes no machine code.

    Raises INVALID_ARGUMENT with one line that says what is wrong.
    """
    if not config.p4_device_config:
        raise invalid("the config has no p4_device_config: give the BMv2 JSON that the compiler wrote")
    if not config.HasField("p4info"):
        raise invalid("the config has no p4info")
    try:
        text = bmv2_json(config.p4_device_config)
        program = load_program(text, interpreted=interpreted, entries=_entries(config.p4info))
    except DataPlaneError as error:
        raise invalid(f"p4_device_config: {error.message}") from error
    # A copy: a kept part of the request would keep all of it.
    kept = p4r.ForwardingPipelineConfig.FromString(config.SerializeToString())
    return _Builder(kept, program, cpu_port).build()


def _entries(info: p4i.P4Info) -> dict[str, int | None]:
    """The most entries of each table, None for constant ones."""
    return {table.preamble.name: None if table.is_const_table else max(table.size, 0) for table in info.tables}


class _Builder:
    def __init__(self, config: p4r.ForwardingPipelineConfig, program: Program, cpu_port: int | None) -> None:
        self.config = config
        self.loadable = program
        self.info = _standard(config.p4info)
        self.value_types = ValueTypes(config.p4info.type_info, cpu_port)
        self.program = program.info()
        enums = {name: dict(members) for name, members in self.program["enums"].items()}
        self.types = Types(self.info.type_info, dict(self.program["errors"]), enums)

    def build(self) -> Pipeline:
        # Compilers drop actions, tables, selectors and digests that nothing reaches from the device config only.
        native_actions = self._native_actions()
        actions = {
            action.preamble.id: self._action(action, native_actions[action.preamble.name])
            for action in self._unique(self.info.actions, "action")
            if action.preamble.name in native_actions
        }
        native_tables = _by_name(self.program["tables"])
        tables = {
            table.preamble.id: self._table(table, actions, native_tables[table.preamble.name])
            for table in self._unique(self.info.tables, "table")
            if table.preamble.name in native_tables
        }
        removed_tables = self._removed_tables(native_tables)
        profiles = {
            profile.preamble.id: self._profile(profile, tables)
            for profile in self._unique(self.info.action_profiles, "action profile")
            if any(table.profile_id == profile.preamble.id for table in tables.values())
        }
        for table in tables.values():
            if table.profile_id and table.profile_id not in profiles:
                raise invalid(f"{table}: implementation_id {table.profile_id} is not an action profile")
        native_sets = _by_name(self.program["value_sets"])
        value_sets = {
            value_set.preamble.id: self._value_set(value_set, native_sets)
            for value_set in self._unique(self.info.value_sets, "value set")
        }
        digests = {digest.preamble.id: digest for digest in self._unique(self.info.digests, "digest")}
        headers = {header.preamble.name: self._packet_header(header) for header in self.info.controller_packet_metadata}
        return Pipeline(
            config=self.config,
            program=self.loadable,
            p4info=self.info,
            types=self.types,
            tables=tables,
            removed_tables=removed_tables,
            actions=actions,
            profiles=profiles,
            counters=self._arrays(self.info.counters, "counter", "counters"),
            meters=self._arrays(self.info.meters, "meter", "meters"),
            registers=self._arrays(self.info.registers, "register", "registers"),
            value_sets=value_sets,
            digests=digests,
            digest_ids=self._digest_ids(digests),
            externs=self._externs(tables),
            packet_in=headers.get("packet_in"),
            packet_out=headers.get("packet_out"),
            actions_by_name={action.name: action for action in actions.values()},
            tables_by_name={table.name: table for table in tables.values()},
        )

    def _unique(self, items: Sequence[Any], what: str) -> Sequence[Any]:
        """The items, after a check that ids are set and neither ids nor names repeat."""
        ids: set[int] = set()
        names: set[str] = set()
        for item in items:
            preamble = item.preamble
            if preamble.id == 0:
                raise invalid(f"P4Info: {what} {preamble.name!r} has no id")
            if preamble.id in ids or preamble.name in names:
                raise invalid(f"P4Info: {what} {preamble.name!r} (id {preamble.id}) is declared twice")
            ids.add(preamble.id)
            names.add(preamble.name)
        return items

    def _native_actions(self) -> dict[str, dict[str, Any]]:
        """The data plane's actions by name.

        A control's call of an action is a copy without parameters, in a table that P4Info lacks.
        """
        known = {table.preamble.name for table in self.info.tables}
        tables = [table for table in self.program["tables"] if table["name"] in known]
        in_tables = {number for table in tables for number in table["action_ids"]}
        return _by_name(sorted(self.program["actions"], key=lambda action: action["id"] in in_tables))

    def _removed_tables(self, natives: Mapping[str, dict[str, Any]]) -> dict[int, str]:
        """Tables of P4Info that are not in the device config, if all that entries can be for there are in P4Info."""
        removed = {table.preamble.id: table.preamble.name for table in self.info.tables}
        known = set(removed.values())
        removed = {number: name for number, name in removed.items() if name not in natives}
        strangers = [name for name, native in natives.items() if native["key"] and name not in known]
        if removed and strangers:
            self._native(natives, next(iter(removed.values())), "table")
        for name in removed.values():
            _log.warning("table %r of P4Info is not in the device config: it takes no entries", cut(name))
        return removed

    def _native(self, items: Mapping[str, dict[str, Any]], name: str, what: str) -> dict[str, Any]:
        native = items.get(name)
        if native is None:
            raise invalid(f"{what} {name!r} of P4Info is not in the device config: they come from different programs")
        return native

    def _arrays(self, items: Sequence[Any], what: str, key: str) -> dict[int, Any]:
        natives = _by_name(self.program[key])
        for item in self._unique(items, what):
            size = self._native(natives, item.preamble.name, what)["size"]
            if size != item.size:
                raise invalid(f"{what} {item.preamble.name!r}: size {item.size} in P4Info, {size} in the device config")
        return {item.preamble.id: item for item in items}

    def _externs(self, tables: Mapping[int, TableSpec]) -> dict[int, ExternSpec]:
        found: dict[int, ExternSpec] = {}
        natives = _by_name(self.program["filters"])
        for extern in self.info.externs:
            kind = extern.extern_type_name
            if kind not in FORMS:
                continue
            for each in self._unique(extern.instances, kind):
                name = each.preamble.name
                table, size = None, PORTS
                if kind in ("DirectLpf", "DirectWred"):
                    table = tables.get(self._described(each, kind).direct_table_id)
                    if table is None and name not in natives:
                        continue  # the compiler took the table out of the program
                    native = self._native(natives, name, kind)
                    if table is None or table.name != native["direct_table"]:
                        raise invalid(f"{kind} {name!r} belongs to another table than in the device config")
                    size = native["size"]
                elif kind != "PortMetadata":
                    size = self._native(natives, name, kind)["size"]
                    declared = int(self._described(each, kind).size)
                    if size != declared:
                        raise invalid(f"{kind} {name!r}: size {declared} in P4Info, {size} in the device config")
                number = each.preamble.id
                found[number] = ExternSpec(kind, extern.extern_type_id, number, name, size, table)
        return found

    def _described(self, instance: p4i.ExternInstance, kind: str) -> Any:
        try:
            return described(instance, kind)
        except ExternError as error:
            raise invalid(cut(str(error))) from None

    def _digest_ids(self, digests: Mapping[int, p4i.Digest]) -> dict[int, int]:
        """The id in P4Info of each digest of the data plane.

        They are matched by name; those of unnamed types, which have no common name, in order.
        """
        natives = _by_name(self.program["digests"])
        names = {digest.preamble.name for digest in digests.values()}
        unnamed = iter([native for name, native in natives.items() if name not in names])
        ids: dict[int, int] = {}
        for digest_id, digest in digests.items():
            name = digest.preamble.name
            native = natives.get(name) or next(unnamed, None)
            if native is not None:
                check_fields(digest.type_spec, self.types, len(native["fields"]), f"digest {name!r}")
                ids[native["id"]] = digest_id
        return ids

    def _action(self, info: p4i.Action, native: Mapping[str, Any]) -> ActionSpec:
        name = info.preamble.name
        params = native["params"]
        if len(params) != len(info.params):
            raise invalid(
                f"action {name!r}: {len(info.params)} parameters in P4Info, {len(params)} in the device config"
            )
        order = _order([param.name for param in info.params], [param["name"] for param in params])
        specs = []
        for position, native_param in zip(order, params, strict=True):
            param = info.params[position]
            what = f"action {name!r} parameter {param.name!r}"
            value = self.value_types.of(what, param.bitwidth, param.type_name.name, native_param["bits"])
            specs.append((param.id, value))
        return ActionSpec(info.preamble.id, name, tuple(specs))

    def _fields(
        self, what: str, infos: Sequence[p4i.MatchField], key: Sequence[Mapping[str, Any]]
    ) -> tuple[MatchSpec, ...]:
        if len(infos) != len(key):
            raise invalid(f"{what}: {len(infos)} match fields in P4Info, {len(key)} in the device config")
        order = _order([info.name for info in infos], [native["name"] for native in key])
        specs = []
        for place, (position, native) in enumerate(zip(order, key, strict=True)):
            info = infos[position]
            kind = MATCH_KINDS.get(info.match_type)
            if kind is None:
                raise invalid(f"{what} field {info.name!r}: match type {info.other_match_type!r} is not supported")
            native_kind = "exact" if native["match"] == "valid" else native["match"]
            if native_kind != kind and (native_kind, kind) != ("ternary", "optional"):
                raise invalid(f"{what} field {info.name!r}: {kind} in P4Info, {native['match']} in the device config")
            value = self.value_types.of_match(what, info, native["bits"])
            specs.append(MatchSpec(info.id, info.name, kind, value, place, native_kind))
        return tuple(specs)

    def _table(self, info: p4i.Table, actions: Mapping[int, ActionSpec], native: Mapping[str, Any]) -> TableSpec:
        name = info.preamble.name
        known = set(native["actions"])
        declared = {action.preamble.id for action in self.info.actions}
        refs: dict[int, ActionSpec] = {}
        for ref in info.action_refs:
            if ref.id not in declared:
                raise invalid(f"table {name!r}: action id {ref.id} is not in P4Info")
            action = actions.get(ref.id)
            if action is not None and action.name in known:
                refs[ref.id] = action
        direct_counters = {counter.preamble.id for counter in self.info.direct_counters}
        direct_meters = {meter.preamble.id: meter.spec for meter in self.info.direct_meters}
        meters = [direct_meters[resource] for resource in info.direct_resource_ids if resource in direct_meters]
        return TableSpec(
            info=info,
            id=info.preamble.id,
            name=name,
            fields=self._fields(f"table {name!r}", info.match_fields, native["key"]),
            actions=refs,
            scopes={ref.id: ref.scope for ref in info.action_refs},
            profile_id=info.implementation_id,
            direct_counter=any(resource in direct_counters for resource in info.direct_resource_ids),
            meter=meters[0] if meters else None,
            idle_timeout=info.idle_timeout_behavior == p4i.Table.NOTIFY_CONTROL,
        )

    def _profile(self, info: p4i.ActionProfile, tables: Mapping[int, TableSpec]) -> ProfileSpec:
        name = info.preamble.name
        self._native(_by_name(self.program["profiles"]), name, "action profile")
        first, *others = [table for table in tables.values() if table.profile_id == info.preamble.id]
        actions = {
            number: action
            for number, action in first.actions.items()
            if all(number in table.actions for table in others)
        }
        return ProfileSpec(info, info.preamble.id, name, actions)

    def _value_set(self, info: p4i.ValueSet, natives: Mapping[str, dict[str, Any]]) -> ValueSetSpec:
        name = info.preamble.name
        native = self._native(natives, name, "value set")
        if len(info.match) != len(native["key_bits"]):
            raise invalid(
                f"value set {name!r}: {len(info.match)} fields in P4Info, {len(native['key_bits'])} in the program"
            )
        fields = []
        for place, (match, bits) in enumerate(zip(info.match, native["key_bits"], strict=True)):
            kind = MATCH_KINDS.get(match.match_type)
            if kind is None:
                raise invalid(f"value set {name!r} field {match.name!r}: match type is not supported")
            value = self.value_types.of_match(f"value set {name!r}", match, bits)
            fields.append(MatchSpec(match.id, match.name, kind, value, place, kind))
        return ValueSetSpec(info.preamble.id, name, info.size, tuple(fields))

    def _packet_header(self, info: p4i.ControllerPacketMetadata) -> PacketHeaderSpec | None:
        """Widths in the packet are P4Info's; of translated types, those of the JSON's header.

        None where nothing gives a width: the program declares the header and never puts it into packets.
        """
        name = info.preamble.name
        widths = self._header_widths([metadata.name for metadata in info.metadata])
        fields = []
        for metadata in info.metadata:
            what = f"{name} metadata {metadata.name!r}"
            bits = widths.get(metadata.name)
            try:
                value = self.value_types.of(what, metadata.bitwidth, metadata.type_name.name, bits)
            except RequestError as error:
                raise invalid(error.message) from error
            if value.strings is not None and bits is None:
                _log.warning("the %s header is in P4Info, but not in the device config: packets have none", name)
                return None
            padding = any(text.startswith("@padding") for text in metadata.annotations)
            fields.append((metadata.id, value, padding))
        return PacketHeaderSpec(tuple(fields))

    def _header_widths(self, names: Sequence[str]) -> dict[str, int]:
        for header in self.loadable.header_types():
            fields = dict(header)
            if set(names) == {name for name in fields if not name.startswith("_padding")}:
                return fields
        return {}


def _standard(info: p4i.P4Info) -> p4i.P4Info:
    """The P4Info with P4Runtime's own messages for the externs of Tofino. Raises INVALID_ARGUMENT."""
    try:
        return standard(info)
    except ExternError as error:
        raise invalid(cut(str(error))) from None


def _by_name(items: Sequence[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {item["name"]: item for item in items}


def _order(info_names: Sequence[str], native_names: Sequence[str]) -> list[int]:
    """The index in P4Info of each native item: by name where all names agree, else by position."""
    places = {name: place for place, name in enumerate(info_names)}
    if set(places) == set(native_names) and len(places) == len(native_names):
        return [places[name] for name in native_names]
    return list(range(len(native_names)))
