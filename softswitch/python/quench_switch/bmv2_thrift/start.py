# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The services of one switch on a port. Thrift is imported with the first connection, so that nobody waits for it."""

from __future__ import annotations

import socket
import threading
import time
from typing import TYPE_CHECKING, Any

from .listener import ThriftListener, Users, listen

if TYPE_CHECKING:
    from quench_switch._native import RealtimeSwitch
    from quench_switch.p4runtime.device import Device

    from .attaching import Attaching
    from .learning import Notifications


def bind(
    address: str,
    device: Device,
    switch: RealtimeSwitch,
    *,
    device_id: int,
    attaching: Attaching,
    users: Users,
    priority_queues: int,
    notifications: Notifications | None = None,
) -> ThriftListener:
    """Bind to HOST:PORT for some users; ``start`` begins to accept. Raises OSError."""
    start_ns = time.monotonic_ns()
    lock = threading.Lock()
    made: list[Any] = []

    def serve(connection: socket.socket) -> None:
        from . import services

        with lock:
            if not made:
                made.append(
                    services.Calls(
                        services.processor(
                            device,
                            switch,
                            device_id=device_id,
                            attaching=attaching,
                            port=listener.port,
                            priority_queues=priority_queues,
                            start_ns=start_ns,
                            notifications=notifications,
                        )
                    )
                )
        made[0].serve(connection)

    listener = listen(address, users, serve)
    return listener
