# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The choice of the controller that may write (specification, "Client Arbitration and Controller Replication")."""

from __future__ import annotations

from dataclasses import dataclass, field

from quench_switch.messages import p4r

from .access import FULL_ACCESS, Access, Limits, decode_limits
from .errors import Code, RequestError, denied, exhausted, invalid, not_found
from .limits import CONTROLLERS_PER_ROLE, ROLE_NAME_BYTES, ROLES
from .outbox import Outbox

_LOW = 1 << 64
"""Election ids have a half above this and one below."""


@dataclass(slots=True, eq=False)
class Controller:
    """One stream, from its first arbitration message on."""

    outbox: Outbox
    role: str
    election_id: int | None = None


@dataclass(slots=True)
class _Role:
    controllers: list[Controller] = field(default_factory=list)
    highest: int | None = None
    """Highest election id ever received from a primary; forgotten only by a restart, or with the role."""
    access: Access = FULL_ACCESS
    """The access by the ``role.config`` that a primary sent last."""
    config: bytes | None = None
    """The bytes of that ``role.config``, an ``Any``."""

    def primary(self) -> Controller | None:
        if self.highest is None:
            return None
        # A copy: a Write in progress asks, too, from a thread of its own.
        for controller in tuple(self.controllers):
            if controller.election_id == self.highest:
                return controller
        return None


class Arbitration:
    """Live controllers of one device, by role."""

    def __init__(self, device_id: int) -> None:
        self.device_id = device_id
        self._roles: dict[str, _Role] = {}

    def check_device(self, device_id: int) -> None:
        """NOT_FOUND for any other device."""
        if device_id != self.device_id:
            raise not_found(f"no device has id {device_id}: this switch is device {self.device_id}")

    def update(self, controller: Controller | None, message: p4r.MasterArbitrationUpdate, outbox: Outbox) -> Controller:
        """Handle an arbitration message and notify whom it concerns. Raises what ends the stream."""
        if controller is not None and message.device_id != self.device_id:
            raise RequestError(Code.FAILED_PRECONDITION, "a stream cannot change its device_id")
        self.check_device(message.device_id)
        if message.role.id and not message.role.name:
            raise invalid("role.id is deprecated: give role.name")
        name = message.role.name
        limits = self._limits(message.role)
        if controller is not None and name != controller.role:
            raise RequestError(Code.FAILED_PRECONDITION, "a stream cannot change its role: open a new one")
        role = self._role(name)
        election_id = _election_id(message)
        if election_id is not None and any(
            other is not controller and other.election_id == election_id for other in role.controllers
        ):
            raise invalid(f"election_id {election_id} is used by another live controller of role {name!r}")
        if controller is None:
            if len(role.controllers) >= CONTROLLERS_PER_ROLE:
                raise exhausted(f"role {name!r} has {CONTROLLERS_PER_ROLE} controllers already")
            controller = Controller(outbox, name)
            role.controllers.append(controller)
        before = role.primary()
        controller.election_id = election_id
        if election_id is not None and (role.highest is None or election_id >= role.highest):
            role.highest = election_id
            role.access = Access(name, limits)
            role.config = message.role.config.SerializeToString() if limits is not None else None
        after = role.primary()
        if before is not after or after is controller:
            self._notify_all(name, role)
        else:
            self._notify(name, role, controller)
        return controller

    def _limits(self, role: p4r.Role) -> Limits | None:
        """The rules that a message gives for its role; None for full access. Raises INVALID_ARGUMENT."""
        if not role.HasField("config"):
            return None
        if not role.name:
            raise invalid("role.config: the default role has full access, give role.name")
        limits = decode_limits(role.config)
        for name, other in self._roles.items():
            if name != role.name and other.access.limits is not None:
                limits.check_beside(other.access.limits, name)
        return limits

    def access(self, role: str) -> Access:
        """The rights of a role; full access where nothing is known of it."""
        known = self._roles.get(role)
        return known.access if known is not None else Access(role)

    def _role(self, name: str) -> _Role:
        """A role, new if need be. The default role is always known; of the others, so many."""
        role = self._roles.get(name)
        if role is not None:
            return role
        if len(name.encode()) > ROLE_NAME_BYTES:
            raise exhausted(f"the role's name is longer than {ROLE_NAME_BYTES} bytes")
        if len(self._roles) >= ROLES and name:
            # Those that lost their last controller come in that order, see disconnect.
            idle = next((other for other, known in self._roles.items() if other and not known.controllers), None)
            if idle is None:
                raise exhausted(f"{ROLES} roles have controllers already")
            del self._roles[idle]
        role = self._roles[name] = _Role(access=Access(name))
        return role

    def disconnect(self, controller: Controller) -> None:
        """Forget a stream that ended. If it was the primary's, the others get a new status."""
        role = self._roles[controller.role]
        was_primary = role.primary() is controller
        role.controllers.remove(controller)
        if not role.controllers:
            self._roles[controller.role] = self._roles.pop(controller.role)
        if was_primary:
            self._notify_all(controller.role, role)

    def _notify_all(self, name: str, role: _Role) -> None:
        """Send the new status, backups first: the primary may act as soon as it has its own."""
        primary = role.primary()
        for controller in role.controllers:
            if controller is not primary:
                self._notify(name, role, controller)
        if primary is not None:
            self._notify(name, role, primary)

    def _notify(self, name: str, role: _Role, controller: Controller) -> None:
        message = p4r.StreamMessageResponse()
        update = message.arbitration
        update.device_id = self.device_id
        if name:
            update.role.name = name
        if role.config is not None:
            update.role.config.MergeFromString(role.config)
        if role.highest is not None:
            update.election_id.high, update.election_id.low = divmod(role.highest, _LOW)
        primary = role.primary()
        if primary is controller:
            update.status.code = Code.OK
            update.status.message = "you are the primary"
        elif primary is not None:
            update.status.code = Code.ALREADY_EXISTS
            update.status.message = "another controller is the primary"
        else:
            update.status.code = Code.NOT_FOUND
            update.status.message = "there is no primary"
        controller.outbox.put(message.SerializeToString())

    def is_primary(self, controller: Controller) -> bool:
        """Whether a controller is the primary of its role."""
        return self._roles[controller.role].primary() is controller

    def primaries(self) -> list[Controller]:
        """The primary of every role that has one: receivers of packets, digests and timeouts."""
        found = [role.primary() for role in tuple(self._roles.values())]
        return [primary for primary in found if primary is not None]

    def check_primary(self, request: p4r.WriteRequest | p4r.SetForwardingPipelineConfigRequest) -> None:
        """Refuse a request that is not the primary's: NOT_FOUND or PERMISSION_DENIED."""
        self.check_device(request.device_id)
        election_id = _election_id(request)
        self._check_election(request.role, election_id)

    def check_owner(self, role: str, election_id: int | None) -> None:
        """Check as :meth:`check_primary`, except that without any primary a request may leave out the election id."""
        if election_id is not None or self.primaries():
            self._check_election(role, election_id)

    def primary_id(self, role: str) -> int | None:
        """Election id of a role's primary, None without one."""
        known = self._roles.get(role)
        primary = known.primary() if known is not None else None
        return primary.election_id if primary is not None else None

    def _check_election(self, role: str, election_id: int | None) -> None:
        if role and role not in self._roles:
            raise not_found(f"no controller has role {role!r}")
        primary_id = self.primary_id(role)
        if primary_id is None:
            raise denied("there is no primary controller: send an arbitration update on a stream first")
        if election_id != primary_id:
            raise denied("the request's election_id is not the primary's")


def _election_id(
    message: p4r.MasterArbitrationUpdate | p4r.WriteRequest | p4r.SetForwardingPipelineConfigRequest,
) -> int | None:
    return message.election_id.high * _LOW + message.election_id.low if message.HasField("election_id") else None
