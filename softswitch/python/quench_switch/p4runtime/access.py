# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The rights of a role: writes, reads and messages on the stream (specification, "Role Config").

The specification leaves the form of ``role.config`` to client and server. This server takes ``stratum.P4RoleConfig``,
which clients of Stratum and finsy send. A role without a config has full access, except to tables that the program
gives to another role by ``@p4runtime_role("name")``, the way of SONiC PINS.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from google.protobuf import any_pb2
from google.protobuf.message import DecodeError

from quench_switch.messages import p4i, p4r, stratum

from .errors import cut, denied, invalid
from .pipeline import Pipeline
from .values import canonical

CONFIG_TYPE: Final = stratum.P4RoleConfig.DESCRIPTOR.full_name
_ANNOTATION: Final = "@p4runtime_role("
_ID_FIELDS: Final = {
    "extern_entry": "extern_id",
    "action_profile_member": "action_profile_id",
    "action_profile_group": "action_profile_id",
    "counter_entry": "counter_id",
    "meter_entry": "meter_id",
    "register_entry": "register_id",
    "value_set_entry": "value_set_id",
    "digest_entry": "digest_id",
}
_OF_ENTRY: Final = ("direct_counter_entry", "direct_meter_entry")


@dataclass(frozen=True, slots=True)
class Limits:
    """The rules of a ``role.config``. Its ids are those of P4Info."""

    exclusive: frozenset[int]
    shared: frozenset[int]
    receives_packet_ins: bool
    can_push_pipeline: bool
    packet_in_filter: tuple[int, bytes] | None
    """Id of a metadata field and the value that it must have, in its shortest form."""

    def check_beside(self, other: Limits, name: str) -> None:
        """INVALID_ARGUMENT for an object that one of two roles has for itself and the other has, too."""
        common = self.exclusive & (other.exclusive | other.shared) or self.shared & other.exclusive
        if common:
            raise invalid(f"role.config: role {name!r} has object {min(common)} too, and one of both exclusively")


def decode_limits(config: any_pb2.Any) -> Limits:
    """The rules in a ``role.config``. Raises INVALID_ARGUMENT."""
    given = config.type_url.rpartition("/")[2]
    if given != CONFIG_TYPE:
        raise invalid(cut(f"role.config is a {given or 'message of no type'}: this switch takes {CONFIG_TYPE}"))
    try:
        message = stratum.P4RoleConfig.FromString(config.value)
    except DecodeError:
        raise invalid(f"role.config is not a {CONFIG_TYPE}") from None
    chosen = None
    if message.HasField("packet_in_filter"):
        if not message.receives_packet_ins:
            raise invalid("role.config: packet_in_filter is given, and receives_packet_ins is not set")
        if not message.packet_in_filter.value:
            raise invalid("role.config: packet_in_filter has no value")
        chosen = message.packet_in_filter.metadata_id, _shortest(message.packet_in_filter.value)
    return Limits(
        frozenset(message.exclusive_p4_ids),
        frozenset(message.shared_p4_ids),
        message.receives_packet_ins,
        message.can_push_pipeline,
        chosen,
    )


@dataclass(frozen=True, slots=True)
class Access:
    """The rights of a role; without limits full access."""

    role: str = ""
    limits: Limits | None = None

    def has_object(self, number: int) -> bool:
        """Whether an object of P4Info is the role's. 0 stands for what P4Info does not have."""
        return self.limits is None or number == 0 or number in self.limits.exclusive or number in self.limits.shared

    @property
    def is_full(self) -> bool:
        """Whether the role may write all that there is."""
        return self.limits is None and not self.role

    def allows(self, entity: p4r.Entity, pipeline: Pipeline) -> bool:
        """Whether the role is shown an entity."""
        return self._has(*_ids(entity), pipeline)

    def _has(self, table_id: int, number: int, pipeline: Pipeline) -> bool:
        return self.has_object(number) and self.has_table(table_id, pipeline)

    def has_table(self, table_id: int, pipeline: Pipeline) -> bool:
        """Whether a table is the role's; 0 for no table."""
        if not self.has_object(table_id):
            return False
        table = pipeline.tables.get(table_id) if self.role and self.limits is None else None
        return table is None or _owner(table.info.preamble) in ("", self.role)

    def check(self, entity: p4r.Entity, pipeline: Pipeline) -> None:
        """PERMISSION_DENIED for an entity that the role may not write."""
        self.check_write(pipeline, str(entity.WhichOneof("entity")), *_ids(entity))

    def check_write(self, pipeline: Pipeline, kind: str, table_id: int, number: int) -> None:
        """PERMISSION_DENIED for an entity of a kind, of a table or another object, that the role may not write."""
        if not self._has(table_id, number, pipeline):
            raise denied(f"role {self.role!r} may not write {kind} of object {max(table_id, number)}")

    def check_push(self) -> None:
        """PERMISSION_DENIED where the role may not change the program."""
        if self.limits is not None and not self.limits.can_push_pipeline:
            raise denied(f"role {self.role!r} may not push a pipeline: its role.config has no can_push_pipeline")

    def receives(self, packet: p4r.PacketIn) -> bool:
        """Whether the role's primary gets a packet-in."""
        if self.limits is None:
            return True
        if self.limits.packet_in_filter is None:
            return self.limits.receives_packet_ins
        return any(
            (item.metadata_id, _shortest(item.value)) == self.limits.packet_in_filter for item in packet.metadata
        )

    def idle(self, entries: Iterable[p4r.TableEntry], pipeline: Pipeline) -> list[p4r.TableEntry]:
        """Those of idle entries about which the role's primary is notified."""
        return [entry for entry in entries if self.has_table(entry.table_id, pipeline)]


FULL_ACCESS: Final = Access()


def _shortest(value: bytes) -> bytes:
    return canonical(int.from_bytes(value, "big"))


def _ids(entity: p4r.Entity) -> tuple[int, int]:
    """Table and other object of P4Info that an entity belongs to; 0 for none."""
    kind = entity.WhichOneof("entity")
    if kind == "table_entry":
        return entity.table_entry.table_id, 0
    if kind in _OF_ENTRY:
        return getattr(entity, kind).table_entry.table_id, 0
    if kind is None or kind not in _ID_FIELDS:
        return 0, 0
    return 0, getattr(getattr(entity, kind), _ID_FIELDS[kind])


def _owner(preamble: p4i.Preamble) -> str:
    """The role that the program gives a table to."""
    for text in preamble.annotations:
        if text.startswith(_ANNOTATION):
            return text[len(_ANNOTATION) :].rstrip(")").strip().strip('"')
    return ""
