# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The services together, and one connection's calls."""

from __future__ import annotations

import logging
import re
import socket
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from bm_runtime.simple_pre import SimplePre
from bm_runtime.simple_pre import ttypes as simple_pre
from bm_runtime.simple_pre_lag import SimplePreLAG
from bm_runtime.simple_pre_lag.ttypes import InvalidMcOperation, McOperationErrorCode
from bm_runtime.standard import Standard
from thrift.protocol.TBinaryProtocol import TBinaryProtocol
from thrift.Thrift import TApplicationException, TException
from thrift.TMultiplexedProcessor import TMultiplexedProcessor
from thrift.transport.TTransport import TMemoryBuffer, TTransportException

from quench_switch.errors import DataPlaneError
from quench_switch.fair_lock import FairLock

from .arrays import Arrays
from .errors import refuse, unsupported
from .priority_queues import Processor
from .profiles import Profiles
from .replication import Replication
from .running import Running
from .standard import Management
from .tables import Tables
from .target import Ports, Target
from .wire import Room, Wire

if TYPE_CHECKING:
    from quench_switch._native import RealtimeSwitch
    from quench_switch.p4runtime.device import Device

    from .attaching import Attaching
    from .learning import Notifications

_log = logging.getLogger(__name__)

_GROWING: Final = re.compile("add|create|associate|modify|update")
"""Methods by which the state grows. P4Runtime has the same limit."""


def _refusals_have_no_traceback(record: logging.LogRecord) -> bool:
    """Drops what Thrift's generated code logs of an error that the client gets as text."""
    return not (record.exc_info and isinstance(record.exc_info[1], TApplicationException))


class Handler:
    """The methods of several parts, with the data plane's refusals as the service's exceptions."""

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
                most_bytes = self._running.device.state_bytes
                if _GROWING.search(name) and self._running.switch.state_bytes() > most_bytes:
                    return refuse(name, "resource_exhausted", f"the switch holds {most_bytes} bytes of entries")
                try:
                    return method(*arguments)
                except DataPlaneError as error:
                    return refuse(name, error.code, error.message)
                except TException:
                    raise
                except Exception as error:
                    # Thrift's generated code would log it by the root logger, as a fault of no method.
                    _log.exception("Thrift: %s broke", name)
                    raise unsupported(f"{name}: internal error, see the switch's log") from error

        return call


class _SimplePre:
    """The methods of multicast with the exceptions of the older service, which knows no others."""

    def __init__(self, handler: Handler) -> None:
        self._handler = handler

    def __getattr__(self, name: str) -> Callable[..., Any]:
        """A method."""
        method = getattr(self._handler, name)

        def call(*arguments: Any) -> Any:
            try:
                return method(*arguments)
            except InvalidMcOperation as error:
                code = McOperationErrorCode._VALUES_TO_NAMES.get(error.code, "ERROR")
                codes = simple_pre.McOperationErrorCode._NAMES_TO_VALUES
                raise simple_pre.InvalidMcOperation(codes.get(code, codes["ERROR"])) from error

        return call


def processor(
    device: Device,
    switch: RealtimeSwitch,
    *,
    device_id: int,
    attaching: Attaching,
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
        Ports(running, attaching),
        Management(running, device_id, port, notifications),
    )
    services = TMultiplexedProcessor()
    services.registerProcessor("standard", Standard.Processor(standard))
    multicast = Handler(running, replication)
    services.registerProcessor("simple_pre", SimplePre.Processor(_SimplePre(multicast)))
    services.registerProcessor("simple_pre_lag", SimplePreLAG.Processor(multicast))
    services.registerProcessor(
        "simple_switch", Processor(Handler(running, Target(running, replication, priority_queues, start_ns)))
    )
    return services


class Calls:
    """The calls of all connections, of which one at a time is made into values, done, and made into an answer.

    So the memory and the processor time that Thrift takes of others do not grow with the number of its clients.
    """

    def __init__(self, services: TMultiplexedProcessor) -> None:
        self._services = services
        self._turn = FairLock()
        self._room = Room()

    def serve(self, connection: socket.socket) -> None:
        """Answer the calls of one connection until it ends."""
        wire = Wire(connection, self._room)
        try:
            while (call := wire.call()) is not None:
                try:
                    with self._turn:
                        self._room.wait()
                        answer = self._answer(call)
                        self._room.take_answer(len(answer))
                finally:
                    del call
                    wire.forget_call()
                wire.send(answer)
                del answer
        except TTransportException as error:
            if error.type in (TTransportException.SIZE_LIMIT, TTransportException.TIMED_OUT):
                raise

    def _answer(self, call: bytes) -> bytes:
        answer = TMemoryBuffer()
        self._services.process(TBinaryProtocol(TMemoryBuffer(call)), TBinaryProtocol(answer))
        data: bytes = answer.getvalue()
        return data
