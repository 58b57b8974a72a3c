# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The base of all answers of the web page's server: their headers, and the names that are answered."""

import json
from typing import Any, ClassVar, TypeVar

from pydantic import BaseModel, ValidationError
from quench_switch.outside.text import one_line
from tornado.web import HTTPError, RequestHandler, StaticFileHandler

from quench.errors import message_of
from quench.feed.source import Source
from quench.http_server import LimitedServer
from quench.live.guard import Guard
from quench.profiles.settings import SCHEMES

_Body = TypeVar("_Body", bound=BaseModel)

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data: blob:; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-cache",
}


class Guarded(RequestHandler):
    """A request that names this server. ``guard``, ``source`` and ``server`` are settings of the application."""

    @property
    def guard(self) -> Guard:
        """Knows who may do what."""
        guard: Guard = self.settings["guard"]
        return guard

    @property
    def source(self) -> Source:
        """Makes the updates."""
        source: Source = self.settings["source"]
        return source

    @property
    def server(self) -> LimitedServer:
        """Has the connections."""
        server: LimitedServer = self.settings["server"]
        return server

    def set_default_headers(self) -> None:
        """Set the headers of every answer, errors too."""
        self.clear_header("Server")
        for name, value in HEADERS.items():
            self.set_header(name, value)

    def prepare(self) -> None:
        """Refuse other sites' names for this server, and trust who has the token."""
        if not self.guard.knows(self.request.host):
            raise HTTPError(421, reason="The Host header does not name this server")
        if self.guard.has_token(self.request.headers.get("Authorization")):
            self.server.trust(self.request)

    def write_error(self, status_code: int, **_: Any) -> None:
        """A fault as one sentence."""
        self.answer({"error": self._reason}, status_code)

    def answer(self, value: dict[str, Any], status: int = 200) -> None:
        """Answer with JSON."""
        self.set_status(status)
        self.set_header("Content-Type", "application/json")
        self.finish(json.dumps(value, allow_nan=False))


class FileHandler(Guarded, StaticFileHandler):
    """A file of the page, or of the chart library."""


class NotFoundHandler(Guarded):
    """Any other address."""

    def prepare(self) -> None:
        """Refuse it."""
        super().prepare()
        raise HTTPError(404)


class Posted(Guarded):
    """A request with a body, of the server's own page."""

    needs_token: ClassVar[bool] = True

    def prepare(self) -> None:
        """Refuse other sites, and who lacks the token."""
        super().prepare()
        if self.request.method != "POST":
            return
        if not self.guard.is_own(self.request.headers.get("Origin"), self.request.host, self.request.protocol):
            raise HTTPError(403, reason="The request does not come from the page of this server")
        if self.needs_token and not self.guard.has_token(self.request.headers.get("Authorization")):
            raise HTTPError(403, reason="The token is missing or wrong: open the address that the command printed")

    def body(self, model: type[_Body]) -> _Body | None:
        """The body as a model; None: it was refused."""
        try:
            return model.model_validate_json(self.request.body)
        except ValidationError as error:
            self.answer({"error": _sentences(error)}, 400)
            return None


def _sentences(error: ValidationError) -> str:
    """The faults of a body as one line."""
    return "; ".join(_sentence(fault) for fault in error.errors(include_url=False, include_input=False)[:5])


def _sentence(fault: Any) -> str:
    place = ".".join(str(part) for part in fault["loc"] if part not in ("settings", *SCHEMES))
    message = one_line(message_of(fault))
    return f"{place}: {message}" if place else message
