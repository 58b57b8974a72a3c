# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Multicast groups from nodes, as BMv2's replication engine has them, and mirroring sessions."""

from __future__ import annotations

import heapq
import json
import logging
from dataclasses import dataclass, field
from typing import Final, TypeVar

from bm_runtime.simple_pre_lag.ttypes import InvalidMcOperation, McOperationErrorCode
from sswitch_runtime.ttypes import (
    InvalidMirroringOperation,
    MirroringOperationErrorCode,
    MirroringSessionConfig,
)

from quench_switch.p4runtime.limits import GROUP_REPLICAS

from .errors import refuse, unsupported
from .running import Running

_log = logging.getLogger(__name__)

Item = TypeVar("Item")

MAX_PORT: Final = 511
MAX_NODES: Final = 4096
"""The largest number of nodes that clients made."""
MAX_READ: Final = 1 << 16
"""Nodes that are read: a group of P4Runtime's has one for each egress_rid."""
MAX_FOLLOWING: Final = 16
"""Sessions of one group: a change of the group changes all of them at once."""
REPLICA_BYTES: Final = 192
"""Memory of a replica, as the data plane counts it."""


@dataclass(slots=True)
class Node:
    """Ports that get a copy each, all with one egress_rid."""

    rid: int
    ports: list[int]
    group: int | None = None
    """The only one in which it is, as on BMv2."""
    is_own: bool = True
    """Whether a client made it. The others go with their groups, which are P4Runtime's."""


@dataclass(slots=True)
class Session:
    """The destination of the clones of a mirroring session that follows a group."""

    port: int | None
    group: int

    @property
    def first(self) -> list[tuple[int, int]]:
        """The replicas in front of the group's."""
        return [] if self.port is None else [(self.port, 0)]


@dataclass(slots=True)
class _State:
    nodes: dict[int, Node] = field(default_factory=dict)
    groups: dict[int, list[int]] = field(default_factory=dict)
    """Handles of their nodes."""
    sessions: dict[int, Session] = field(default_factory=dict)
    """Those that follow a group. The data plane knows all about the others."""
    following: dict[int, set[int]] = field(default_factory=dict)
    """Numbers of sessions by their group."""
    own: int = 0
    """Nodes that clients made."""
    _free: list[int] = field(default_factory=list)

    def add(self, node: Node) -> int:
        """Its handle is the smallest that is free."""
        handle = heapq.heappop(self._free) if self._free else len(self.nodes)
        self.nodes[handle] = node
        self.own += node.is_own
        return handle

    def remove(self, handle: int) -> None:
        """Its handle is free again."""
        self.own -= self.nodes.pop(handle).is_own
        heapq.heappush(self._free, handle)

    def replicas(self, group: int) -> list[tuple[int, int]]:
        """The replicas of a group's nodes; none of a group that is not there."""
        nodes = [self.nodes[handle] for handle in self.groups.get(group, ())]
        return [(port, node.rid) for node in nodes for port in node.ports]

    def has(self, group: int, replicas: list[tuple[int, int]] | None) -> bool:
        """Whether it has a group with these replicas, in any order; with None, whether it has no such group."""
        if replicas is None or group not in self.groups:
            return replicas is None and group not in self.groups
        return sorted(replicas) == sorted(self.replicas(group))

    def forget(self, group: int) -> None:
        """A group is gone, or another one, and so are the nodes that were made for it."""
        for handle in self.groups.pop(group, ()):
            self.nodes[handle].group = None
            if not self.nodes[handle].is_own:
                self.remove(handle)

    def follow(self, number: int, session: Session) -> None:
        """A session follows a group from now on."""
        self.end(number)
        self.sessions[number] = session
        self.following.setdefault(session.group, set()).add(number)

    def end(self, number: int) -> None:
        """A session follows no group any more, if it did."""
        session = self.sessions.pop(number, None)
        if session is not None:
            following = self.following[session.group]
            following.remove(number)
            if not following:
                del self.following[session.group]


class Replication:
    """The methods ``bm_mc_*`` and ``mirroring_*``. A group that P4Runtime made has a node for each egress_rid.

    P4Runtime changes groups and sessions too. So a method looks at those that it is about, and no others, before it
    does anything with them.
    """

    def __init__(self, running: Running) -> None:
        self._running = running
        self._switch = running.switch
        self._generation = 0
        self._state = _State()

    @property
    def _now(self) -> _State:
        """The state of the running program."""
        if self._generation != self._running.generation:
            self._generation = self._running.generation
            self._state = _State()
        return self._state

    def _group(self, state: _State, group: int) -> list[int] | None:
        """The handles of a group's nodes, after what P4Runtime did meanwhile; None where there is no such group."""
        found, _ = self._switch.multicast_groups_page(max(group, 0), 1)
        self._see(state, group, dict(found).get(group))
        return state.groups.get(group)

    def _see(self, state: _State, group: int, replicas: list[tuple[int, int]] | None) -> None:
        """Bring a group to what the data plane has of it."""
        if state.has(group, replicas):
            return
        ports: dict[int, list[int]] = {}
        for port, rid in replicas or ():
            ports.setdefault(rid, []).append(port)
        if len(state.nodes) + len(ports) > MAX_READ:
            raise unsupported(f"there are more than {MAX_READ} nodes: read the groups by P4Runtime")
        before = state.replicas(group)
        state.forget(group)
        if replicas is not None:
            nodes = (Node(rid, sorted(of_rid), group, is_own=False) for rid, of_rid in ports.items())
            state.groups[group] = [state.add(node) for node in nodes]
        self._follow(state, group, before)

    def _node(self, state: _State, handle: int) -> Node:
        """A node, after what P4Runtime did to its group."""
        node = _known(state.nodes, handle, McOperationErrorCode.INVALID_L1_HANDLE)
        if node.group is not None:
            self._group(state, node.group)
        return _known(state.nodes, handle, McOperationErrorCode.INVALID_L1_HANDLE)

    def _write(self, state: _State, group: int, before: list[tuple[int, int]]) -> None:
        """Give a group the replicas of its nodes, which were others before."""
        self._switch.multicast_group_set(group, state.replicas(group))
        self._follow(state, group, before)

    def _follow(self, state: _State, group: int, before: list[tuple[int, int]]) -> None:
        """Let the sessions of a group follow it. One that P4Runtime changed or deleted is P4Runtime's now."""
        after = state.replicas(group)
        for number in sorted(state.following.get(group, ())):
            first = state.sessions[number].first
            if self._switch.clone_session(number) != first + before:
                state.end(number)
            elif self._has_room(len(after) - len(before)):
                self._switch.clone_session_set(number, first + after)
            else:
                _log.warning("Thrift: session %d follows group %d no longer: there is no room for it", number, group)
                state.end(number)

    def _has_room(self, more: int) -> bool:
        """Whether there is room for so many more replicas."""
        most_bytes = self._running.device.state_bytes
        return more <= 0 or self._switch.state_bytes() + more * REPLICA_BYTES <= most_bytes

    def _check_room(self, state: _State, group: int, more: int) -> None:
        """Refuse so many more replicas of a group, and of the sessions that follow it, as P4Runtime does."""
        is_large = more > 0 and len(state.replicas(group)) + more > GROUP_REPLICAS
        if is_large or not self._has_room(more * (1 + len(state.following.get(group, ())))):
            raise InvalidMcOperation(McOperationErrorCode.TABLE_FULL)

    # -- Groups and nodes ---------------------------------------------------------------------------------

    def bm_mc_mgrp_create(self, _context: int, group: int) -> int:
        """Make an empty group, or leave one that there is as it is; its handle is its number."""
        state = self._now
        if self._group(state, group) is None:
            self._switch.multicast_group_set(group, [])
            state.groups[group] = []
        return group

    def bm_mc_mgrp_destroy(self, _context: int, group: int) -> None:
        """Delete a group, if there is such a group."""
        state = self._now
        if self._group(state, group) is not None:
            self._switch.multicast_group_delete(group)
            self._see(state, group, None)

    def bm_mc_node_create(self, _context: int, rid: int, port_map: str, lag_map: str = "") -> int:
        """Make a node; returns its handle."""
        ports = _ports(port_map, lag_map)
        if not 0 <= rid < 1 << 16:
            raise InvalidMcOperation(McOperationErrorCode.ERROR)
        state = self._now
        _check_nodes(state)
        return state.add(Node(rid, ports))

    def bm_mc_node_update(self, _context: int, handle: int, port_map: str, lag_map: str = "") -> None:
        """Change the ports of a node."""
        state = self._now
        node, ports = self._node(state, handle), _ports(port_map, lag_map)
        if node.group is None:
            node.ports = ports
            return
        self._check_room(state, node.group, len(ports) - len(node.ports))
        before = state.replicas(node.group)
        node.ports = ports
        self._write(state, node.group, before)

    def bm_mc_node_associate(self, _context: int, group: int, handle: int) -> None:
        """Put a node into a group."""
        state = self._now
        node, handles = self._node(state, handle), self._group(state, group)
        if handles is None:
            raise InvalidMcOperation(McOperationErrorCode.INVALID_MGRP_HANDLE)
        if node.group is not None:
            raise InvalidMcOperation(McOperationErrorCode.ERROR)
        self._check_room(state, group, len(node.ports))
        before = state.replicas(group)
        handles.append(handle)
        node.group = group
        self._write(state, group, before)

    def bm_mc_node_dissociate(self, _context: int, group: int, handle: int) -> None:
        """Take a node out of a group; from then on it is a client's."""
        state = self._now
        node = self._node(state, handle)
        if self._group(state, group) is None:
            raise InvalidMcOperation(McOperationErrorCode.INVALID_MGRP_HANDLE)
        if node.group != group:
            raise InvalidMcOperation(McOperationErrorCode.ERROR)
        if not node.is_own:
            _check_nodes(state)
            state.own += 1
            node.is_own = True
        self._take_out(state, group, handle)

    def bm_mc_node_destroy(self, _context: int, handle: int) -> None:
        """Delete a node, out of its group too."""
        state = self._now
        group = self._node(state, handle).group
        if group is not None:
            self._take_out(state, group, handle)
        state.remove(handle)

    def _take_out(self, state: _State, group: int, handle: int) -> None:
        before = state.replicas(group)
        state.groups[group].remove(handle)
        state.nodes[handle].group = None
        self._write(state, group, before)

    def bm_mc_set_lag_membership(self, _context: int, _lag: int, _port_map: str) -> None:
        """The switch has no link aggregation."""
        raise InvalidMcOperation(McOperationErrorCode.ERROR)

    def bm_mc_get_entries(self, _context: int) -> str:
        """All of it, as JSON."""
        state = self._now
        found = dict(self._running.multicast_groups())
        with self._running.others_turn():
            changed = [group for group in found | state.groups if not state.has(group, found.get(group))]
        for group in changed:
            self._group(state, group)
            with self._running.others_turn():
                pass
        with self._running.others_turn():
            nodes = sorted(state.nodes.items())
            return json.dumps(
                {
                    "mgrps": [{"id": group, "l1_handles": handles} for group, handles in sorted(state.groups.items())],
                    "l1_handles": [{"handle": handle, "rid": node.rid, "l2_handle": handle} for handle, node in nodes],
                    "l2_handles": [{"handle": handle, "ports": node.ports, "lags": []} for handle, node in nodes],
                    "lags": [],
                }
            )

    # -- Mirroring ----------------------------------------------------------------------------------------

    def mirroring_session_add(self, number: int, config: MirroringSessionConfig) -> None:
        """Make a session, or change it."""
        state, group = self._now, config.mgid
        session = Session(config.port, 0 if group is None else group)
        replicas = session.first
        if group is not None:
            self._group(state, group)
            replicas += state.replicas(group)
            if len(state.following.get(group, set()) - {number}) >= MAX_FOLLOWING:
                self._refuse(number, f"{MAX_FOLLOWING} others follow group {group}, the most")
                return
        if len(replicas) > GROUP_REPLICAS or not self._has_room(len(replicas)):
            self._refuse(number, "there is no room for it")
            return
        self._switch.clone_session_set(number, replicas)
        if group is None:
            state.end(number)
        else:
            state.follow(number, session)

    def _refuse(self, number: int, why: str) -> None:
        """Its client knows no exception."""
        refuse("mirroring_session_add", "resource_exhausted", f"session {number}: {why}")

    def mirroring_session_delete(self, number: int) -> None:
        """Delete a session."""
        self.mirroring_session_get(number)
        self._switch.clone_session_delete(number)
        self._state.end(number)

    def mirroring_session_get(self, number: int) -> MirroringSessionConfig:
        """A session; one of P4Runtime's by its first port."""
        state = self._now
        session = state.sessions.get(number)
        if session is not None:
            self._group(state, session.group)
        replicas = self._switch.clone_session(number) if number >= 0 else None
        if replicas is None:
            raise InvalidMirroringOperation(MirroringOperationErrorCode.SESSION_NOT_FOUND)
        if session is not None and replicas == session.first + state.replicas(session.group):
            return MirroringSessionConfig(port=session.port, mgid=session.group)
        return MirroringSessionConfig(port=replicas[0][0] if replicas else None)


def _known(items: dict[int, Item], number: int, code: int) -> Item:
    if number not in items:
        raise InvalidMcOperation(code)
    return items[number]


def _check_nodes(state: _State) -> None:
    if state.own >= MAX_NODES:
        raise InvalidMcOperation(McOperationErrorCode.TABLE_FULL)


def _ports(port_map: str, lag_map: str | None) -> list[int]:
    """The ports of a map of 0 and 1, the last character of which is port 0."""
    if lag_map and "1" in lag_map:
        raise InvalidMcOperation(McOperationErrorCode.ERROR)
    if len(port_map) > MAX_PORT + 1 or port_map.strip("01"):
        raise InvalidMcOperation(McOperationErrorCode.ERROR)
    return [port for port, digit in enumerate(reversed(port_map)) if digit == "1"]
