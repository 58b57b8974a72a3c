# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Rules of multicast groups, clone sessions, value sets and digests."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from finsy import GRPCStatusCode as Code
from finsy.proto import p4r

from .actions import MAX_PORT
from .matching import judge_key
from .state import State
from .tables import DELETE, INSERT, MODIFY, Effect, nothing
from .values import shortest, unsigned
from .verdict import Verdict

MAX_GROUP = MAX_INSTANCE = 0xFFFF
MAX_SESSION = 0x7FFF
MAX_CLASS_OF_SERVICE = 7


def judge_replication(state: State, kind: int, given: p4r.PacketReplicationEngineEntry, verdict: Verdict) -> Effect:
    """One update of the packet replication engine."""
    which = given.WhichOneof("type")
    if which is None:
        verdict.invalid("neither a group nor a session")
        return nothing
    if which == "multicast_group_entry":
        group = p4r.MulticastGroupEntry()
        group.CopyFrom(given.multicast_group_entry)
        number = group.multicast_group_id
        _judge_number(kind, number, MAX_GROUP, state.multicast_groups, verdict)
        if kind == DELETE:
            return lambda: state.multicast_groups.__delitem__(number)
        _judge_replicas(group.replicas, verdict)
        return lambda: state.multicast_groups.__setitem__(number, group)
    session = p4r.CloneSessionEntry()
    session.CopyFrom(given.clone_session_entry)
    number = session.session_id
    _judge_number(kind, number, MAX_SESSION, state.clone_sessions, verdict)
    if kind == DELETE:
        return lambda: state.clone_sessions.__delitem__(number)
    if session.packet_length_bytes < 0:
        verdict.invalid("a negative length")
    if session.class_of_service > MAX_CLASS_OF_SERVICE:
        verdict.invalid("a class of service that does not exist")
    _judge_replicas(session.replicas, verdict)
    if any(replica.backup_replicas for replica in session.replicas):
        verdict.refuse(Code.UNIMPLEMENTED, "backup replicas of a clone session")
    return lambda: state.clone_sessions.__setitem__(number, session)


def _judge_number(kind: int, number: int, last: int, known: Collection[int], verdict: Verdict) -> None:
    if not 0 < number <= last:
        verdict.invalid(f"number {number}")
    elif kind == INSERT and number in known:
        verdict.refuse(Code.ALREADY_EXISTS, f"number {number}")
    elif kind != INSERT and number not in known:
        verdict.refuse(Code.NOT_FOUND, f"number {number}")


def _judge_replicas(replicas: Iterable[p4r.Replica], verdict: Verdict) -> None:
    """Also brings the ports into the form in which they are read back."""
    seen: set[tuple[int, int]] = set()

    def judge_place(port: int | None, instance: int) -> None:
        if instance > MAX_INSTANCE:
            verdict.invalid("an instance beyond 16 bits")
        if port is not None and (port, instance) in seen:
            verdict.invalid("a replica is given twice")
        if port is not None:
            seen.add((port, instance))

    for replica in replicas:
        for backup in replica.backup_replicas:
            backed = unsigned(backup.port, 9, "port", verdict)
            backup.port = shortest(backed or 0)
            judge_place(backed, backup.instance)
        which = replica.WhichOneof("port_kind")
        port: int | None = replica.egress_port
        if which is None:
            verdict.invalid("a replica without a port")
            continue
        if which == "port":
            port = unsigned(replica.port, 9, "port", verdict)
            replica.port = shortest(port or 0)
        elif replica.egress_port > MAX_PORT:
            verdict.refuse(Code.OUT_OF_RANGE, "port")
        judge_place(port, replica.instance)
        if any(backup.port == shortest(port or 0) for backup in replica.backup_replicas):
            verdict.invalid("a backup with the replica's port")


def judge_value_set(state: State, kind: int, given: p4r.ValueSetEntry, verdict: Verdict) -> Effect:
    """One update of a ``ValueSetEntry``."""
    if kind != MODIFY:
        verdict.invalid("value sets can only be modified")
    if given.value_set_id not in state.value_sets:
        verdict.refuse(Code.NOT_FOUND, f"value set {given.value_set_id}")
        return nothing
    info, fields = state.program.value_sets[given.value_set_id]
    if len(given.members) > info.size:
        verdict.refuse(Code.RESOURCE_EXHAUSTED, "too many members")
    keys = [judge_key(fields, member.match, verdict) for member in given.members]
    good = [key for key in keys if key is not None]
    if len(set(good)) < len(good):
        verdict.refuse(Code.ALREADY_EXISTS, "a member is given twice")
    return lambda: state.value_sets.__setitem__(given.value_set_id, good)


def judge_digest(state: State, kind: int, given: p4r.DigestEntry, verdict: Verdict) -> Effect:
    """One update of a ``DigestEntry``."""
    number = given.digest_id
    if number not in state.program.digests:
        verdict.refuse(Code.NOT_FOUND, f"digest {number}")
        return nothing
    if kind == INSERT and number in state.digests:
        verdict.refuse(Code.ALREADY_EXISTS, "the digest is enabled")
    if kind != INSERT and number not in state.digests:
        verdict.refuse(Code.NOT_FOUND, "the digest is not enabled")
    if kind == DELETE:
        return lambda: state.digests.__delitem__(number)
    config = (given.config.max_timeout_ns, given.config.max_list_size, given.config.ack_timeout_ns)
    if min(config) < 0:
        verdict.invalid("a negative number")
    return lambda: state.digests.__setitem__(number, config)
