# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The services together, and one connection's calls."""

from __future__ import annotations

import logging
import re
import socket
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from bm_runtime.simple_pre import SimplePre
from bm_runtime.simple_pre_lag import SimplePreLAG
from bm_runtime.standard import Standard
from thrift.protocol.TBinaryProtocol import TBinaryProtocol
from thrift.Thrift import TApplicationException
from thrift.TMultiplexedProcessor import TMultiplexedProcessor
from thrift.transport.TSocket import TSocket
from thrift.transport.TTransport import TBufferedTransport, TTransportException

from quench_switch._native import DataPlaneError
from quench_switch.p4runtime.limits import STATE_BYTES

from .arrays import Arrays
from .errors import refuse, unsupported
from .priority_queues import Processor
from .profiles import Profiles
from .replication import Replication
from .running import Running
from .standard import Management
from .tables import Tables
from .target import Ports, Target

if TYPE_CHECKING:
    from quench_switch._native import RealtimeSwitch
    from quench_switch.p4runtime.device import Device

    from .learning import Notifications

CALL_BYTES: Final = 4 << 20
"""Of one call on the wire."""
CALL_S: Final = 30.0
"""For a call to come whole, and for a client to take the next bytes of its answer."""
_LATE: Final = "a call took too long to come"
STRING_BYTES: Final = 1 << 20
ITEMS: Final = 1 << 16
"""Of one list."""
_GROWING: Final = re.compile("add|create|associate|modify|update")
"""Methods by which the state grows. P4Runtime has the same limit."""


def _refusals_have_no_traceback(record: logging.LogRecord) -> bool:
    """Drops what Thrift's generated code logs of an error that the client gets as text."""
    return not (record.exc_info and isinstance(record.exc_info[1], TApplicationException))


class Handler:
    """The methods of several parts, one call at a time, with the data plane's refusals as the service's exceptions."""

    def __init__(self, running: Running, *parts: object) -> None:
        self._running = running
        self._parts = parts

    def __getattr__(self, name: str) -> Callable[..., Any]:
        """A method of the first part that has it."""
        method = next((getattr(part, name) for part in self._parts if hasattr(part, name)), None)
        if method is None:
            raise AttributeError(name)

        def call(*arguments: Any) -> Any:
            if None in arguments:
                raise unsupported(f"{name}: an argument is missing")
            with self._running.device.lock:
                self._running.refresh()
                if _GROWING.search(name) and self._running.switch.state_bytes() > STATE_BYTES:
                    return refuse(name, "resource_exhausted", f"the switch holds {STATE_BYTES} bytes of entries")
                try:
                    return method(*arguments)
                except DataPlaneError as error:
                    return refuse(name, error.code, error.message)

        return call


def processor(
    device: Device,
    switch: RealtimeSwitch,
    *,
    device_id: int,
    interfaces: dict[int, str],
    port: int,
    priority_queues: int,
    start_ns: int,
    notifications: Notifications | None,
) -> TMultiplexedProcessor:
    """All services of one switch."""
    logging.getLogger().addFilter(_refusals_have_no_traceback)
    running = Running(device, switch)
    tables, replication = Tables(running), Replication(running)
    standard = Handler(
        running,
        tables,
        Profiles(running, tables),
        Arrays(running),
        Ports(running, interfaces),
        Management(running, device_id, port, notifications),
    )
    services = TMultiplexedProcessor()
    services.registerProcessor("standard", Standard.Processor(standard))
    multicast = Handler(running, replication)
    services.registerProcessor("simple_pre", SimplePre.Processor(multicast))
    services.registerProcessor("simple_pre_lag", SimplePreLAG.Processor(multicast))
    services.registerProcessor(
        "simple_switch", Processor(Handler(running, Target(running, replication, priority_queues, start_ns)))
    )
    return services


class _Budget(TSocket):  # type: ignore[misc]
    """A connected socket from which one call reads so much at most, in a limited time from its first byte on.

    Between two calls a client may wait as long as it likes: it may be a person at a prompt.
    """

    def __init__(self, connection: socket.socket) -> None:
        super().__init__()
        self.setHandle(connection)
        self.begin()

    def begin(self) -> None:
        """The next call may read as much again."""
        self._left = CALL_BYTES
        self._ends: float | None = None

    def read(self, size: int) -> bytes:
        """As of a socket. Raises TTransportException beyond a limit."""
        if size > self._left:
            raise TTransportException(TTransportException.SIZE_LIMIT, f"a call is larger than {CALL_BYTES} bytes")
        self._limit_time()
        data: bytes = super().read(size)
        self._left -= len(data)
        if self._ends is None:
            self._ends = time.monotonic() + CALL_S
        return data

    def write(self, buff: bytes) -> None:
        """As of a socket. Raises TTransportException for a client that does not take its answer."""
        self._ends = time.monotonic() + CALL_S
        self._limit_time()
        super().write(buff)

    def _limit_time(self) -> None:
        left_s = None if self._ends is None else self._ends - time.monotonic()
        if left_s is not None and left_s <= 0:
            raise TTransportException(TTransportException.TIMED_OUT, _LATE)
        self.handle.settimeout(left_s)


def serve(services: TMultiplexedProcessor, connection: socket.socket) -> None:
    """Answer the calls of one connection until it ends."""
    wire = _Budget(connection)
    protocol = TBinaryProtocol(TBufferedTransport(wire), string_length_limit=STRING_BYTES, container_length_limit=ITEMS)
    try:
        while True:
            wire.begin()
            services.process(protocol, protocol)
    except TTransportException as error:
        if error.type in (TTransportException.SIZE_LIMIT, TTransportException.TIMED_OUT):
            raise
