# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The primary stream of each role (specification, "Client Arbitration and Controller Replication")."""

from __future__ import annotations

from dataclasses import dataclass, field

from finsy import GRPCStatusCode as Code
from finsy.proto import U128, p4r

from .verdict import Verdict

MAX_CONTROLLERS = 64
"""The largest number of controllers of one role, as softswitch/docs/p4runtime.md says."""

Notifications = dict[int, p4r.MasterArbitrationUpdate]
"""The messages that each stream must get."""


@dataclass
class Role:
    """Election ids of the live streams, and the highest one that a primary had."""

    streams: dict[int, int | None] = field(default_factory=dict)
    highest: int | None = None

    @property
    def primary(self) -> int | None:
        """The stream that may write."""
        if self.highest is None:
            return None
        return next((stream for stream, election in self.streams.items() if election == self.highest), None)


class RolesModel:
    """Arbitration on one device."""

    def __init__(self, device_id: int) -> None:
        self.device_id = device_id
        self.roles: dict[str, Role] = {}
        self.role_of: dict[int, str] = {}

    def is_primary(self, stream: int) -> bool:
        """Whether a stream may send packets."""
        return stream in self.role_of and self.roles[self.role_of[stream]].primary == stream

    def judge(self, stream: int, given: p4r.MasterArbitrationUpdate) -> tuple[Verdict, Notifications]:
        """An arbitration message; the stream ends if it is refused."""
        verdict = Verdict()
        name, known = given.role.name, self.role_of.get(stream)
        if given.device_id != self.device_id:
            verdict.refuse(Code.NOT_FOUND if known is None else Code.FAILED_PRECONDITION, "another device")
        if given.role.id and not name:
            verdict.invalid("role.id is deprecated")
        if given.role.HasField("config"):
            verdict.invalid("a role.config that is none of those agreed on")
        if known is not None and known != name:
            verdict.refuse(Code.FAILED_PRECONDITION, "another role")
        role = self.roles.get(name, Role())
        election = U128.decode(given.election_id) if given.HasField("election_id") else None
        if election is not None and any(other != stream and used == election for other, used in role.streams.items()):
            verdict.invalid("the election id is in use")
        if known is None and len(role.streams) >= MAX_CONTROLLERS:
            verdict.refuse(Code.RESOURCE_EXHAUSTED, "too many controllers")
        if not verdict.accepts:
            return verdict, self.leave(stream)
        before = role.primary
        self.roles[name], self.role_of[stream] = role, name
        role.streams[stream] = election
        if election is not None and (role.highest is None or election >= role.highest):
            role.highest = election
        everybody = role.primary != before or role.primary == stream
        return verdict, self._notifications(name, set(role.streams) if everybody else {stream})

    def leave(self, stream: int) -> Notifications:
        """A stream ended."""
        name = self.role_of.pop(stream, None)
        if name is None:
            return {}
        role = self.roles[name]
        was_primary = role.primary == stream
        del role.streams[stream]
        return self._notifications(name, set(role.streams)) if was_primary else {}

    def _notifications(self, name: str, streams: set[int]) -> Notifications:
        role = self.roles[name]
        found = {}
        for stream in streams:
            message = p4r.MasterArbitrationUpdate(device_id=self.device_id)
            if name:
                message.role.name = name
            if role.highest is not None:
                message.election_id.CopyFrom(U128.encode(role.highest))
            if role.primary == stream:
                message.status.code = Code.OK
            else:
                message.status.code = Code.NOT_FOUND if role.primary is None else Code.ALREADY_EXISTS
            found[stream] = message
        return found

    def judge_request(self, device_id: int, name: str, election_id: p4r.Uint128 | None) -> Verdict:
        """Whether a Write or SetForwardingPipelineConfig comes from the primary; the checks have an order."""
        verdict = Verdict()
        role = self.roles.get(name, Role())
        if device_id != self.device_id:
            verdict.refuse(Code.NOT_FOUND, "another device")
        elif name and not role.streams:
            verdict.refuse(Code.NOT_FOUND, "a role that nobody has")
            verdict.refuse(Code.PERMISSION_DENIED, "a role without a primary")
        elif role.primary is None or election_id is None or U128.decode(election_id) != role.highest:
            verdict.refuse(Code.PERMISSION_DENIED, "not the primary")
        return verdict
