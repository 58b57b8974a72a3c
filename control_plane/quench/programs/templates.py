# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The entries of a program's YAML file. A text ``$NAME`` stands for a variable; ``entities`` fills them in."""

from collections.abc import Iterator
from typing import Annotated, Any, Final, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Discriminator, Field, Tag, model_validator
from quench_switch.outside.units import quoted

MAX_SESSION: Final = 32767
"""simple_switch's largest clone session."""
MAX_GROUP: Final = 65535
"""``mcast_grp`` has 16 bits."""
MAX_RANGES: Final = 1024
"""The most entries that an entry with ranges stands for."""
P4Name = Annotated[str, Field(min_length=1, max_length=200)]
"""A name of P4Info, or a suffix of it that is unique."""


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _entry_value(value: object) -> object:
    """Here, as in ``_number``, because of a union pydantic has a fault for each branch."""
    if not _is_whole(value) and not (isinstance(value, str) and len(value) <= 200):
        raise ValueError(f"{quoted(value)} is no value: write a whole number from 0 on, or a short text")
    return value


def _number(value: object) -> object:
    if isinstance(value, str):
        fits = value.startswith("$") and value.isprintable() and len(value) <= 65
    else:
        fits = isinstance(value, int) and _is_whole(value) and value < 1 << 63
    if not fits:
        raise ValueError(f"{quoted(value)} is no number: write a whole number from 0 on, or $NAME")
    return value


EntryValue = Annotated[int | str, BeforeValidator(_entry_value)]
"""A number, a text that P4Runtime's client reads (such as an address), or ``$NAME``."""
Number = Annotated[int | str, BeforeValidator(_number)]
"""A number, or ``$NAME``."""


class Part(BaseModel):
    """A part of a description: frozen, and an unknown key is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Template(Part):
    """The part that all entries have in common."""

    def variables(self) -> set[str]:
        """The names behind ``$``."""
        return {each[1:] for each in _leaves(self.model_dump()) if isinstance(each, str) and each.startswith("$")}


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        for each in value.values():
            yield from _leaves(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _leaves(each)
    else:
        yield value


class Rates(Template):
    """The rates of a meter, in its unit (bytes or packets) per second."""

    cir: Number
    """Committed rate."""
    cburst: Number
    """Burst at the committed rate."""
    pir: Number
    """Peak rate."""
    pburst: Number
    """Burst at the peak rate."""


class Ranges(Template):
    """Ranges of equal width from 0 on, each of which has an entry."""

    key: P4Name
    """The key, which matches ranges."""
    width: Number
    """The values of a range. The last one has all that are left, too."""
    count: Number
    """The number of ranges. Those that begin beyond ``largest`` have no entry."""
    largest: Number
    """The key's largest value."""
    argument: P4Name
    """The action's parameter that gets the range's number, counted from 0."""


class TableTemplate(Template):
    """An entry of a table. Without ``match`` it is the default entry."""

    table: P4Name
    """The table's name."""
    match: dict[P4Name, EntryValue] = Field(default={}, max_length=32)
    """Keys by name; none for the default entry."""
    action: P4Name | None = None
    """The action's name. A table with an action profile has ``member`` or ``group`` in its place, if it is shared."""
    arguments: dict[P4Name, EntryValue] = Field(default={}, max_length=64)
    """The action's parameters by name."""
    member: Number | None = None
    """A member of the table's action profile."""
    group: Number | None = None
    """A group of the table's action selector."""
    priority: int | None = Field(default=None, ge=1, lt=1 << 31)
    """The priority in tables with ternary, range or optional keys."""
    ranges: Ranges | None = None
    """The entry stands for one of each range, which is a key beside those of ``match``."""
    rates: Rates | None = None
    """The rates of the entry's direct meter."""

    @model_validator(mode="after")
    def _does_one_thing(self) -> Self:
        given = [name for name in ("action", "member", "group") if getattr(self, name) is not None]
        if len(given) != 1:
            raise ValueError(f"give one of action, member and group, not {' and '.join(given) or 'none'}")
        if (self.arguments or self.ranges) and self.action is None:
            raise ValueError("arguments belong to an action")
        if self.ranges and (self.ranges.key in self.match or self.ranges.argument in self.arguments):
            raise ValueError("the key and the argument of ranges are not given elsewhere")
        if self.ranges and self.rates:
            raise ValueError("the entries of ranges have no rates: leave them out")
        return self


class Replica(Template):
    """A copy of a packet."""

    port: Number
    """The copy's egress port."""
    instance: Number = 0
    """The copy's ``egress_rid``."""


Ports = Annotated[tuple[Number | Replica, ...], Field(max_length=512)]
"""Ports, or ports with the instance of the copy: ``[1, {port: 2, instance: 5}]``. None: copies are dropped."""


class CloneSessionTemplate(Template):
    """A clone session: where the copies go that the program makes by this number."""

    clone_session: Number
    """The session's number, from 1 to 32767."""
    ports: Ports
    """Ports of the copies."""
    class_of_service: Number = 0
    """The copies' queue."""
    truncate_bytes: Number = 0
    """Length to which copies are cut; 0: they are whole."""


class MulticastGroupTemplate(Template):
    """A multicast group."""

    multicast_group: Number
    """The group's number, from 1 to 65535."""
    ports: Ports
    """Ports of the copies."""


class RegisterTemplate(Template):
    """A register's first value."""

    register_: P4Name = Field(alias="register")
    """The register's name."""
    index: Number | None = None
    """The cell; all cells by default."""
    value: EntryValue
    """The cell's value."""

    model_config = ConfigDict(extra="forbid", frozen=True, validate_by_name=True, serialize_by_alias=True)


class MeterTemplate(Template):
    """A meter's rates."""

    meter: P4Name
    """The meter's name."""
    index: Number | None = None
    """The cell; all cells by default."""
    rates: Rates
    """The cell's rates."""


class ValueSetTemplate(Template):
    """The members of a parser's value set."""

    value_set: P4Name
    """The value set's name."""
    members: tuple[EntryValue | dict[P4Name, EntryValue], ...] = Field(max_length=1000)
    """Values; for sets of several fields, the values by the fields' names."""


class Share(Template):
    """A member's share of a group."""

    member: Number
    """The member's number."""
    weight: Number = 1
    """Weight against the other members."""


class ProfileTemplate(Template):
    """A member of an action profile, or a group of an action selector's members."""

    profile: P4Name
    """The name of the action profile or selector."""
    member: Number | None = None
    """The member's number. It has an action."""
    action: P4Name | None = None
    """The member's action."""
    arguments: dict[P4Name, EntryValue] = Field(default={}, max_length=64)
    """The action's parameters by name."""
    group: Number | None = None
    """The group's number. It has members."""
    members: tuple[Number | Share, ...] = Field(default=(), max_length=1000)
    """The group's members, by their numbers or with a weight: ``[1, {member: 2, weight: 3}]``."""

    @model_validator(mode="after")
    def _is_one_of_two(self) -> Self:
        if (self.member is None) == (self.group is None):
            raise ValueError("give either member, with its action, or group, with its members")
        if self.member is not None and (self.action is None or self.members):
            raise ValueError("a member has an action, and no members")
        if self.group is not None and (self.action is not None or self.arguments):
            raise ValueError("a group has members, and no action")
        return self


KINDS: Final[dict[str, type[Template]]] = {
    "table": TableTemplate,
    "clone_session": CloneSessionTemplate,
    "multicast_group": MulticastGroupTemplate,
    "register": RegisterTemplate,
    "meter": MeterTemplate,
    "value_set": ValueSetTemplate,
    "profile": ProfileTemplate,
}
"""The entries by the key that tells them apart."""


def _kind(value: Any) -> str | None:
    """The tag of an entry. No tag is a key of a file: else the place of a fault would be that of the key's value."""
    if isinstance(value, Template):
        return next((f"[{key}]" for key, kind in KINDS.items() if isinstance(value, kind)), None)
    return next((f"[{key}]" for key in KINDS if isinstance(value, dict) and key in value), None)


EntryTemplate = Annotated[
    Annotated[TableTemplate, Tag("[table]")]
    | Annotated[CloneSessionTemplate, Tag("[clone_session]")]
    | Annotated[MulticastGroupTemplate, Tag("[multicast_group]")]
    | Annotated[RegisterTemplate, Tag("[register]")]
    | Annotated[MeterTemplate, Tag("[meter]")]
    | Annotated[ValueSetTemplate, Tag("[value_set]")]
    | Annotated[ProfileTemplate, Tag("[profile]")],
    Discriminator(
        _kind,
        custom_error_type="no_entry",
        custom_error_message=f"it is no entry: give one of {', '.join(KINDS)}",
    ),
]
"""An entry of any kind."""
