# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The interfaces and captures that Thrift's clients may attach to the switch: those that its command granted."""

from __future__ import annotations

import socket
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Attaching:
    """The interfaces of ports, and the rules for further ones."""

    interfaces: dict[int, str]
    """The interfaces that were given at the start, by port."""
    patterns: tuple[str, ...] = ()
    """The patterns of the names of further interfaces, as a shell's."""
    captures: Path | None = None
    """The folder of captures; None: there are none."""
    _first: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_first", frozenset(self.interfaces.values()))

    def refusal(self, interface: str) -> str | None:
        """The reason why an interface may not be attached; None: it may."""
        if not _is_name(interface):
            return f"{interface!r} is not the name of an interface"
        if interface in self._first or any(fnmatchcase(interface, pattern) for pattern in self.patterns):
            return None
        return f"interface {interface!r} was not granted: start the switch with --allow-interface"

    def capture(self, prefix: str) -> Path:
        """The beginning of a capture's path. Raises ValueError where it is not one in the folder of captures."""
        if self.captures is None:
            raise ValueError("captures were not granted: start the switch with --pcap DIR")
        path = self.captures / prefix
        if path.parent != self.captures or not path.name or path.name == "..":
            raise ValueError(f"capture {prefix!r} is not a name in {self.captures}, the folder of --pcap")
        return path


def _is_name(interface: str) -> bool:
    """Whether a text is the name that the kernel knows an interface by: it takes others for one too, such as lo:x."""
    try:
        return socket.if_indextoname(socket.if_nametoindex(interface)) == interface
    except (OSError, ValueError):
        return False
