# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A source of the feed: a controller, a switch, or a recording."""

from collections.abc import AsyncIterator
from typing import Protocol, runtime_checkable

from quench.errors import ControllerError
from quench.feed.model import Change, Changed, Update


class ChangeError(ControllerError):
    """A change that was refused, in one sentence; nothing was changed."""


class Source(Protocol):
    """Watched by the page and the terminal. All of it runs in one event loop.

    A source does its work once for all who iterate, and next to none while nobody does.
    """

    def updates(self) -> AsyncIterator[Update]:
        """The layout and the history first, in one or more updates; then what is new, ten times a second, without end.

        A slow reader's next update has all that is new and still in the history: nothing waits for a reader. Each call
        is an iteration of its own. A source that is gone is ``lost`` in the updates, and comes back by itself.
        """

    async def change(self, change: Change) -> Changed:
        """Change a queue. Raises ChangeError."""

    async def close(self) -> None:
        """Give back connections; iterations end."""


@runtime_checkable
class Player(Protocol):
    """Abilities of a recording besides (``isinstance(source, Player)``)."""

    @property
    def paused(self) -> bool:
        """Whether time stands still."""

    def play(self, *, paused: bool | None = None, speed: float | None = None, time_s: float | None = None) -> None:
        """Pause or go on, change the speed (0.1 to 100), go to a moment. Raises ChangeError."""
