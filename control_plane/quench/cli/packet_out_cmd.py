# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``quench packet-out``: a packet of the controller's for the switch to send, over P4Runtime."""

from typing import TYPE_CHECKING, Annotated

import typer
from quench_switch.cli.commands import Commands
from quench_switch.cli.lazy import later
from quench_switch.outside.text import counted

from quench.cli.server_options import takes_server
from quench.errors import ControllerError

if TYPE_CHECKING:
    from quench.client import words
    from quench.client.session import Session
    from quench.service.direct import DirectSwitch
else:
    words = later("quench.client.words")

MAX_BYTES = 1 << 16
"""The length of the longest frame."""
MAX_COUNT = 1000


@takes_server
def packet_out(
    server: "DirectSwitch",
    frame: Annotated[
        str, typer.Argument(metavar="HEX", help="The frame, from its Ethernet header on.", show_default=False)
    ],
    metadata: Annotated[
        list[str] | None,
        typer.Argument(metavar="[FIELD=VALUE]...", help="Fields of the program's header packet_out."),
    ] = None,
    count: Annotated[int, typer.Option(metavar="TIMES", min=1, max=MAX_COUNT, help="How often it is sent.")] = 1,
) -> None:
    """Hand a packet to the switch: quench packet-out FFFFFFFFFFFF... egress_port=1."""
    try:
        payload = bytes.fromhex(frame)
    except ValueError:
        raise ControllerError(f"{frame[:40]!r} is no frame: give its bytes as hexadecimal digits") from None
    if not 0 < len(payload) <= MAX_BYTES:
        raise ControllerError(f"the frame has {len(payload)} bytes: 1 to {MAX_BYTES} are possible")

    async def work(session: "Session") -> None:
        packet = words.packet_out(session.p4info, payload, metadata or [])
        for _ in range(count):
            await session.send(packet)
        await session.flush()

    server.change(work)
    typer.echo(f"{counted(count, 'packet')} of {counted(len(payload), 'byte')} handed over")


app = Commands()
app.command("packet-out")(packet_out)
