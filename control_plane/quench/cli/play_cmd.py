# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``quench play``: a page with a program, packets, and what the program does with them."""

import asyncio
import logging
import socket as sockets
from pathlib import Path
from typing import Annotated, Any

import typer
from quench_switch.cli.commands import Commands, DefineOption, IncludeOption

from quench.errors import ControllerError

LOGGER = logging.getLogger(__name__)
_LOOPBACK = "127.0.0.1"
_CAPTURE_BYTES = 1 << 20


def play(
    program: Annotated[Path, typer.Argument(metavar="PROGRAM.p4", help="The program; it is never written to.")],
    capture: Annotated[
        Path | None, typer.Argument(metavar="[CAPTURE]", help="Packets to begin with: a pcap file.")
    ] = None,
    ingress_port: Annotated[
        int, typer.Option(metavar="PORT", min=0, max=511, help="Port of the capture's packets.")
    ] = 1,
    entries: Annotated[
        Path | None, typer.Option(metavar="FILE.stf", help="Entries to begin with: statements of STF.")
    ] = None,
    include: IncludeOption = None,
    define: DefineOption = None,
    port: Annotated[
        int, typer.Option(metavar="PORT", min=0, max=65535, help="TCP port of the page; 0: any that is free.")
    ] = 8089,
) -> None:
    """Edit a P4 program and packets in a browser, and see what the program does with each, until interrupted.

    Only this machine reaches the page, and only the printed address runs programs.
    """
    from quench.http_server import listening_socket
    from quench.live.listen import new_token, page_url
    from quench.play.server import Played
    from quench.signals import until_signalled
    from quench.temporary import temporary_folder

    start = Played(
        source=_text(program),
        entries="" if entries is None else _text(entries),
        packets=[] if capture is None else _packets(capture, ingress_port),
    )
    folders = [program.resolve().parent, *(folder.resolve() for folder in include or ())]
    settings = {
        "name": program.name,
        "start": start,
        "include": [str(folder) for folder in folders],
        "define": define or [],
    }
    listener = listening_socket(f"{_LOOPBACK}:{port}")
    token = new_token()
    typer.echo(f"Open {page_url(listener, token)}\nEnd with Ctrl+C.")
    with temporary_folder("play") as folder:
        asyncio.run(until_signalled(_serve(listener, token, folder, settings)))


def _text(path: Path) -> str:
    from quench_switch.outside.files import read_file
    from quench_switch.trace.trial import TEXT_BYTES

    try:
        return read_file(path, TEXT_BYTES).decode()
    except UnicodeDecodeError as error:
        raise ControllerError(f"{path}: it is no text in UTF-8: {error.reason} at byte {error.start}") from error


def _packets(capture: Path, port: int) -> list[Any]:
    """The first packets of a capture, as many as the page takes."""
    from quench_switch._native import read_pcap
    from quench_switch.trace.trial import MOST_GAP_NS, MOST_PACKETS, PACKET_BYTES

    from quench.play.server import PlayedPacket

    captured, _ = read_pcap(capture, _CAPTURE_BYTES)
    first = captured[:MOST_PACKETS]
    for number, (_, packet, _) in enumerate(first, 1):
        if not 0 < len(packet) <= PACKET_BYTES:
            raise ControllerError(
                f"{capture}: packet {number} has {len(packet)} bytes: the page takes 1 to {PACKET_BYTES}"
            )
    if len(first) < len(captured):
        LOGGER.warning("%s: the page takes its first %d packets of %d", capture, len(first), len(captured))
    played = []
    before_ns = first[0][0] if first else 0
    for time_ns, packet, _ in first:
        # Captures of several interfaces need not be in order.
        gap_ns = min(max(time_ns - before_ns, 0), MOST_GAP_NS)
        played.append(PlayedPacket(port=port, octets=packet.hex(), after_ms=gap_ns / 1e6))
        before_ns = max(before_ns, time_ns)
    return played


async def _serve(listener: sockets.socket, token: str, folder: Path, settings: dict[str, Any]) -> None:
    from quench.play.runner import Runner
    from quench.play.server import serve

    try:
        await serve(listener, token, Runner(folder), settings)
    finally:
        listener.close()


app = Commands()
app.command("play")(play)
