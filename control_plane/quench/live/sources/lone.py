# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The feed of one switch without a controller: any P4Runtime server, read as a client that is not its primary.

Only a change makes this client the primary, for a moment. A switch that does not run Quench's program shows the
counters of its ports.
"""

import asyncio
import time
from collections.abc import AsyncIterator

import finsy as fy

from quench.client.schema import ProgramSchema
from quench.client.session import Session, SessionError, Target
from quench.client.tls import credentials
from quench.config.model import TlsConfig
from quench.errors import ControllerError
from quench.feed.hub import Hub
from quench.feed.layout import events_between, profile_layout
from quench.feed.model import IDLE_S, INTERVAL_S, Change, Changed, Layout, ProfileLayout, Update
from quench.feed.source import ChangeError
from quench.live.sources.switch_reader import SwitchReader
from quench.profiles import ProfileSettings, parse_settings
from quench.service.direct import DirectSwitch, ProfileChange

TABLES_S = 1.0
"""Time between two looks at the tables, which others may change."""
ANSWER_S = 5.0
"""Longest time for the switch to answer a round of reads."""
RETRY_S = 1.0
_UNUSED_PRIORITY = 0


class LoneSource:
    """A switch by the address of its P4Runtime server."""

    def __init__(self, address: str, device_id: int, tls: TlsConfig | None = None, rate_bps: int | None = None) -> None:
        """``rate_bps``: of its ports, which P4Runtime does not have; None: there is no utilisation."""
        self._target = Target(address, device_id, credentials(tls))
        self._direct = DirectSwitch(address, device_id, tls)
        self._rate_bps = rate_bps
        self._hub = Hub(self._produce, records=True)
        self._layout: Layout | None = None
        self._known: dict[tuple[int, int], tuple[int, ProfileSettings]] = {}
        """The profiles that this client has written, with their ids on the switch."""
        self._tables_due_s = 0.0

    def updates(self) -> AsyncIterator[Update]:
        """See ``Source``."""
        return self._hub.updates()

    async def change(self, change: Change) -> Changed:
        """See ``Source``."""
        key = (change.port, change.queue)
        rate_bps = change.rate or self._rate_bps
        if change.isq_mode is not None:
            raise ChangeError("the sender of source quenches is a controller's setting: start one")
        if rate_bps is None:
            raise ChangeError("a switch does not report the rates of its ports: give --rate")
        try:
            # It runs an event loop of its own.
            answer = await asyncio.to_thread(self._direct.change, ProfileChange(*key, rate_bps, change.settings))
        except ControllerError as error:
            raise ChangeError(str(error)) from error
        self._rate_bps = rate_bps
        written = dict(answer["settings"])
        self._known[key] = (answer["profile"], parse_settings(written))
        self._tables_due_s = 0.0
        return {
            "profile": answer["profile"],
            "settings": written,
            "rate_bps": rate_bps,
            "isq_mode": None,
        }

    async def close(self) -> None:
        """See ``Source``."""
        await self._hub.close()

    async def _produce(self) -> None:
        while True:
            session = Session(self._target, ProgramSchema(), _UNUSED_PRIORITY)
            try:
                async with session.connected():
                    async with asyncio.timeout(ANSWER_S):
                        await session.adopt_pipeline()
                    await self._watch(SwitchReader(session))
            except TimeoutError:
                self._hub.set_lost(f"{self._target.address}: no answer within {ANSWER_S:g} s")
            except (SessionError, fy.P4ClientError) as error:
                self._hub.set_lost(f"{self._target.address}: {error}")
            await asyncio.sleep(RETRY_S)

    async def _watch(self, reader: SwitchReader) -> None:
        self._tables_due_s = 0.0
        due_s = time.monotonic()
        while True:
            async with asyncio.timeout(ANSWER_S):
                is_due = time.monotonic() >= self._tables_due_s
                if is_due:
                    self._tables_due_s = time.monotonic() + TABLES_S
                    await reader.read_tables()
                await reader.read_counts()
                if is_due:
                    # Now it is known whether the switch has registers.
                    self._show_layout(reader)
            switch = self._target.address
            ports = reader.samples(switch, self._rate_bps)
            self._hub.add_sample({"time_s": round(time.time(), 3), "ports": ports, "flows": [], "hosts": []})
            self._hub.set_lost(None)
            due_s = max(due_s + (INTERVAL_S if self._hub.watched else IDLE_S), time.monotonic())
            await self._hub.pause(due_s)
            due_s = min(due_s, time.monotonic())

    def _show_layout(self, reader: SwitchReader) -> None:
        address = self._target.address
        layout: Layout = {
            "title": f"switch at {address}",
            "clock": "unix",
            "can_change": reader.is_quench,
            "changes_isq": False,
            "playing": None,
            "switches": [
                {
                    "switch": address,
                    "connected": True,
                    "isq_mode": "dataplane" if reader.sends_isqs else None,
                    "ports": reader.layouts(self._rate_bps, self._profile),
                }
            ],
        }
        if self._layout is not None:
            for event in events_between(self._layout, layout, time.time()):
                self._hub.add_event(event)
        self._layout = layout
        self._hub.set_layout(layout)

    def _profile(self, port: int, queue: int, profile_id: int) -> ProfileLayout | None:
        """The profile with this id as this client has written it; None: somebody else has."""
        known_id, settings = self._known.get((port, queue), (None, None))
        return profile_layout(settings) if settings is not None and known_id == profile_id else None
