# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The server of the web page that ``quench live`` shows (docs/how-to/see-it-live.md)."""

import socket
from importlib.util import find_spec
from pathlib import Path

from tornado.web import Application

from quench.errors import ControllerError
from quench.feed.source import Source
from quench.http_server import log_request, serve_application
from quench.live.guard import Guard
from quench.live.guarded import FileHandler, NotFoundHandler
from quench.live.handlers import (
    ChangeHandler,
    ColoursHandler,
    FormsHandler,
    PageHandler,
    PlayHandler,
    PreviewHandler,
)
from quench.live.stream import MOST_BYTES_FROM_WATCHER, StreamHandler

MOST_BODY_BYTES = 256 << 10
"""The size of the largest request for a change: a curve of 1024 points fits."""
PING_S = 20.0
"""A watcher that answers no ping for this long is gone."""
PAGE = Path(__file__).with_name("page")


async def serve(
    source: Source, listener: socket.socket, token: str, allowed_hosts: frozenset[str] = frozenset()
) -> None:
    """Serve the page until cancelled.

    ``listener`` is a TCP socket that listens; ``token`` allows changes; ``allowed_hosts`` are names by which browsers
    may call the server, besides its address and those of loopback. Neither source nor listener is closed.
    """
    listens_on = str(listener.getsockname()[0])
    application = Application(
        [
            (r"/", PageHandler),
            (r"/colours\.css", ColoursHandler),
            (r"/((?:[a-z_]+)\.(?:js|css|svg))", FileHandler, {"path": PAGE}),
            (r"/uplot/(uPlot\.(?:iife\.js|min\.css))", FileHandler, {"path": _chart_library()}),
            (r"/forms", FormsHandler),
            (r"/updates", StreamHandler),
            (r"/change", ChangeHandler),
            (r"/preview", PreviewHandler),
            (r"/play", PlayHandler),
        ],
        default_handler_class=NotFoundHandler,
        template_path=PAGE,
        websocket_ping_interval=PING_S,
        websocket_ping_timeout=PING_S,
        websocket_max_message_size=MOST_BYTES_FROM_WATCHER,
        source=source,
        guard=Guard.of(listens_on, allowed_hosts, token),
        watchers=set(),
        log_function=log_request,
    )
    await serve_application(application, listener, most_body_bytes=MOST_BODY_BYTES)


def _chart_library() -> Path:
    """The files of uPlot in its package, which is not imported: the browser draws."""
    found = find_spec("uplot")
    if found is None or found.origin is None:
        raise ControllerError("the package uplot-python is not installed: install quench with its dependencies")
    return Path(found.origin).parent / "static"
