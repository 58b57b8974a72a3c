# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""P4Info of Tofino programs in the terms of P4Runtime.

p4c's Tofino back end lists counters, meters and the like as externs of its own, and puts the name of the pipe in front
of tables and externs. Clients and servers of P4Runtime know such objects by messages of their own, which p4c writes
with ``--p4runtime-force-std-externs``. Here the first form becomes like the second, but for the ids: they stay.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from google.protobuf import descriptor_pool, message_factory
from google.protobuf.message import DecodeError

from quench_switch.arch import architecture
from quench_switch.messages import p4i
from quench_switch.tna.barefoot import PACKAGE

SELECTOR: Final = "ActionSelector"


class ExternError(ValueError):
    """The description of an extern cannot be read."""


def standard(info: p4i.P4Info) -> p4i.P4Info:
    """The same with P4Runtime's own messages for what it knows; of other programs the P4Info itself.

    Externs that P4Runtime does not know, filters among them, stay. Raises ExternError.
    """
    if not architecture(info.pkg_info.arch).p4info_by_barefoot:
        return info
    made = p4i.P4Info()
    made.CopyFrom(info)
    del made.externs[:]
    selectors: list[p4i.ExternInstance] = []
    for extern in info.externs:
        convert = _CONVERSIONS.get(extern.extern_type_name)
        if extern.extern_type_name == SELECTOR:
            selectors += extern.instances
        elif convert is None:
            made.externs.add().CopyFrom(extern)
        else:
            for instance in extern.instances:
                found = described(instance, extern.extern_type_name)
                with _named(instance):
                    convert(made, instance.preamble, found)
    _add_selectors(made, selectors)
    return made


def without_pipe(info: p4i.P4Info) -> p4i.P4Info:
    """The same with names that begin with the control, as those of actions do; of other programs the P4Info itself."""
    pipe = _pipe(info)
    if pipe is None:
        return info
    made = p4i.P4Info()
    made.CopyFrom(info)
    named: list[Any] = [instance for extern in made.externs for instance in extern.instances]
    for kind in ("tables", "counters", "direct_counters", "meters", "direct_meters", "registers", "action_profiles"):
        named += getattr(made, kind)
    for each in (*named, *made.digests, *made.value_sets):
        each.preamble.name = each.preamble.name.removeprefix(f"{pipe}.")
        each.preamble.alias = each.preamble.alias.removeprefix(f"{pipe}.")
    return made


def with_standard_ids(info: p4i.P4Info) -> p4i.P4Info:
    """``standard(info)`` with P4Runtime's ids for what tables refer to: their first byte is that of their kind.

    finsy 0.30 reads no table that refers to others. Objects that P4Runtime does not know are left out of the tables.
    """
    if not architecture(info.pkg_info.arch).p4info_by_barefoot:
        return info
    made = p4i.P4Info()
    made.CopyFrom(info)
    new_ids = {}
    for kind, first_byte in _FIRST_BYTES.items():
        for each in getattr(made, kind):
            new_ids[each.preamble.id] = each.preamble.id & 0xFFFFFF | first_byte << 24
            each.preamble.id = new_ids[each.preamble.id]
    for table in made.tables:
        table.implementation_id = new_ids.get(table.implementation_id, table.implementation_id)
        known = [new_ids[each] for each in table.direct_resource_ids if each in new_ids]
        table.direct_resource_ids[:] = known
    return made


def _pipe(info: p4i.P4Info) -> str | None:
    if not architecture(info.pkg_info.arch).p4info_by_barefoot:
        return None
    for extern in info.externs:
        if extern.extern_type_name == "Snapshot":
            for instance in extern.instances:
                return instance.preamble.name.partition(".")[0]
    return None


def described(instance: p4i.ExternInstance, kind: str) -> Any:
    """The message that describes an extern of this type. Raises ExternError."""
    declared = message_factory.GetMessageClass(descriptor_pool.Default().FindMessageTypeByName(f"{PACKAGE}.{kind}"))
    found = declared()
    try:
        if instance.info.Unpack(found):
            return found
    except DecodeError:
        pass
    raise ExternError(f"P4Info: {instance.preamble.name!r} is not described as a {kind}")


def _counter(made: p4i.P4Info, preamble: p4i.Preamble, found: Any) -> None:
    made.counters.add(preamble=preamble, spec=p4i.CounterSpec(unit=found.spec.unit), size=found.size)


def _direct_counter(made: p4i.P4Info, preamble: p4i.Preamble, found: Any) -> None:
    spec = p4i.CounterSpec(unit=found.spec.unit)
    made.direct_counters.add(preamble=preamble, spec=spec, direct_table_id=found.direct_table_id)


def _meter(made: p4i.P4Info, preamble: p4i.Preamble, found: Any) -> None:
    made.meters.add(preamble=preamble, spec=p4i.MeterSpec(unit=found.spec.unit), size=found.size)


def _direct_meter(made: p4i.P4Info, preamble: p4i.Preamble, found: Any) -> None:
    spec = p4i.MeterSpec(unit=found.spec.unit)
    made.direct_meters.add(preamble=preamble, spec=spec, direct_table_id=found.direct_table_id)


def _register(made: p4i.P4Info, preamble: p4i.Preamble, found: Any) -> None:
    made.registers.add(preamble=preamble, type_spec=found.type_spec, size=found.size)


def _param(made: p4i.P4Info, preamble: p4i.Preamble, found: Any) -> None:
    """A parameter of register actions: a register of one cell, which packets only read."""
    made.registers.add(preamble=preamble, type_spec=found.type_spec, size=1)


def _digest(made: p4i.P4Info, preamble: p4i.Preamble, found: Any) -> None:
    made.digests.add(preamble=preamble, type_spec=found.type_spec)


def _profile(made: p4i.P4Info, preamble: p4i.Preamble, found: Any) -> None:
    made.action_profiles.add(preamble=preamble, table_ids=found.table_ids, size=found.size)


def _add_selectors(made: p4i.P4Info, selectors: Iterable[p4i.ExternInstance]) -> None:
    """A selector belongs to the profile that has its members: P4Runtime has both in one object, the profile."""
    profiles = {profile.preamble.id: profile for profile in reversed(made.action_profiles)}
    users: dict[int, list[p4i.Table]] = {}
    for table in made.tables:
        users.setdefault(table.implementation_id, []).append(table)
    for selector in selectors:
        found = described(selector, SELECTOR)
        profile = profiles.get(found.action_profile_id)
        if profile is None:
            raise ExternError(f"P4Info: {selector.preamble.name!r} is a selector without an action profile")
        profile.with_selector = True
        with _named(selector):
            profile.max_group_size = found.max_group_size
        for table in users.pop(selector.preamble.id, ()):
            table.implementation_id = profile.preamble.id


@contextmanager
def _named(instance: p4i.ExternInstance) -> Iterator[None]:
    """Numbers of an instance may be larger than P4Runtime's fields for them."""
    try:
        yield
    except ExternError:
        raise
    except ValueError as error:
        raise ExternError(f"P4Info: {instance.preamble.name!r} has a number that is too large: {error}") from None


def _value_set(made: p4i.P4Info, preamble: p4i.Preamble, found: Any) -> None:
    match found.type_spec.WhichOneof("type_spec"):
        case "bitstring":
            parts = [("", found.type_spec)]
        case "struct" if found.type_spec.struct.name in made.type_info.structs:
            members = made.type_info.structs[found.type_spec.struct.name].members
            parts = [(member.name, member.type_spec) for member in members]
        case _:
            parts = []
    widths = [(name, spec.bitstring.bit.bitwidth) for name, spec in parts]
    if not widths or not all(bits for _, bits in widths):
        raise ExternError(f"P4Info: {preamble.name!r} is a value set of other than bit<W> or a struct of them")
    fields = [
        p4i.MatchField(id=place, name=name, bitwidth=bits, match_type=p4i.MatchField.EXACT)
        for place, (name, bits) in enumerate(widths, start=1)
    ]
    made.value_sets.add(preamble=preamble, match=fields, size=found.size)


_FIRST_BYTES: Final = {
    "action_profiles": p4i.P4Ids.ACTION_PROFILE,
    "direct_counters": p4i.P4Ids.DIRECT_COUNTER,
    "direct_meters": p4i.P4Ids.DIRECT_METER,
}

_CONVERSIONS: Final[dict[str, Callable[[p4i.P4Info, p4i.Preamble, Any], None]]] = {
    "Counter": _counter,
    "DirectCounter": _direct_counter,
    "Meter": _meter,
    "DirectMeter": _direct_meter,
    "Register": _register,
    "RegisterParam": _param,
    "Digest": _digest,
    "ActionProfile": _profile,
    "ValueSet": _value_set,
}
