# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The page of ``quench live`` beside a network: a browser reaches it from outside of the network's namespace."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from quench.http_server import listening_socket
from quench.live.listen import TOKEN_VARIABLE, new_token, page_url

from quench_topologies.process import Child, wait_for_line
from quench_topologies.program import find_quench

LIVE_ADDRESS = "127.0.0.1:0"
"""An address with a port that is free."""
READY_S = 20.0
LOG = "live.log"


class LivePage:
    """A socket that listens in the namespace of its maker, and the process that serves it."""

    def __init__(self, address: str) -> None:
        """Raises ControllerError where nothing can listen there."""
        self._listener = listening_socket(address)
        self._token = new_token()
        self._child: Child | None = None

    def show(self, socket: Path) -> str:
        """Serve the page about the controller at this socket; the page's address, token included. Raises TopologyError.

        A page about another controller ends. The log is in the socket's folder.
        """
        if self._child is not None:
            self._child.stop()
            self._child = None
        ready, write_end = os.pipe()
        served, told = str(self._listener.fileno()), str(write_end)
        command = [str(find_quench()), "live", "--socket", str(socket), "--listen-fd", served, "--ready-fd", told]
        try:
            self._child = Child(
                "the live page",
                command,
                socket.with_name(LOG),
                (self._listener.fileno(), write_end),
                {TOKEN_VARIABLE: self._token},
            )
        except BaseException:
            os.close(ready)
            raise
        finally:
            os.close(write_end)
        wait_for_line(ready, self._child, READY_S)
        return page_url(self._listener, self._token)

    def check(self) -> None:
        """Raise TopologyError if the process has ended by itself."""
        if self._child is not None:
            self._child.check()

    def kill(self) -> None:
        """Kill the process, to make a fault; it can be shown again."""
        if self._child is not None:
            self._child.kill()

    def close(self) -> None:
        """End the page."""
        if self._child is not None:
            self._child.stop()
        self._listener.close()


@contextmanager
def live_page(address: str) -> Iterator[LivePage]:
    """A page at ``HOST:PORT``: made before a network, shown when its controller runs. Raises ControllerError."""
    page = LivePage(address)
    try:
        yield page
    finally:
        page.close()
