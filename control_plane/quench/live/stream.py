# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The updates of a source as messages of a WebSocket (RFC 6455). Nothing waits for a browser that does not read."""

import asyncio
import json
import logging
from collections.abc import Iterator

from tornado.iostream import StreamClosedError
from tornado.web import HTTPError
from tornado.websocket import WebSocketClosedError, WebSocketHandler

from quench.feed.model import Update
from quench.live.guard import PROTOCOL
from quench.live.guarded import Guarded

LOGGER = logging.getLogger(__name__)

MOST_WATCHERS = 16
"""The largest number of watchers without the token. The same number with the token have room beside them."""
MOST_WATCHERS_OF_PEER = 8
"""The largest number of watchers without the token, of one user of this machine or one address."""
SLOW_S = 10.0
"""Seconds in which a watcher must have taken a message; then it is dropped."""
SAMPLES_IN_MESSAGE = 50
"""Most samples of one message: the history is sent in parts, and other work goes on between two."""
MOST_BYTES_FROM_WATCHER = 1024
"""The size of the largest message of a watcher; a watcher has nothing to send."""
TRY_LATER = 1013
"""Code of a closed connection: try again later."""
INTERNAL_ERROR = 1011


class StreamHandler(Guarded, WebSocketHandler):
    """One watcher: a message is an ``Update``, or a part of its samples."""

    peer = ""
    has_token = False
    _sending: asyncio.Task[None] | None = None

    @property
    def _watchers(self) -> set["StreamHandler"]:
        watchers: set[StreamHandler] = self.settings["watchers"]
        return watchers

    def prepare(self) -> None:
        """Refuse whom the guard does not know, and too many."""
        super().prepare()
        self.peer = self.server.peer_of(self.request)
        self.has_token = self.guard.offers_token(self.request.headers.get("Sec-WebSocket-Protocol"))
        rivals = [each for each in self._watchers if each.has_token == self.has_token]
        of_peer = sum(each.peer == self.peer for each in rivals)
        if len(rivals) >= MOST_WATCHERS or (not self.has_token and of_peer >= MOST_WATCHERS_OF_PEER):
            raise HTTPError(503, reason="Too many pages are open already: close one")

    def check_origin(self, origin: str) -> bool:
        """Only a page of this server."""
        return self.guard.is_own(origin, self.request.host, self.request.protocol)

    def select_subprotocol(self, subprotocols: list[str]) -> str | None:
        """Choose the subprotocol that is not the token."""
        return PROTOCOL if PROTOCOL in subprotocols else None

    def open(self, *_: str, **__: str) -> None:
        """Begin to send."""
        self.set_nodelay(True)
        self._watchers.add(self)
        self._sending = asyncio.create_task(self._send())

    def on_message(self, message: str | bytes) -> None:  # noqa: ARG002
        """A page has nothing to say here."""
        self.close(1008, "changes are requests of their own")

    def on_close(self) -> None:
        """Stop watching: the source works only while somebody does."""
        self._watchers.discard(self)
        if self._sending is not None:
            self._sending.cancel()

    async def _send(self) -> None:
        try:
            async for update in self.source.updates():
                for message in messages(update):
                    async with asyncio.timeout(SLOW_S):
                        await self.write_message(message)
            self.close(TRY_LATER, "the source has ended")
        except (WebSocketClosedError, StreamClosedError):
            pass  # the browser went away
        except TimeoutError:
            LOGGER.warning("a page is dropped: it took no message for %g s", SLOW_S)
            self.close(TRY_LATER, "too slow")
        except Exception:
            LOGGER.exception("the updates of a page ended")
            self.close(INTERNAL_ERROR, "the log of the server says more")


def messages(update: Update) -> Iterator[str]:
    """An update as JSON, in parts that are parsed in the time between two of them."""
    samples = update["samples"]
    rest: Update = {**update, "layout": None, "events": [], "restarted": False}
    yield json.dumps({**update, "samples": samples[:SAMPLES_IN_MESSAGE]}, allow_nan=False)
    for start in range(SAMPLES_IN_MESSAGE, len(samples), SAMPLES_IN_MESSAGE):
        yield json.dumps({**rest, "samples": samples[start : start + SAMPLES_IN_MESSAGE]}, allow_nan=False)
