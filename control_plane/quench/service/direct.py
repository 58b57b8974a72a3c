# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Changing a switch without a controller: connect, become primary for a moment, write, leave."""

import asyncio
from collections.abc import Awaitable, Callable

import finsy as fy

from quench.profiles import ProfileSettings, compile_profile
from quench.service.protocol import ControllerError
from quench.switch.writer import SwitchWriter

ELECTION_ID = 1 << 16
"""Above that of a controller, which becomes primary again when this client has left."""
TIMEOUT_S = 10.0


class DirectSwitch:
    """A switch whose P4Runtime server is reached without a controller."""

    def __init__(self, address: str, device_id: int) -> None:
        self._address = address
        self._device_id = device_id

    def set_profile(self, port: int, queue: int, settings: ProfileSettings, rate_bps: int) -> int:
        """Give a queue a profile; its id. Raises ControllerError."""
        try:
            compile_profile(settings, rate_bps)
        except ValueError as error:
            raise ControllerError(str(error)) from error

        async def write(switch: fy.Switch) -> int:
            writer = SwitchWriter(switch)
            await writer.adopt()
            # Who sends the ISQs stays as it is.
            in_dataplane = await writer.sends_isqs(port, queue)
            return await writer.set_profile(
                port, queue, compile_profile(settings, rate_bps, isq_in_dataplane=in_dataplane)
            )

        return asyncio.run(self._connected(write))

    async def _connected(self, work: Callable[[fy.Switch], Awaitable[int]]) -> int:
        options = fy.SwitchOptions(device_id=self._device_id, initial_election_id=ELECTION_ID)
        try:
            async with asyncio.timeout(TIMEOUT_S), fy.Switch("direct", self._address, options) as switch:
                if not switch.is_primary:
                    raise ControllerError(f"{self._address}: another client is primary with a higher election id")
                return await work(switch)
        except TimeoutError:
            raise ControllerError(f"{self._address}: no answer within {TIMEOUT_S:g} s") from None
        except fy.P4ClientError as error:
            raise ControllerError(f"{self._address}: {error.message or error.code.name}") from error
