# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""P4Runtime entities of a description's entries, and the order in which a switch takes them."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

import finsy as fy
from finsy.p4entity import P4ValueSetMember
from finsy.proto import p4r

from quench.client.tables import identity
from quench.programs.templates import (
    MAX_GROUP,
    MAX_RANGES,
    MAX_SESSION,
    CloneSessionTemplate,
    EntryTemplate,
    MeterTemplate,
    MulticastGroupTemplate,
    Number,
    Ports,
    ProfileTemplate,
    Rates,
    RegisterTemplate,
    Replica,
    Share,
    TableTemplate,
    ValueSetTemplate,
)

MALFORMED = (ValueError, LookupError, AssertionError, AttributeError, TypeError)
"""Exceptions of finsy for an entry that does not fit a P4Info."""
NUMBERED = (fy.P4ActionProfileMember, fy.P4ActionProfileGroup, fy.P4CloneSessionEntry, fy.P4MulticastGroupEntry)
"""Entities that have numbers, in an order in which what another names is there before."""
MAX_REPLICA_PORT: Final = 511
"""Ports have 9 bits in v1model."""
_MAX_ID: Final = (1 << 32) - 1


class ProgramError(ValueError):
    """A description that does not fit its program. One line."""


def entities_of(template: EntryTemplate, variables: Mapping[str, Any]) -> list[Any]:
    """The entities that an entry stands for. Raises ProgramError."""
    return _Filled(variables).entities(template)


class _Filled:
    """Templates with the values of variables."""

    def __init__(self, variables: Mapping[str, Any]) -> None:
        self._variables = variables

    def entities(self, template: EntryTemplate) -> list[Any]:
        makers: Mapping[type, Callable[[Any], list[Any]]] = {
            TableTemplate: self._table,
            CloneSessionTemplate: self._session,
            MulticastGroupTemplate: self._multicast,
            RegisterTemplate: self._register,
            MeterTemplate: self._meter,
            ValueSetTemplate: self._value_set,
            ProfileTemplate: self._profile,
        }
        return makers[type(template)](template)

    def _value(self, given: Any) -> Any:
        if isinstance(given, dict):
            return {name: self._value(each) for name, each in given.items()}
        return self._variables[given[1:]] if isinstance(given, str) and given.startswith("$") else given

    def _number(self, given: Number, most: int, what: str, least: int = 0) -> int:
        number = self._value(given)
        if not isinstance(number, int) or not least <= number <= most:
            raise ProgramError(f"{what} {number} is not a number from {least} to {most}")
        return number

    def _index(self, given: Number | None) -> int | None:
        return None if given is None else self._number(given, (1 << 31) - 1, "index")

    def _action(self, template: TableTemplate | ProfileTemplate) -> fy.P4TableAction:
        assert template.action is not None
        return fy.P4TableAction(template.action, **self._value(template.arguments))

    def _rates(self, rates: Rates) -> fy.P4MeterConfig:
        most = (1 << 63) - 1
        return fy.P4MeterConfig(
            **{name: self._number(getattr(rates, name), most, name) for name in Rates.model_fields},
        )

    def _table(self, template: TableTemplate) -> list[Any]:
        if template.ranges is None:
            return self._entries(template)
        ranges, largest = template.ranges, (1 << 63) - 1
        last = self._number(ranges.largest, largest, "largest")
        width = self._number(ranges.width, largest, "width", 1)
        count = self._number(ranges.count, MAX_RANGES, "count", 1)
        firsts = [number * width for number in range(count) if number * width <= last]
        return [
            entry
            for number, first in enumerate(firsts)
            for entry in self._entries(
                template.model_copy(
                    update={
                        "match": {
                            **template.match,
                            ranges.key: f"{first}...{last if first == firsts[-1] else first + width - 1}",
                        },
                        "arguments": {**template.arguments, ranges.argument: number},
                    }
                ),
                ranges.key if len(firsts) == 1 else None,
            )
        ]

    def _entries(self, template: TableTemplate, any_value: str | None = None) -> list[Any]:
        """``any_value`` is the key that matches all of its values."""
        action: Any
        if template.action is not None:
            action = self._action(template)
        elif template.member is not None:
            action = fy.P4IndirectAction(member_id=self._number(template.member, _MAX_ID, "member", 1))
        else:
            assert template.group is not None
            action = fy.P4IndirectAction(group_id=self._number(template.group, _MAX_ID, "group", 1))
        match = self._value(template.match)

        def entry(**more: Any) -> fy.P4TableEntry:
            return fy.P4TableEntry(
                template.table,
                # P4Runtime: a prefix of length 0 or a range of all values is a field that is left out.
                match=fy.P4TableMatch(
                    {name: each for name, each in match.items() if getattr(each, "prefixlen", 1) and name != any_value}
                ),
                priority=template.priority or 0,
                **more,
            )

        if not template.match:
            made = fy.P4TableEntry(template.table, action=action, is_default_action=True)
        else:
            made = entry(action=action)
        if template.rates is None:
            return [made]
        if not template.match:
            raise ProgramError(f"table {template.table}: rates of the default entry: only entries with keys have them")
        return [made, fy.P4DirectMeterEntry(table_entry=entry(), config=self._rates(template.rates))]

    def _replicas(self, ports: Ports) -> list[tuple[int, int]]:
        given = [each if isinstance(each, Replica) else Replica(port=each) for each in ports]
        return [
            (self._number(each.port, MAX_REPLICA_PORT, "port"), self._number(each.instance, 0xFFFF, "instance"))
            for each in given
        ]

    def _session(self, template: CloneSessionTemplate) -> list[Any]:
        return [
            fy.P4CloneSessionEntry(
                self._number(template.clone_session, MAX_SESSION, "clone session", 1),
                class_of_service=self._number(template.class_of_service, 7, "class_of_service"),
                packet_length_bytes=self._number(template.truncate_bytes, 65535, "truncate_bytes"),
                replicas=self._replicas(template.ports),
            )
        ]

    def _multicast(self, template: MulticastGroupTemplate) -> list[Any]:
        number = self._number(template.multicast_group, MAX_GROUP, "multicast group", 1)
        return [fy.P4MulticastGroupEntry(number, replicas=self._replicas(template.ports))]

    def _register(self, template: RegisterTemplate) -> list[Any]:
        index = self._index(template.index)
        return [fy.P4RegisterEntry(template.register_, index=index, data=self._value(template.value))]

    def _meter(self, template: MeterTemplate) -> list[Any]:
        return [fy.P4MeterEntry(template.meter, index=self._index(template.index), config=self._rates(template.rates))]

    def _value_set(self, template: ValueSetTemplate) -> list[Any]:
        # The only field of a set may have no name.
        members = [each if isinstance(each, dict) else {"": each} for each in map(self._value, template.members)]
        return [fy.P4ValueSetEntry(template.value_set, members=[*map(P4ValueSetMember, members)])]

    def _profile(self, template: ProfileTemplate) -> list[Any]:
        if template.member is not None:
            number = self._number(template.member, _MAX_ID, "member", 1)
            return [fy.P4ActionProfileMember(template.profile, member_id=number, action=self._action(template))]
        assert template.group is not None
        members = []
        for each in template.members:
            share = each if isinstance(each, Share) else Share(member=each)
            number = self._number(share.member, _MAX_ID, "member", 1)
            members.append(fy.P4Member(number, weight=self._number(share.weight, (1 << 31) - 1, "weight", 1)))
        return [
            fy.P4ActionProfileGroup(
                template.profile,
                group_id=self._number(template.group, _MAX_ID, "group", 1),
                members=members,
            )
        ]


def is_value(entity: Any) -> bool:
    """Whether an entity is a value of what is there from the start: a register, a meter, a table's default entry."""
    return entity.is_default_action if isinstance(entity, fy.P4TableEntry) else not isinstance(entity, NUMBERED)


def in_order(entities: Iterable[Any], schema: fy.P4Schema) -> list[Any]:
    """Each entity once, in an order in which a switch takes them: what another one names comes first.

    Raises ProgramError for entities that do not fit the program, and for two that contradict each other.
    """
    found: dict[bytes, tuple[Any, bytes]] = {}
    entries: list[p4r.TableEntry] = []
    for entity in entities:
        try:
            encoded = entity.encode(schema)
        except MALFORMED as error:
            raise ProgramError(f"{named(entity)} does not fit the program: {error}") from error
        content = encoded.SerializeToString(deterministic=True)
        _, before = found.setdefault(identity(encoded), (entity, content))
        if before != content:
            raise ProgramError(f"{named(entity)} is given twice, with two contents")
        if encoded.HasField("table_entry"):
            entries.append(encoded.table_entry)
    _check_ranges(entries, schema)
    order = (*NUMBERED, fy.P4TableEntry)
    ranked = [entity for entity, _ in found.values()]
    return sorted(ranked, key=lambda each: order.index(type(each)) if type(each) in order else len(order))


def _check_ranges(entries: Iterable[p4r.TableEntry], schema: fy.P4Schema) -> None:
    """Raises ProgramError for two ranges that have a number in common and ask for two actions: none is the first."""
    alike: dict[tuple[Any, ...], list[tuple[int, int, bytes]]] = {}
    for entry in entries:
        ranges = [each for each in entry.match if each.HasField("range")]
        if len(ranges) == 1:
            others = sorted(each.SerializeToString() for each in entry.match if each not in ranges)
            low, high = int.from_bytes(ranges[0].range.low, "big"), int.from_bytes(ranges[0].range.high, "big")
            action = entry.action.SerializeToString(deterministic=True)
            alike.setdefault((entry.table_id, entry.priority, *others), []).append((low, high, action))
    for (table, *_), found in alike.items():
        reaching: list[tuple[int, bytes]] = []
        for low, high, action in sorted(found):
            reaching = [each for each in reaching if each[0] >= low]
            if any(other != action for _, other in reaching):
                raise ProgramError(
                    f"table {schema.tables[table].name}: two ranges with {low} have two actions: give all ports of the "
                    "switch the same settings"
                )
            reaching.append((high, action))


def named(entity: Any) -> str:
    """The subject of an entity in an error."""
    match entity:
        case fy.P4TableEntry():
            return f"an entry of table {entity.table_id}"
        case fy.P4CloneSessionEntry():
            return f"clone session {entity.session_id}"
        case fy.P4MulticastGroupEntry():
            return f"multicast group {entity.multicast_group_id}"
        case fy.P4RegisterEntry():
            return f"a value of register {entity.register_id}"
        case fy.P4MeterEntry():
            return f"a rate of meter {entity.meter_id}"
        case fy.P4DirectMeterEntry():
            assert entity.table_entry is not None
            return f"a rate of an entry of table {entity.table_entry.table_id}"
        case fy.P4ValueSetEntry():
            return f"value set {entity.value_set_id}"
        case fy.P4ActionProfileMember():
            return f"member {entity.member_id} of action profile {entity.action_profile_id}"
        case fy.P4ActionProfileGroup():
            return f"group {entity.group_id} of action profile {entity.action_profile_id}"
    return type(entity).__name__
