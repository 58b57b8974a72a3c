# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The services of one switch on a port. Thrift is imported with the first connection, so that nobody waits for it."""

from __future__ import annotations

import socket
import threading
import time
from typing import TYPE_CHECKING, Any

from .listener import ThriftListener, listen

if TYPE_CHECKING:
    from quench_switch._native import RealtimeSwitch
    from quench_switch.p4runtime.device import Device

    from .learning import Notifications


def bind(
    address: str,
    device: Device,
    switch: RealtimeSwitch,
    *,
    device_id: int,
    interfaces: dict[int, str],
    priority_queues: int,
    notifications: Notifications | None = None,
) -> ThriftListener:
    """Bind to HOST:PORT; ``start`` begins to accept. Raises OSError."""
    start_ns = time.monotonic_ns()
    lock = threading.Lock()
    made: list[Any] = []

    def serve(connection: socket.socket) -> None:
        from . import services

        with lock:
            if not made:
                made.append(
                    services.processor(
                        device,
                        switch,
                        device_id=device_id,
                        interfaces=interfaces,
                        port=listener.port,
                        priority_queues=priority_queues,
                        start_ns=start_ns,
                        notifications=notifications,
                    )
                )
        services.serve(made[0], connection)

    listener = listen(address, serve)
    return listener
