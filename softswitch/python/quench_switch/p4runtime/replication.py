# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``PacketReplicationEngineEntry``: multicast groups and clone sessions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, TypeVar

from quench_switch.messages import p4r

from .errors import Code, RequestError, exhausted, invalid, not_found, unimplemented
from .limits import GROUP_REPLICAS
from .staged import Staged
from .state import DELETE, INSERT, State
from .values import canonical, parse_port, replica_port

MAX_ID: Final = 0xFFFF
"""Multicast groups and clone sessions have 16-bit numbers in v1model."""
MAX_CLONE_SESSION: Final = 32767
"""simple_switch's largest clone session."""
MAX_CLASS_OF_SERVICE: Final = 7
"""v1model has eight queues."""


Place = tuple[int, int]
"""Port and instance of a copy."""


def _replicas(what: str, replicas: Sequence[p4r.Replica]) -> tuple[list[Place], list[list[Place]]]:
    """Each replica, in order, and of each its backups, the preferred ones first."""
    count = sum(1 + len(replica.backup_replicas) for replica in replicas)
    if count > GROUP_REPLICAS:
        raise exhausted(f"{what}: {count} replicas, the most is {GROUP_REPLICAS}")
    decoded: set[Place] = set()

    def place(port: int, instance: int) -> Place:
        if instance > MAX_ID:
            raise invalid(f"{what}: replica instance {instance} does not fit in 16 bits")
        pair = (port, instance)
        if pair in decoded:
            raise invalid(f"{what}: port {port} instance {instance} is given twice")
        decoded.add(pair)
        return pair

    ranked = []
    for replica in replicas:
        first = place(replica_port(replica, what), replica.instance)
        others = [place(parse_port(backup.port, what), backup.instance) for backup in replica.backup_replicas]
        if any(port == first[0] for port, _ in others):
            raise invalid(f"{what}: a backup of the replica at port {first[0]} has the same port")
        ranked.append((first, others))
    backups = [others for _, others in ranked]
    while backups and not backups[-1]:
        backups.pop()
    return [first for first, _ in ranked], backups


_Entry = TypeVar("_Entry", p4r.MulticastGroupEntry, p4r.CloneSessionEntry)


def _kept(entry: _Entry) -> _Entry:
    """A copy with ports in their shortest form ("Read-Write Symmetry"): part of a request would keep all of it."""
    copy = type(entry)()
    copy.CopyFrom(entry)
    copy.DiscardUnknownFields()
    for replica in copy.replicas:
        if replica.WhichOneof("port_kind") == "port":
            replica.port = canonical(int.from_bytes(replica.port, "big"))
        for backup in replica.backup_replicas:
            backup.port = canonical(int.from_bytes(backup.port, "big"))
    return copy


def _check_exists(kind: int, known: Staged[int, Any], number: int, what: str) -> None:
    exists = known.get(number) is not None
    if kind == INSERT and exists:
        raise RequestError(Code.ALREADY_EXISTS, f"{what} exists already")
    if kind != INSERT and not exists:
        raise not_found(f"{what} does not exist")


def _selected(present: Mapping[int, _Entry], number: int) -> Iterator[_Entry]:
    """The entry of this number, or all of them for 0. Between two steps of a read, entries come and go."""
    for each in [number] if number else sorted(present):
        entry = present.get(each)
        if entry is not None:
            yield entry


def _entity(entry: p4r.PacketReplicationEngineEntry) -> p4r.Entity:
    return p4r.Entity(packet_replication_engine_entry=entry)


class ReplicationEngine:
    """Multicast groups and clone sessions; the messages are kept in canonical form."""

    def __init__(self, state: State) -> None:
        self._state = state

    def write(self, kind: int, entry: p4r.PacketReplicationEngineEntry) -> None:
        """Apply one update."""
        given = entry.WhichOneof("type")
        if given == "multicast_group_entry":
            self._write_group(kind, entry.multicast_group_entry)
        elif given == "clone_session_entry":
            self._write_session(kind, entry.clone_session_entry)
        else:
            raise invalid("the replication entry is neither a multicast group nor a clone session")

    def _write_group(self, kind: int, entry: p4r.MulticastGroupEntry) -> None:
        number = entry.multicast_group_id
        what = f"multicast group {number}"
        if not 0 < number <= MAX_ID:
            raise invalid(f"{what}: ids are 1 to {MAX_ID}")
        groups = self._state.multicast_groups
        _check_exists(kind, groups, number, what)
        if kind == DELETE:
            self._state.changes.multicast_group_delete(number)
            groups.remove(number)
            return
        self._state.changes.multicast_group_set(number, *_replicas(what, entry.replicas))
        groups.put(number, _kept(entry))

    def _write_session(self, kind: int, entry: p4r.CloneSessionEntry) -> None:
        number = entry.session_id
        what = f"clone session {number}"
        if not 0 < number <= MAX_CLONE_SESSION:
            raise invalid(f"{what}: ids are 1 to {MAX_CLONE_SESSION}")
        sessions = self._state.clone_sessions
        _check_exists(kind, sessions, number, what)
        if kind == DELETE:
            self._state.changes.clone_session_delete(number)
            sessions.remove(number)
            return
        if entry.packet_length_bytes < 0:
            raise invalid(f"{what}: packet_length_bytes {entry.packet_length_bytes} is negative")
        if entry.class_of_service > MAX_CLASS_OF_SERVICE:
            raise invalid(f"{what}: class_of_service {entry.class_of_service} is not between 0 and 7")
        replicas, backups = _replicas(what, entry.replicas)
        if backups:
            raise unimplemented(f"{what}: only multicast groups have backup replicas")
        self._state.changes.clone_session_set(number, replicas, entry.packet_length_bytes, entry.class_of_service)
        sessions.put(number, _kept(entry))

    def read(self, entry: p4r.PacketReplicationEngineEntry) -> Iterator[p4r.Entity]:
        """Groups or sessions that the request selects; id 0 means all, an empty entry means both kinds."""
        given = entry.WhichOneof("type")
        if given in (None, "multicast_group_entry"):
            group_id = entry.multicast_group_entry.multicast_group_id
            for group in _selected(self._state.multicast_groups.settled, group_id):
                yield _entity(p4r.PacketReplicationEngineEntry(multicast_group_entry=group))
        if given in (None, "clone_session_entry"):
            session_id = entry.clone_session_entry.session_id
            for session in _selected(self._state.clone_sessions.settled, session_id):
                yield _entity(p4r.PacketReplicationEngineEntry(clone_session_entry=session))
