# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A connection to the controller's socket that stays open, for programs with an event loop."""

import asyncio
from pathlib import Path
from typing import Any

from quench.errors import ControllerError
from quench.service.protocol import MAX_ANSWER_BYTES, decoded, encoded, no_controller


class Connection:
    """Requests go one after the other; a connection that broke is made anew by the next request."""

    def __init__(self, path: Path, timeout_s: float = 30.0) -> None:
        self._path = path
        self._timeout_s = timeout_s
        self._turn = asyncio.Lock()
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def call(self, method: str, **params: Any) -> Any:
        """The result of one request, of the type that its ``answer`` declares. Raises ControllerError."""
        request, line = encoded(method, params)
        async with self._turn:
            answered = await self._exchange(line)
        return decoded(self._path, request, answered)

    def close(self) -> None:
        """Close the connection."""
        if self._streams is not None:
            self._streams[1].transport.abort()
            self._streams = None

    async def _exchange(self, line: bytes) -> bytes:
        whole = False
        try:
            async with asyncio.timeout(self._timeout_s):
                if self._streams is not None and (self._streams[0].at_eof() or self._streams[1].is_closing()):
                    # The controller closes connections that say nothing for a while.
                    self.close()
                if self._streams is None:
                    self._streams = await asyncio.open_unix_connection(str(self._path), limit=MAX_ANSWER_BYTES)
                reader, writer = self._streams
                writer.write(line)
                await writer.drain()
                answered = await reader.readuntil()
                whole = True
                return answered
        except TimeoutError as error:
            raise no_controller(self._path, OSError(f"nothing within {self._timeout_s:g} s")) from error
        except OSError as error:
            raise no_controller(self._path, error) from error
        except asyncio.IncompleteReadError as error:
            raise ControllerError(f"{self._path}: the controller closed the connection") from error
        except asyncio.LimitOverrunError as error:
            raise ControllerError(f"{self._path}: an answer has more than {MAX_ANSWER_BYTES} bytes") from error
        finally:
            if not whole:
                # The answer may still come: it must not be taken for the next one's.
                self.close()
