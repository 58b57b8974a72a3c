# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
r"""A publisher of nanomsg's protocol PUB/SUB (Scalability Protocols), over TCP and Unix sockets.

In: an address as nanomsg writes it, and messages. Out: each message to all subscribers that are connected. Each side
begins with eight bytes: ``\0SP\0``, the number of its protocol, and two zeros. Then a message is its length in eight
bytes and its content, behind a byte 1 on Unix sockets. A subscriber sends nothing, and filters topics itself.
"""

from __future__ import annotations

import asyncio
import errno
import logging
import os
import socket
import stat
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from quench_switch.listener import MAX_TCP_PORT, is_local

_log = logging.getLogger(__name__)

SUBSCRIBERS: Final = 16
"""The largest number of subscribers at once. A further one is closed."""
WAITING_BYTES: Final = 1 << 20
"""The largest size of the messages that wait for one subscriber. Further ones are lost to it and counted."""
GREETING_S: Final = 5.0
"""Time in which a subscriber says that it is one."""
_PUBLISHER: Final = b"\0SP\0\0\x20\0\0"
_SUBSCRIBER: Final = b"\0SP\0\0\x21\0\0"


@dataclass(frozen=True, slots=True)
class Address:
    """The address at which subscribers connect: a Unix socket's path, or a host and port."""

    text: str
    path: Path | None = None
    host: str = ""
    port: int = 0

    @property
    def is_local(self) -> bool:
        """Whether only this machine reaches it."""
        return self.path is not None or is_local(f"{self.host}:{self.port}")


def parse_address(text: str) -> Address:
    """``ipc://PATH`` or ``tcp://HOST:PORT``, where the host ``*`` is every address. Raises ValueError."""
    scheme, _, rest = text.partition("://")
    if not text.isprintable():
        raise ValueError(f"{text!r} is no address")
    if scheme == "ipc" and rest:
        return Address(text, path=Path(rest))
    host, colon, port = rest.rpartition(":")
    if scheme == "tcp" and host and colon and port.isascii() and port.isdigit() and int(port[:6]) <= MAX_TCP_PORT:
        return Address(text, host="0.0.0.0" if host == "*" else host.strip("[]"), port=int(port))
    raise ValueError(f"{text}: write ipc://PATH or tcp://HOST:PORT")


class _Subscriber(asyncio.Protocol):
    """One connection."""

    def __init__(self, publisher: Publisher) -> None:
        self._publisher = publisher
        self._received = b""
        self._transport: asyncio.Transport | None = None
        self._timer: asyncio.TimerHandle | None = None
        self.lost = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Greet."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        if not self._publisher.admit(self):
            transport.abort()
            return
        transport.write(_PUBLISHER)
        self._timer = asyncio.get_running_loop().call_later(GREETING_S, self._be_greeted)

    def _be_greeted(self) -> None:
        if not self.is_greeted:
            self.close()

    @property
    def is_greeted(self) -> bool:
        """Whether it has said that it subscribes."""
        return self._received == _SUBSCRIBER

    def data_received(self, data: bytes) -> None:
        """Take the greeting. The connection of a client that is no subscriber is closed."""
        self._received += data[: len(_SUBSCRIBER) + 1]
        if not _SUBSCRIBER.startswith(self._received):
            self.close()

    def connection_lost(self, _error: Exception | None) -> None:
        """Make room for another one."""
        if self._timer is not None:
            self._timer.cancel()
        self._publisher.forget(self)

    @property
    def waiting_bytes(self) -> int:
        """The bytes that wait for it, in this process."""
        return 0 if self._transport is None else self._transport.get_write_buffer_size()

    def send(self, message: bytes) -> bool:
        """Queue a message; False where too much waits already."""
        if self._transport is None or self.waiting_bytes + len(message) > WAITING_BYTES:
            return False
        self._transport.write(message)
        return True

    def close(self) -> None:
        """End the connection, with what waits for it."""
        if self._transport is not None:
            self._transport.abort()


class Publisher:
    """Sends messages to its subscribers, and waits for none of them. It belongs to one event loop."""

    def __init__(self, address: Address) -> None:
        self._address = address
        self._subscribers: set[_Subscriber] = set()
        self._server: asyncio.AbstractServer | None = None
        self.lost = 0
        """Messages that a subscriber did not get because it reads too slowly."""

    async def start(self) -> None:
        """Begin to accept. Raises OSError."""
        loop, path = asyncio.get_running_loop(), self._address.path
        if path is None:
            self._server = await loop.create_server(
                lambda: _Subscriber(self), self._address.host, self._address.port, reuse_address=True
            )
            return
        _check_free(path)
        self._server = await loop.create_unix_server(lambda: _Subscriber(self), path)

    def stop(self) -> None:
        """Close the address and all connections."""
        if self._server is None:
            return
        self._server.close()
        self._server = None
        for subscriber in list(self._subscribers):
            subscriber.close()
        if self._address.path is not None:
            self._address.path.unlink(missing_ok=True)

    def admit(self, subscriber: _Subscriber) -> bool:
        """Whether there is room for one more."""
        if len(self._subscribers) < SUBSCRIBERS:
            self._subscribers.add(subscriber)
            return True
        _log.warning("a subscriber of %s was closed: there are %d, the most", self._address.text, SUBSCRIBERS)
        return False

    def forget(self, subscriber: _Subscriber) -> None:
        """Its connection is over."""
        self._subscribers.discard(subscriber)

    def send(self, message: bytes) -> None:
        """Send a message to all subscribers."""
        kind = b"" if self._address.path is None else b"\1"
        framed = kind + struct.pack(">Q", len(message)) + message
        for subscriber in list(self._subscribers):
            if subscriber.is_greeted and not subscriber.send(framed):
                self.lost += 1
                subscriber.lost += 1
                if subscriber.lost == 1:
                    # Not of each message: a record that the log's limit leaves out takes longer than the message.
                    _log.warning("a subscriber of %s reads too slowly, and loses messages", self._address.text)


def _check_free(path: Path) -> None:
    """Refuse what is no socket, and a socket on which somebody listens; one that was left behind is replaced."""
    try:
        if not stat.S_ISSOCK(path.lstat().st_mode):
            raise OSError(errno.EEXIST, os.strerror(errno.EEXIST), str(path))
    except FileNotFoundError:
        return
    with socket.socket(socket.AF_UNIX) as probe:
        probe.setblocking(False)
        try:
            probe.connect(str(path))
        except ConnectionRefusedError:
            return
        except BlockingIOError:
            pass
    raise OSError(errno.EADDRINUSE, os.strerror(errno.EADDRINUSE), str(path))
