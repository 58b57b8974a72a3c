# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The metrics endpoint. The metrics are read equally often for any number of clients."""

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor

from prometheus_client import CollectorRegistry, generate_latest
from tornado.web import Application, RequestHandler

from quench.errors import ControllerError
from quench.http_server import LimitedServer, listening_socket

MOST_HEADER_BYTES = 8 << 10
FRESH_S = 0.2
"""Seconds for which all who ask get the same: reading takes the time of the process that answers switches."""
_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class MetricsServer:
    """Serves a registry at ``/metrics`` until it is stopped."""

    def __init__(self, address: str, registry: CollectorRegistry) -> None:
        """Listen at ``HOST:PORT``, in a running event loop. Raises ControllerError."""
        self._registry = registry
        # The switches' counters are read in the event loop, and whoever collects them waits for it.
        self._thread = ThreadPoolExecutor(1, "metrics")
        self._reading: asyncio.Future[bytes] | None = None
        self._read_s = 0.0
        try:
            listener = listening_socket(address)
        except ControllerError as error:
            raise ControllerError(f"metrics: {error}") from error
        application = Application([("/metrics", _Handler, {"metrics": self})], log_function=lambda _: None)
        self._server = LimitedServer(application, max_header_size=MOST_HEADER_BYTES, max_body_size=0)
        self._server.add_socket(listener)

    async def stop(self) -> None:
        """Close the socket and all connections."""
        self._server.stop()
        await self._server.close_all_connections()
        self._thread.shutdown(wait=False, cancel_futures=True)

    async def text(self) -> bytes:
        """The metrics in Prometheus's text format."""
        reading = self._reading
        if reading is None or (reading.done() and time.monotonic() - self._read_s > FRESH_S):
            reading = self._reading = asyncio.get_running_loop().run_in_executor(self._thread, self._read)
        return await asyncio.shield(reading)

    def _read(self) -> bytes:
        try:
            return generate_latest(self._registry)
        finally:
            self._read_s = time.monotonic()


class _Handler(RequestHandler):
    def initialize(self, metrics: MetricsServer) -> None:
        self._metrics = metrics

    async def get(self) -> None:
        text = await self._metrics.text()
        self.set_header("Content-Type", _TYPE)
        self.finish(text)
