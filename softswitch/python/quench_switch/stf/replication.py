# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Mirroring and multicast commands: BMv2's nodes and groups in terms of the data plane's replica lists."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .names import StfError

if TYPE_CHECKING:
    from quench_switch._native import Control


@dataclass(slots=True)
class _Node:
    """One egress_rid with its ports."""

    rid: int
    ports: list[int]


@dataclass(slots=True)
class Replication:
    """Groups, nodes and sessions of one test."""

    control: Control
    _nodes: dict[int, _Node] = field(default_factory=dict)
    _groups: dict[int, list[int]] = field(default_factory=dict)
    _sessions: dict[int, int] = field(default_factory=dict)
    """Multicast group of the clone sessions that have one."""
    _next_node: int = 0

    def run(self, name: str, numbers: Sequence[int]) -> str | None:
        """Carry out a command; what it answers, if anything."""
        answer: str | None = getattr(self, f"_{name}")(*numbers)
        return answer

    def _replicas(self, group: int) -> list[tuple[int, int]]:
        nodes = [self._nodes[handle] for handle in self._groups[group]]
        return [(port, node.rid) for node in nodes for port in node.ports]

    def _sync(self, *changed: int) -> None:
        for group in changed:
            self.control.multicast_group_set(group, self._replicas(group))
        for session, group in self._sessions.items():
            if group in changed:
                self.control.clone_session_set(session, self._replicas(group))

    def _with(self, handle: int) -> list[int]:
        """The groups that a node is in."""
        return [group for group, members in self._groups.items() if handle in members]

    def _node(self, handle: int) -> _Node:
        if handle not in self._nodes:
            raise StfError(f"there is no multicast node {handle}")
        return self._nodes[handle]

    def _group(self, group: int) -> list[int]:
        if group not in self._groups:
            raise StfError(f"there is no multicast group {group}")
        return self._groups[group]

    def _mirroring_add(self, session: int, port: int, most_bytes: int = 0) -> None:
        self._sessions.pop(session, None)
        self.control.clone_session_set(session, [(port, 0)], most_bytes)

    def _mirroring_add_mc(self, session: int, group: int) -> None:
        self._sessions[session] = group
        self.control.clone_session_set(session, self._replicas(group) if group in self._groups else [])

    def _mirroring_delete(self, session: int) -> None:
        self._sessions.pop(session, None)
        self.control.clone_session_delete(session)

    def _mirroring_get(self, session: int) -> str:
        for number, replicas, _, _ in self.control.clone_sessions():
            if number == session:
                ports = ", ".join(f"port {port} rid {rid}" for port, rid in replicas)
                return f"session {session}: {ports or 'no replicas'}"
        raise StfError(f"there is no clone session {session}")

    def _mc_mgrp_create(self, group: int) -> None:
        if group in self._groups:
            raise StfError(f"multicast group {group} exists already")
        self._groups[group] = []
        self._sync(group)

    def _mc_mgrp_destroy(self, group: int) -> None:
        self._group(group)
        del self._groups[group]
        self.control.multicast_group_delete(group)

    def _mc_node_create(self, rid: int, *ports: int) -> str:
        handle = self._next_node
        self._next_node += 1
        self._nodes[handle] = _Node(rid, list(ports))
        return f"node {handle}"

    def _mc_node_update(self, handle: int, *ports: int) -> None:
        self._node(handle).ports = list(ports)
        self._sync(*self._with(handle))

    def _mc_node_destroy(self, handle: int) -> None:
        self._node(handle)
        groups = self._with(handle)
        for group in groups:
            self._groups[group].remove(handle)
        del self._nodes[handle]
        self._sync(*groups)

    def _mc_node_associate(self, group: int, handle: int) -> None:
        self._node(handle)
        members = self._group(group)
        if handle in members:
            raise StfError(f"node {handle} is in multicast group {group} already")
        members.append(handle)
        self._sync(group)

    def _mc_node_dissociate(self, group: int, handle: int) -> None:
        members = self._group(group)
        if handle not in members:
            raise StfError(f"node {handle} is not in multicast group {group}")
        members.remove(handle)
        self._sync(group)

    def _mc_exclude_node(self, group: int, rid: int, exclusion: int | None = None) -> None:
        self.control.set_level1_exclusion(group, rid, exclusion)

    def _mc_exclude_ports(self, exclusion: int, *ports: int) -> None:
        self.control.set_level2_exclusion(exclusion, ports)
