# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The server of the page that ``quench play`` shows (docs/how-to/play.md)."""

import asyncio
import socket
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StringConstraints
from quench_switch.trace.trial import MOST_GAP_NS, MOST_PACKETS, PACKET_BYTES, TEXT_BYTES, Trial
from tornado.web import Application

from quench.errors import ControllerError
from quench.http_server import log_request, serve_application
from quench.live.guard import Guard
from quench.live.guarded import FileHandler, Guarded, NotFoundHandler, Posted
from quench.live.handlers import ColoursHandler
from quench.live.server import PAGE as LIVE_PAGE
from quench.play.runner import Runner

MOST_BODY_BYTES = 2 * TEXT_BYTES + MOST_PACKETS * PACKET_BYTES * 4
"""The size of the largest request: JSON may write a character as several."""
_PAGE = Path(__file__).with_name("page")

Text = Annotated[str, Field(max_length=TEXT_BYTES)]
_Hexadecimal = StringConstraints(pattern=r"^(?:[0-9a-fA-F]{2})+$", max_length=2 * PACKET_BYTES)


class PlayedPacket(BaseModel):
    """A packet that the page sends."""

    model_config = ConfigDict(extra="forbid")

    port: Annotated[int, Field(ge=0, le=511)]
    octets: Annotated[str, _Hexadecimal]
    """Bytes in hexadecimal."""
    after_ms: Annotated[float, Field(ge=0, le=MOST_GAP_NS / 1e6, allow_inf_nan=False)] = 1.0
    """Virtual time since the packet before."""


class Played(BaseModel):
    """The content of the page: at the start, and as it is sent to be run."""

    model_config = ConfigDict(extra="forbid")

    source: Text
    """The program."""
    entries: Text
    """Statements of STF."""
    packets: Annotated[list[PlayedPacket], Field(max_length=MOST_PACKETS)]


class PageHandler(Guarded):
    """The page itself."""

    def get(self) -> None:
        """The page: it has no data yet."""
        self.render("index.html")


class StartHandler(Posted):
    """The content that the command was given."""

    def post(self) -> None:
        """The program's name and text, entries and packets."""
        self.answer({"name": self.settings["name"], **self.settings["start"].model_dump()})


class RunHandler(Posted):
    """A run of what is in the page."""

    async def post(self) -> None:
        """The outcome, or why there is none."""
        played = self.body(Played)
        if played is None:
            return
        trial = Trial(
            name=self.settings["name"],
            source=played.source,
            entries=played.entries,
            packets=[(packet.port, packet.octets, round(packet.after_ms * 1e6)) for packet in played.packets],
            include=self.settings["include"],
            define=self.settings["define"],
        )
        try:
            self.answer(await self.settings["runner"].run(trial))
        except ControllerError as error:
            self.answer({"error": str(error)}, 409)
        except OSError as error:
            self.answer({"error": f"the run cannot be started: {error.strerror}"}, 503)


async def serve(listener: socket.socket, token: str, runner: Runner, program: dict[str, Any]) -> None:
    """Serve the page until cancelled.

    ``program`` has the ``name`` of the program's file, ``start`` (what the page begins with), ``include`` (folders)
    and ``define`` (macros). The listener is not closed.
    """
    application = Application(
        [
            (r"/", PageHandler),
            (r"/colours\.css", ColoursHandler),
            (r"/((?:play|packets)\.(?:js|css))", FileHandler, {"path": _PAGE}),
            (r"/((?:api|theme)\.js|page\.css|icon\.svg)", FileHandler, {"path": LIVE_PAGE}),
            (r"/start", StartHandler),
            (r"/run", RunHandler),
        ],
        default_handler_class=NotFoundHandler,
        log_function=log_request,
        template_path=_PAGE,
        guard=Guard.of(str(listener.getsockname()[0]), frozenset(), token),
        runner=runner,
        **program,
    )
    try:
        await serve_application(application, listener, most_body_bytes=MOST_BODY_BYTES)
    except asyncio.CancelledError:
        await runner.close()
        raise
