# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The answers of the web page's server: the page, its files, forms, and changes."""

import asyncio
import secrets
from typing import Any, ClassVar, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from quench_switch.outside.text import one_line
from tornado.web import HTTPError, StaticFileHandler

from quench.config.model import IsqMode
from quench.errors import message_of
from quench.feed.layout import profile_layout
from quench.feed.model import Change
from quench.feed.source import ChangeError, Player
from quench.live.forms import forms
from quench.live.guarded import Guarded, policy
from quench.profiles import ProfileSettings
from quench.profiles.settings import SCHEMES
from quench.units import DepthField, RateField

CHANGE_S = 30.0
"""Seconds that a change may take."""
_Body = TypeVar("_Body", bound=BaseModel)


class PageHandler(Guarded):
    """The page itself."""

    def get(self) -> None:
        """The page; its nonce lets Bokeh add style elements to its charts, and nobody else."""
        nonce = secrets.token_urlsafe(16)
        self.set_header("Content-Security-Policy", policy(nonce))
        self.render("index.html", nonce=nonce)


class FileHandler(Guarded, StaticFileHandler):
    """A file of the page, or of the chart library."""


class NotFoundHandler(Guarded):
    """Any other address."""

    def prepare(self) -> None:
        """Refuse it."""
        super().prepare()
        raise HTTPError(404)


class FormsHandler(Guarded):
    """The settings of all schemes."""

    def get(self) -> None:
        """A form for each scheme, and the senders of source quenches."""
        self.answer({"schemes": forms(), "isq_modes": list(get_args(IsqMode))})


class _Posted(Guarded):
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


class ChangeHandler(_Posted):
    """A change of a queue."""

    async def post(self) -> None:
        """Change it; the answer says what holds now, or why nothing was changed."""
        change = self.body(Change)
        if change is None:
            return
        try:
            async with asyncio.timeout(CHANGE_S):
                changed = await self.source.change(change)
        except ChangeError as error:
            self.answer({"error": one_line(str(error))}, 409)
        except TimeoutError:
            self.answer({"error": f"no answer within {CHANGE_S:g} s: the change may still happen"}, 504)
        else:
            self.answer(dict(changed))


class _Previewed(BaseModel):
    model_config = ConfigDict(extra="forbid")

    settings: ProfileSettings
    rate: RateField | None = None
    """The rate of the port: it scales thresholds that are not given, and makes depths of those in time."""
    buffer: DepthField | None = None
    """The capacity of the queue: thresholds in percent are relative to it."""


class PreviewHandler(_Posted):
    """The curve of settings that nobody has yet."""

    needs_token = False

    def post(self) -> None:
        """Thresholds and curve, or why there can be none."""
        previewed = self.body(_Previewed)
        if previewed is None:
            return
        try:
            settings = previewed.settings
            if previewed.rate is not None:
                settings = settings.at_rate(previewed.rate, previewed.buffer)
            layout = profile_layout(settings)
        except ValueError as error:
            self.answer({"error": one_line(str(error))}, 400)
        else:
            self.answer(dict(layout))


class _Played(BaseModel):
    model_config = ConfigDict(extra="forbid")

    paused: bool | None = None
    speed: float | None = Field(default=None, allow_inf_nan=False)
    time_s: float | None = Field(default=None, allow_inf_nan=False)


class PlayHandler(_Posted):
    """Pause, speed and moment of a recording, for all who watch it."""

    needs_token = False

    def post(self) -> None:
        """Play it otherwise; the layout says how."""
        played = self.body(_Played)
        if played is None:
            return
        if not isinstance(self.source, Player):
            self.answer({"error": "only a recording can be paused, and this is live"}, 409)
            return
        try:
            self.source.play(**played.model_dump())
        except ChangeError as error:
            self.answer({"error": one_line(str(error))}, 409)
        else:
            self.answer({})


def _sentences(error: ValidationError) -> str:
    """The faults of a body as one line."""
    return "; ".join(_sentence(fault) for fault in error.errors(include_url=False, include_input=False)[:5])


def _sentence(fault: Any) -> str:
    place = ".".join(str(part) for part in fault["loc"] if part not in ("settings", *SCHEMES))
    message = one_line(message_of(fault))
    return f"{place}: {message}" if place else message
