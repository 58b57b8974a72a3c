# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Sockets of sender and receiver."""

import contextlib
import socket
from typing import Final

# Linux: asm-generic/socket.h.
_SO_RCVBUFFORCE: Final = 33


class UdpError(RuntimeError):
    """A flow that cannot be sent or received. The message is one line."""


class Waker:
    """Ends a ``select`` from another thread or from a signal handler; once woken it stays so."""

    def __init__(self) -> None:
        self._read, self._write = socket.socketpair()
        self._write.setblocking(False)

    def fileno(self) -> int:
        """The descriptor for ``select``."""
        return self._read.fileno()

    def wake(self) -> None:
        """Make it readable. Does nothing once it is closed."""
        with contextlib.suppress(OSError):
            self._write.send(b"\0")

    def close(self) -> None:
        """Close both ends."""
        self._read.close()
        self._write.close()


def receive_buffer(receiving: socket.socket, size_bytes: int) -> None:
    """Set the size of a receive buffer; without root the machine's limit (net.core.rmem_max) applies."""
    try:
        receiving.setsockopt(socket.SOL_SOCKET, _SO_RCVBUFFORCE, size_bytes)
    except PermissionError:
        receiving.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, size_bytes)
