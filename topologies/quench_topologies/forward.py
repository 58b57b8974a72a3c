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

from quench_switch.outside.peers import Quota, peer_name

from quench_topologies.errors import TopologyError

LOGGER = logging.getLogger(__name__)
MAX_CONNECTIONS = 16
MOST_OF_PEER = 8
"""The largest number of connections of one user of this machine, or of one address. A further one takes the place of
the oldest."""
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


class _Led:
    """A connection that is led, for as long as others leave it its place."""

    def __init__(self, client: socket.socket) -> None:
        self.client = client
        self._ends = [client]

    def connect(self, target: tuple[str, int]) -> socket.socket:
        server = socket.create_connection(target, timeout=IDLE_S)
        self._ends.append(server)
        return server

    def end(self) -> None:
        for each in self._ends:
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)


def _serve(listener: socket.socket, target: tuple[str, int], stopping: threading.Event) -> None:
    quota: Quota[_Led] = Quota(MAX_CONNECTIONS, MOST_OF_PEER)
    lock = threading.Lock()

    def lead(led: _Led) -> None:
        _lead(led, target, stopping)
        with lock:
            quota.remove(led)

    while not stopping.is_set():
        try:
            client, _ = listener.accept()
        except TimeoutError:
            continue
        led = _Led(client)
        with lock:
            ended = quota.admit(led, peer_name(client))
        if ended is not None:
            ended.end()
        threading.Thread(target=lead, args=(led,), name="forward", daemon=True).start()


def _lead(led: _Led, target: tuple[str, int], stopping: threading.Event) -> None:
    try:
        with led.client as client, led.connect(target) as server:
            client.settimeout(IDLE_S)
            _copy(client, server, stopping)
    except OSError as error:
        LOGGER.debug("a connection to %s:%d ended: %s", *target, error)


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
