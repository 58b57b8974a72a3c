# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A port of the machine that leads to a server inside a network's namespace, such as the controller's metrics."""

import contextlib
import logging
import os
import selectors
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from quench_topologies.errors import TopologyError

LOGGER = logging.getLogger(__name__)
MAX_CONNECTIONS = 16
IDLE_S = 30.0
"""A connection over which nothing comes for so long is closed."""
_BLOCK_BYTES = 65536


def listen(option: str, address: str) -> socket.socket:
    """A socket that listens at HOST:PORT in this namespace. Raises TopologyError."""
    host, _, port = address.rpartition(":")
    try:
        return socket.create_server((host.strip("[]"), int(port)), family=_family(host))
    except OSError as error:
        reason = error if error.errno is None else os.strerror(error.errno)
        raise TopologyError(f"{option} {address}: cannot listen here: {reason}") from error


def _family(host: str) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in host else socket.AF_INET


@contextmanager
def forwarded(listener: socket.socket, target: tuple[str, int]) -> Iterator[None]:
    """Lead connections of a listener to an address of the calling thread's namespace while the block runs."""
    stopping = threading.Event()
    thread = threading.Thread(target=_serve, args=(listener, target, stopping), name="forward", daemon=True)
    listener.settimeout(0.2)
    thread.start()
    try:
        yield
    finally:
        stopping.set()
        thread.join()


def _serve(listener: socket.socket, target: tuple[str, int], stopping: threading.Event) -> None:
    room = threading.Semaphore(MAX_CONNECTIONS)
    while not stopping.is_set():
        try:
            client, _ = listener.accept()
        except TimeoutError:
            continue
        if not room.acquire(blocking=False):
            client.close()
            continue
        threading.Thread(target=_lead, args=(client, target, stopping, room), name="forward", daemon=True).start()


def _lead(client: socket.socket, target: tuple[str, int], stopping: threading.Event, room: threading.Semaphore) -> None:
    try:
        with client, socket.create_connection(target, timeout=IDLE_S) as server:
            client.settimeout(IDLE_S)
            _copy(client, server, stopping)
    except OSError as error:
        LOGGER.info("a connection to %s:%d ended: %s", *target, error)
    finally:
        room.release()


def _copy(client: socket.socket, server: socket.socket, stopping: threading.Event) -> None:
    """Both ways, until each has ended its own or nothing comes any more."""
    others = {client: server, server: client}
    with selectors.DefaultSelector() as selector:
        for each in others:
            selector.register(each, selectors.EVENT_READ)
        while selector.get_map() and not stopping.is_set():
            ready = selector.select(IDLE_S)
            if not ready:
                return
            for key, _ in ready:
                source = key.fileobj
                assert isinstance(source, socket.socket)
                if data := source.recv(_BLOCK_BYTES):
                    others[source].sendall(data)
                else:
                    selector.unregister(source)
                    with contextlib.suppress(OSError):
                        others[source].shutdown(socket.SHUT_WR)
