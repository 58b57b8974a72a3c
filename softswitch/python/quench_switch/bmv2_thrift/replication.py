# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Multicast groups from nodes, as BMv2's replication engine has them, and mirroring sessions."""

from __future__ import annotations

import heapq
import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final, TypeVar

from bm_runtime.simple_pre_lag.ttypes import InvalidMcOperation, McOperationErrorCode
from sswitch_runtime.ttypes import (
    InvalidMirroringOperation,
    MirroringOperationErrorCode,
    MirroringSessionConfig,
)

from quench_switch.p4runtime.limits import GROUP_REPLICAS, PAGE, STATE_BYTES

from .errors import refuse
from .running import Running

Item = TypeVar("Item")

MAX_PORT: Final = 511
MAX_NODES: Final = 4096


@dataclass(slots=True)
class Node:
    """Ports that get a copy each, all with one egress_rid."""

    rid: int
    ports: list[int]
    of_group: int | None = None
    """The group of P4Runtime's for which it was made, and with which it goes."""


@dataclass(slots=True)
class Session:
    """Where clones of a mirroring session go."""

    port: int | None
    group: int | None


@dataclass(slots=True)
class _State:
    nodes: dict[int, Node] = field(default_factory=dict)
    groups: dict[int, list[int]] = field(default_factory=dict)
    """Handles of their nodes."""
    sessions: dict[int, Session] = field(default_factory=dict)
    _free: list[int] = field(default_factory=list)

    def add(self, node: Node) -> int:
        """Its handle is the smallest that is free."""
        handle = heapq.heappop(self._free) if self._free else len(self.nodes)
        self.nodes[handle] = node
        return handle

    def remove(self, handle: int) -> None:
        """Its handle is free again."""
        del self.nodes[handle]
        heapq.heappush(self._free, handle)

    def forget(self, group: int) -> None:
        """A group is gone, or another one, and so are the nodes that were made for it."""
        for handle in self.groups.pop(group, []):
            if self.nodes[handle].of_group == group:
                self.remove(handle)


class Replication:
    """The methods ``bm_mc_*`` and ``mirroring_*``. A group that P4Runtime made has a node for each egress_rid."""

    def __init__(self, running: Running) -> None:
        self._running = running
        self._switch = running.switch
        self._generation = 0
        self._state = _State()

    @property
    def _now(self) -> _State:
        """The state, with what P4Runtime did meanwhile."""
        if self._generation != self._running.generation:
            self._generation = self._running.generation
            self._state = _State()
        state = self._state
        found = dict(self._running.multicast_groups())
        for group in [number for number in state.groups if number not in found]:
            state.forget(group)
        with self._running.others_turn():
            for group, replicas in found.items():
                handles = state.groups.get(group, [])
                if sorted(replicas) != sorted(_replicas(state.nodes[handle] for handle in handles)):
                    state.forget(group)
                    ports: dict[int, list[int]] = {}
                    for port, rid in replicas:
                        ports.setdefault(rid, []).append(port)
                    nodes = (Node(rid, sorted(of_rid), group) for rid, of_rid in ports.items())
                    state.groups[group] = [state.add(node) for node in nodes]
        return state

    def _write(self, state: _State, group: int, handles: list[int]) -> None:
        """Give a group its nodes, and the sessions that follow it."""
        replicas = _replicas(state.nodes[handle] for handle in handles)
        self._check_room(len(replicas))
        self._switch.multicast_group_set(group, replicas)
        state.groups[group] = handles
        following = [number for number, session in state.sessions.items() if session.group == group]
        for place, number in enumerate(following):
            if place % PAGE == 0:
                with self._running.others_turn():
                    pass
            self._clone(state, number, state.sessions[number])

    def _clone(self, state: _State, number: int, session: Session) -> None:
        replicas = [] if session.port is None else [(session.port, 0)]
        replicas += _replicas(state.nodes[handle] for handle in state.groups.get(session.group or 0, []))
        self._check_room(len(replicas))
        self._switch.clone_session_set(number, replicas)

    def _check_room(self, replicas: int) -> None:
        """Refuse a group or session that is too large, or for which there is no room, as P4Runtime does."""
        if replicas > GROUP_REPLICAS or self._switch.state_bytes() > STATE_BYTES:
            raise InvalidMcOperation(McOperationErrorCode.TABLE_FULL)

    # -- Groups and nodes ---------------------------------------------------------------------------------

    def bm_mc_mgrp_create(self, _context: int, group: int) -> int:
        """Make an empty group, or leave one that there is as it is; its handle is its number."""
        state = self._now
        if group not in state.groups:
            self._write(state, group, [])
        return group

    def bm_mc_mgrp_destroy(self, _context: int, group: int) -> None:
        """Delete a group, if there is such a group."""
        state = self._now
        if group in state.groups:
            self._switch.multicast_group_delete(group)
            state.forget(group)

    def bm_mc_node_create(self, _context: int, rid: int, port_map: str, lag_map: str = "") -> int:
        """Make a node; returns its handle."""
        ports = _ports(port_map, lag_map)
        if not 0 <= rid < 1 << 16:
            raise InvalidMcOperation(McOperationErrorCode.ERROR)
        state = self._now
        if len(state.nodes) >= MAX_NODES:
            raise InvalidMcOperation(McOperationErrorCode.TABLE_FULL)
        return state.add(Node(rid, ports))

    def bm_mc_node_update(self, _context: int, handle: int, port_map: str, lag_map: str = "") -> None:
        """Change the ports of a node."""
        state = self._now
        node = _known(state.nodes, handle, McOperationErrorCode.INVALID_L1_HANDLE)
        node.ports = _ports(port_map, lag_map)
        self._rewrite(state, handle)

    def bm_mc_node_associate(self, _context: int, group: int, handle: int) -> None:
        """Put a node into a group."""
        state = self._now
        handles = _known(state.groups, group, McOperationErrorCode.INVALID_MGRP_HANDLE)
        node = _known(state.nodes, handle, McOperationErrorCode.INVALID_L1_HANDLE)
        if handle in handles:
            raise InvalidMcOperation(McOperationErrorCode.ERROR)
        # It is not that group's alone any more.
        node.of_group = None
        self._write(state, group, [*handles, handle])

    def bm_mc_node_dissociate(self, _context: int, group: int, handle: int) -> None:
        """Take a node out of a group."""
        state = self._now
        handles = _known(state.groups, group, McOperationErrorCode.INVALID_MGRP_HANDLE)
        if handle not in handles:
            raise InvalidMcOperation(McOperationErrorCode.INVALID_L1_HANDLE)
        self._write(state, group, [each for each in handles if each != handle])

    def bm_mc_node_destroy(self, _context: int, handle: int) -> None:
        """Delete a node, out of its groups too."""
        state = self._now
        _known(state.nodes, handle, McOperationErrorCode.INVALID_L1_HANDLE)
        for group, handles in list(state.groups.items()):
            if handle in handles:
                self._write(state, group, [each for each in handles if each != handle])
        state.remove(handle)

    def bm_mc_set_lag_membership(self, _context: int, _lag: int, _port_map: str) -> None:
        """The switch has no link aggregation."""
        raise InvalidMcOperation(McOperationErrorCode.ERROR)

    def bm_mc_get_entries(self, _context: int) -> str:
        """All of it, as JSON."""
        state = self._now
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

    def _rewrite(self, state: _State, handle: int) -> None:
        for group, handles in list(state.groups.items()):
            if handle in handles:
                self._write(state, group, handles)

    # -- Mirroring ----------------------------------------------------------------------------------------

    def mirroring_session_add(self, number: int, config: MirroringSessionConfig) -> None:
        """Make a session, or change it."""
        state = self._now
        session = Session(config.port, config.mgid)
        try:
            self._clone(state, number, session)
        except InvalidMcOperation:
            # Its client knows no such exception.
            refuse("mirroring_session_add", "resource_exhausted", f"session {number}: there is no room for it")
        else:
            state.sessions[number] = session

    def mirroring_session_delete(self, number: int) -> None:
        """Delete a session."""
        self.mirroring_session_get(number)
        self._switch.clone_session_delete(number)
        self._state.sessions.pop(number, None)

    def mirroring_session_get(self, number: int) -> MirroringSessionConfig:
        """A session; one of P4Runtime's by its first port."""
        state = self._now
        replicas = self._switch.clone_session(number) if number >= 0 else None
        if replicas is None:
            raise InvalidMirroringOperation(MirroringOperationErrorCode.SESSION_NOT_FOUND)
        known = state.sessions.get(number, Session(replicas[0][0] if replicas else None, None))
        return MirroringSessionConfig(port=known.port, mgid=known.group)


def _replicas(nodes: Iterable[Node]) -> list[tuple[int, int]]:
    return [(port, node.rid) for node in nodes for port in node.ports]


def _known(items: dict[int, Item], number: int, code: int) -> Item:
    if number not in items:
        raise InvalidMcOperation(code)
    return items[number]


def _ports(port_map: str, lag_map: str | None) -> list[int]:
    """The ports of a map of 0 and 1, the last character of which is port 0."""
    if lag_map and "1" in lag_map:
        raise InvalidMcOperation(McOperationErrorCode.ERROR)
    if len(port_map) > MAX_PORT + 1 or port_map.strip("01"):
        raise InvalidMcOperation(McOperationErrorCode.ERROR)
    return [port for port, digit in enumerate(reversed(port_map)) if digit == "1"]
