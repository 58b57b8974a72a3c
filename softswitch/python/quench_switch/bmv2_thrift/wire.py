# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Calls and answers as bytes. A call is read whole before anything is made of it, and an answer is sent by its parts.

So what a slow client keeps in memory is bytes, which are counted for all clients together, and nobody waits for it.
"""

from __future__ import annotations

import socket
import threading
import time
from typing import Final

from thrift.protocol.TBinaryProtocol import TBinaryProtocol
from thrift.protocol.TMultiplexedProtocol import SEPARATOR
from thrift.protocol.TProtocol import TProtocolException
from thrift.Thrift import TMessageType, TType
from thrift.transport.TTransport import TTransportBase, TTransportException

CALL_BYTES: Final = 4 << 20
"""The largest size of one call."""
CALL_VALUES: Final = 1 << 17
"""The largest number of values of one call: names, numbers and texts, each of which takes more memory than its
bytes."""
CALL_S: Final = 30.0
"""The time for a call to come whole, and for a client to take the next 64 KiB of its answer."""
PATIENCE_S: Final = 1.0
"""The latter where another call waits for room."""
STRING_BYTES: Final = 1 << 20
ITEMS: Final = 1 << 16
"""The largest number of items of one list."""
FREE_BYTES: Final = 64 << 10
"""The size of the call of each connection for which there is always room."""
CALLS_BYTES: Final = 24 << 20
"""The largest size of all calls that are not answered yet, beyond that."""
ANSWERS_BYTES: Final = 24 << 20
"""The largest size of all answers that their clients have not taken. Beyond it the next call waits."""
_PART_BYTES: Final = 64 << 10


class Room:
    """The bytes that all connections together keep."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._calls_bytes = 0
        self._answers_bytes = 0
        self.wanted = False
        """Whether a call waits for the room of answers."""

    def take_call(self, size_bytes: int) -> None:
        """Room for more of a call. Raises TTransportException where there is none."""
        with self._changed:
            if self._calls_bytes + size_bytes > CALLS_BYTES:
                raise TTransportException(
                    TTransportException.SIZE_LIMIT, f"the calls of all clients are larger than {CALLS_BYTES} bytes"
                )
            self._calls_bytes += size_bytes

    def give_call(self, size_bytes: int) -> None:
        """The call is over."""
        with self._changed:
            self._calls_bytes -= size_bytes

    def wait(self) -> None:
        """Wait until answers leave room for another one. A client that does not take its answer loses it then."""
        with self._changed:
            self.wanted = True
            self._changed.wait_for(lambda: self._answers_bytes < ANSWERS_BYTES)
            self.wanted = False

    def take_answer(self, size_bytes: int) -> None:
        """An answer waits to be sent."""
        with self._changed:
            self._answers_bytes += size_bytes

    def give_answer(self, size_bytes: int) -> None:
        """Give back the room of a part of an answer that was sent, or is not sent any more."""
        with self._changed:
            self._answers_bytes -= size_bytes
            self._changed.notify_all()


class _Skipping(TBinaryProtocol):  # type: ignore[misc]
    """Reads past values: texts need not be UTF-8."""

    def readString(self) -> bytes:  # noqa: N802 - Thrift's name
        """The text as bytes."""
        data: bytes = self.readBinary()
        return data


class Wire(TTransportBase):  # type: ignore[misc]
    """One connection."""

    def __init__(self, connection: socket.socket, room: Room) -> None:
        self._socket = connection
        self._room = room
        self._data = bytearray()
        self._place = 0
        self._values = 0
        self._taken_bytes = 0
        self._ends: float | None = None

    def call(self) -> bytes | None:
        """The bytes of the next call; None where the client is gone. Raises TTransportException beyond a limit.

        Between two calls a client may wait as long as it likes: it may be a person at a prompt.
        """
        self._values = 0
        # The beginning of a call may have come with the one before.
        self._ends = time.monotonic() + CALL_S if self._data else None
        if not self._data and not self._receive():
            return None
        protocol = _Skipping(self, string_length_limit=STRING_BYTES, container_length_limit=ITEMS)
        try:
            name, kind, _ = protocol.readMessageBegin()
            if kind not in (TMessageType.CALL, TMessageType.ONEWAY) or SEPARATOR not in str(name):
                raise TProtocolException(TProtocolException.INVALID_DATA, "what came is no call of a service")
            protocol.skip(TType.STRUCT)
            whole = bytes(memoryview(self._data)[: self._place])
            del self._data[: self._place]
            return whole
        except BaseException:
            self.forget_call()
            raise
        finally:
            self._place = 0

    def forget_call(self) -> None:
        """The call is answered, or came not whole: others may have its room."""
        self._room.give_call(self._taken_bytes)
        self._taken_bytes = 0

    def read(self, size: int) -> bytes:
        """The next bytes of the call, as TTransportBase has it."""
        end = self._place + size
        self._values += 1
        if end > CALL_BYTES or self._values > CALL_VALUES:
            raise TTransportException(
                TTransportException.SIZE_LIMIT, f"a call is larger than {CALL_BYTES} bytes or {CALL_VALUES} values"
            )
        while len(self._data) < end:
            more_bytes = min(end, CALL_BYTES) - FREE_BYTES - self._taken_bytes
            if more_bytes > 0:
                more_bytes = max(more_bytes, _PART_BYTES)
                self._room.take_call(more_bytes)
                self._taken_bytes += more_bytes
            if not self._receive():
                raise TTransportException(TTransportException.END_OF_FILE, "half a call")
        data = bytes(memoryview(self._data)[self._place : end])
        self._place = end
        return data

    def _receive(self) -> bool:
        """More bytes; false where there are none any more."""
        left_s = None if self._ends is None else self._ends - time.monotonic()
        if left_s is not None and left_s <= 0:
            raise TTransportException(TTransportException.TIMED_OUT, "a call took too long to come")
        self._socket.settimeout(left_s)
        try:
            data = self._socket.recv(_PART_BYTES)
        except TimeoutError:
            raise TTransportException(TTransportException.TIMED_OUT, "a call took too long to come") from None
        except ConnectionError:
            return False
        if self._ends is None:
            self._ends = time.monotonic() + CALL_S
        self._data += data
        return bool(data)

    def send(self, answer: bytes) -> None:
        """An answer for which room was taken. Raises TTransportException for a client that does not take it."""
        left = memoryview(answer)
        try:
            while left:
                part = left[:_PART_BYTES]
                self._send_part(part)
                left = left[len(part) :]
                self._room.give_answer(len(part))
        finally:
            self._room.give_answer(len(left))

    def _send_part(self, part: memoryview) -> None:
        began = time.monotonic()
        while part:
            self._socket.settimeout(PATIENCE_S)
            try:
                part = part[self._socket.send(part) :]
            except TimeoutError:
                pass
            except OSError as error:
                raise TTransportException(TTransportException.NOT_OPEN, str(error)) from None
            took_s = time.monotonic() - began
            if part and took_s > (PATIENCE_S if self._room.wanted else CALL_S):
                raise TTransportException(TTransportException.TIMED_OUT, "an answer took too long to be taken")
