# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A change of a switch without a controller: connect, become primary for a moment, write, leave."""

import asyncio

import finsy as fy
from finsy.proto import p4r

from quench.config.model import TlsConfig
from quench.errors import ControllerError
from quench.profiles import ProfileSettings, compile_profile
from quench.switch.program import ForeignProgramError, check_program
from quench.switch.session import Session, SessionError, Target
from quench.switch.tls import credentials
from quench.switch.writer import SwitchWriter

ELECTION_ID = 1 << 16
"""Above a controller's, which becomes primary again when this client has left."""
TIMEOUT_S = 10.0


class DirectSwitch:
    """A switch whose P4Runtime server is reached without a controller."""

    def __init__(self, address: str, device_id: int, tls: TlsConfig | None = None) -> None:
        self._target = Target(address, device_id, credentials(tls))

    def set_profile(self, port: int, queue: int, settings: ProfileSettings, rate_bps: int) -> int:
        """Give a queue a profile; its id. Raises ControllerError."""
        try:
            compile_profile(settings, rate_bps)
        except ValueError as error:
            raise ControllerError(str(error)) from error
        return asyncio.run(self._connected(_Change(port, queue, settings, rate_bps)))

    async def _connected(self, change: "_Change") -> int:
        address = self._target.address
        session = Session(self._target, fy.P4Schema(), ELECTION_ID)
        try:
            async with asyncio.timeout(TIMEOUT_S):
                await session.run(change)
        except _WrittenError as done:
            return done.profile_id
        except TimeoutError:
            raise ControllerError(f"{address}: no answer within {TIMEOUT_S:g} s") from None
        except SessionError as error:
            raise ControllerError(f"{address}: {error}") from error
        raise AssertionError("a session ends with an error")


class _WrittenError(Exception):
    """The profile is written; ends the session."""

    def __init__(self, profile_id: int) -> None:
        super().__init__(profile_id)
        self.profile_id = profile_id


class _Change:
    """The user of the session, which writes one profile."""

    def __init__(self, port: int, queue: int, settings: ProfileSettings, rate_bps: int) -> None:
        self._key = (port, queue)
        self._settings = settings
        self._rate_bps = rate_bps

    async def primary(self, session: Session) -> None:
        """Write it, and leave."""
        await session.adopt_pipeline()
        try:
            check_program(session.p4info)
        except ForeignProgramError as error:
            raise SessionError(f"the switch's program cannot be used: {error}") from error
        writer = SwitchWriter(session)
        await writer.adopt()
        # The sender of ISQs, controller or switch, stays as it is.
        in_dataplane = await writer.sends_isqs(*self._key)
        rows = compile_profile(self._settings, self._rate_bps, isq_in_dataplane=in_dataplane)
        raise _WrittenError(await writer.set_profile(*self._key, rows))

    def backup(self, highest: int) -> None:
        """Give up. Raises SessionError."""
        raise SessionError(f"another client is primary with election id {highest}")

    def packet(self, packet: p4r.PacketIn) -> None:
        """Ignore packets: the controller answers them."""

    def stream_error(self, error: p4r.StreamError) -> None:
        """Ignore errors of the stream: nothing is sent on it."""
