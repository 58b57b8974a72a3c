# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Whether a switch has a port and a queue, by what leads packets there: P4Runtime itself lists neither."""

from collections.abc import Collection


def check_place(port: int, queue: int, ports: Collection[int], queues: Collection[int]) -> None:
    """Raise ValueError unless a route or a profile leads to the port, and a class or a profile to its queue."""
    if port not in ports:
        raise ValueError(f"there is no port {port}: routes and profiles lead to {_list(ports)}")
    if queue not in queues:
        raise ValueError(f"port {port} has no queue {queue}: classes and profiles lead to {_list(queues)}")


def _list(numbers: Collection[int]) -> str:
    return ", ".join(map(str, sorted(numbers))) or "none"
