# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Runs trials (``quench_switch.trace.trial``) in processes of their own, one at a time."""

import asyncio
import json
import logging
import signal
import sys
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from quench_switch.outside.text import one_line
from quench_switch.trace.trial import MEMORY_BYTES, OUTCOME_BYTES, Trial

from quench.errors import ControllerError

LOGGER = logging.getLogger(__name__)

TIME_S = 10
"""Seconds of processor time, and of the clock, after which a run ends."""
_PATIENCE_S = 2.0
"""Seconds after its own limit in which a process that has not ended itself is killed."""
_ERROR_BYTES = 64 << 10
_TOO_LONG = frozenset({signal.SIGALRM, signal.SIGXCPU, signal.SIGKILL})


class ReplacedError(ControllerError):
    """Another trial has taken the place of this one."""


class Runner:
    """Runs a trial. The newest one ends the one before it."""

    def __init__(self, folder: Path, time_s: int = TIME_S) -> None:
        """``folder`` is the trials' working folder, and for nothing else."""
        self._folder = folder
        self._time_s = time_s
        self._running: asyncio.Task[Any] | None = None
        self._one = asyncio.Lock()

    async def run(self, trial: Trial) -> dict[str, Any]:
        """The JSON of the trial's ``Outcome``. Raises ControllerError."""
        if self._running is not None:
            self._running.cancel()
        task = self._running = asyncio.create_task(self._outcome(trial))
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            if task.cancelled():
                raise ReplacedError("another run has taken the place of this one") from None
            task.cancel()
            raise

    async def close(self) -> None:
        """End the trial that runs."""
        if self._running is not None:
            self._running.cancel()
            await asyncio.wait([self._running])

    async def _outcome(self, trial: Trial) -> dict[str, Any]:
        # All work in the same folder.
        async with self._one:
            return await self._run_alone(trial)

    async def _run_alone(self, trial: Trial) -> dict[str, Any]:
        # Without -P the folder's files, which are the page's, would be modules.
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-m", "quench_switch.trace.trial", str(self._time_s)),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            cwd=self._folder,
            limit=_ERROR_BYTES,
        )
        try:
            async with asyncio.timeout(self._time_s + _PATIENCE_S):
                text, complaint = await _talk(process, json.dumps(asdict(trial)).encode())
                status = await process.wait()
        except TimeoutError as error:
            raise ControllerError(self._too_long()) from error
        finally:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()
        if status != 0:
            raise ControllerError(self._reason(status, complaint))
        if len(text) > OUTCOME_BYTES:
            raise ControllerError(f"the outcome has more than {OUTCOME_BYTES >> 20} MiB: send fewer packets")
        outcome: dict[str, Any] = json.loads(text)
        return outcome

    def _too_long(self) -> str:
        return f"the run took longer than {self._time_s} s: send fewer packets, and look for packets that go in circles"

    def _reason(self, status: int, complaint: bytes) -> str:
        if -status in _TOO_LONG:
            return self._too_long()
        text = complaint.decode(errors="replace")
        LOGGER.debug("a run ended with status %d: %s", status, text)
        if status == -signal.SIGABRT or "MemoryError" in text:
            return f"the run needed more than {MEMORY_BYTES >> 20} MiB of memory: make the program's arrays smaller"
        last = text.strip().splitlines()[-1:]
        return f"the run ended with status {status}{f': {one_line(last[0])}' if last else ''}"


async def _talk(process: asyncio.subprocess.Process, given: bytes) -> tuple[bytes, bytes]:
    """Hand over the trial; what comes back, and the beginning of what stands on stderr."""
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None

    async def hand_over(stdin: asyncio.StreamWriter) -> None:
        # A process that has ended already says why by its status.
        with suppress(ConnectionError):
            stdin.write(given)
            await stdin.drain()
        stdin.close()

    text, complaint, _ = await asyncio.gather(
        _read(process.stdout, OUTCOME_BYTES + 1), _read(process.stderr, _ERROR_BYTES), hand_over(process.stdin)
    )
    return text, complaint


async def _read(stream: asyncio.StreamReader, most_bytes: int) -> bytes:
    """The first bytes of a stream, whose end is awaited."""
    kept = bytearray()
    while part := await stream.read(1 << 16):
        kept += part[: most_bytes - len(kept)]
    return bytes(kept)
