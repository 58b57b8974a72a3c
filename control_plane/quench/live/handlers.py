# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The answers of the web page's server: the page, its files, forms, and changes."""

import asyncio
from typing import get_args

from pydantic import BaseModel, ConfigDict, Field
from quench_switch.outside.text import one_line

from quench.config.isq import IsqMode
from quench.feed.layout import profile_layout
from quench.feed.model import Change
from quench.feed.source import ChangeError, Player
from quench.live.colours import style_sheet
from quench.live.forms import forms
from quench.live.guarded import Guarded, Posted
from quench.profiles import ProfileSettings
from quench.units import DepthField, RateField

CHANGE_S = 30.0
"""Seconds that a change may take."""


class PageHandler(Guarded):
    """The page itself."""

    def get(self) -> None:
        """The page."""
        self.render("index.html")


class ColoursHandler(Guarded):
    """The page's colours."""

    def get(self) -> None:
        """A style sheet."""
        self.set_header("Content-Type", "text/css")
        self.finish(style_sheet())


class FormsHandler(Guarded):
    """The settings of all schemes."""

    def get(self) -> None:
        """A form for each scheme, and the senders of source quenches."""
        self.answer({"schemes": forms(), "isq_modes": list(get_args(IsqMode))})


class ChangeHandler(Posted):
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


class PreviewHandler(Posted):
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


class PlayHandler(Posted):
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
