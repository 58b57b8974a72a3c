# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The feed of a controller, by its socket."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from quench.errors import ControllerError
from quench.feed.hub import Hub
from quench.feed.model import Change, Changed, Update
from quench.feed.source import ChangeError
from quench.service.connection import Connection

WAIT_S = 1.0
"""Longest time that the controller may keep a request until it has news."""
RETRY_S = 0.5


class ControllerSource:
    """The switches of a controller: one connection for all readers, and one for changes."""

    def __init__(self, socket: Path) -> None:
        self._news = Connection(socket)
        self._changes = Connection(socket)
        self._hub = Hub(self._produce)
        self._epoch = ""
        self._number = 0

    def updates(self) -> AsyncIterator[Update]:
        """See ``Source``."""
        return self._hub.updates()

    async def change(self, change: Change) -> Changed:
        """See ``Source``."""
        try:
            values: dict[str, Any] = change.model_dump(mode="json", exclude_unset=True)
            changed: Changed = await self._changes.call("feed.change", **values)
        except ControllerError as error:
            raise ChangeError(str(error)) from error
        return changed

    async def close(self) -> None:
        """See ``Source``."""
        await self._hub.close()
        self._news.close()
        self._changes.close()

    async def _produce(self) -> None:
        try:
            while True:
                try:
                    answer = await self._news.call("feed", epoch=self._epoch, number=self._number, wait_s=WAIT_S)
                except ControllerError as error:
                    self._hub.set_lost(str(error))
                    await asyncio.sleep(RETRY_S)
                    continue
                self._epoch, self._number = answer["epoch"], answer["number"]
                self._show(answer["update"])
        finally:
            self._news.close()

    def _show(self, update: Update | None) -> None:
        if update is None:
            self._hub.set_lost(None)
            return
        if update["restarted"]:
            self._hub.restart()
        if update["layout"] is not None:
            self._hub.set_layout(update["layout"])
        for event in update["events"]:
            self._hub.add_event(event)
        for sample in update["samples"]:
            self._hub.add_sample(sample)
        self._hub.set_lost(update["lost"])
