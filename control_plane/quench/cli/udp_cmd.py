# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``quench send-udp`` and ``quench receive-udp``."""

import json
import signal
from collections.abc import Callable
from dataclasses import asdict
from ipaddress import IPv4Network
from typing import Annotated, Any

import typer
from quench_switch.cli.commands import Commands
from quench_switch.outside.units import parse_rate_bps, parse_seconds

from quench.cli.options import JsonOption, parsed
from quench.cli.output import table_console
from quench.errors import ControllerError
from quench.signals import ENDING
from quench.udp import (
    DEFAULT_PORT,
    AimdSettings,
    FlowReport,
    OnOff,
    Receiver,
    Sender,
    SenderReport,
    SenderSettings,
    UdpError,
)
from quench.udp.aimd import FLOOR_BPS
from quench.udp.quenches import PRIVATE_NETWORKS
from quench.udp.sender import PACKET_BYTES, RATE_BPS, VOICE_PACKET_BYTES, VOICE_RATE_BPS

SecondsOption = Annotated[
    float | None,
    typer.Option(metavar="SECONDS", min=0, help="End after so many seconds; without it: when interrupted."),
]


def send_udp(
    destination: Annotated[str, typer.Argument(metavar="ADDRESS:PORT", help="Where `quench receive-udp` runs.")],
    rate: Annotated[
        str | None, typer.Option(metavar="RATE", help="Rate of IP packets at the start. [default: 1Mbps]")
    ] = None,
    packet_bytes: Annotated[
        int | None, typer.Option(metavar="BYTES", help="Length of an IP packet. [default: 1000, or 200 with --on-off]")
    ] = None,
    dscp: Annotated[int, typer.Option(metavar="DSCP", min=0, max=63, help="DSCP of the packets.")] = 0,
    ect: Annotated[bool, typer.Option("--ect", help="Send ECT(0): be marked rather than dropped.")] = False,
    obey: Annotated[bool, typer.Option("--obey/--ignore-isq", help="Whether source quenches lower the rate.")] = True,
    isq_from: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PREFIX",
            help="Addresses whose source quenches count, again for each; any: all. [default: private networks]",
        ),
    ] = None,
    ceiling: Annotated[str | None, typer.Option(metavar="RATE", help="Highest rate. [default: --rate]")] = None,
    floor: Annotated[str | None, typer.Option(metavar="RATE", help="Lowest rate. [default: 8kbps]")] = None,
    interval: Annotated[
        str, typer.Option(metavar="TIME", help="Stands for the round-trip time: the rate falls once in it at most.")
    ] = "100ms",
    increase: Annotated[
        str | None, typer.Option(metavar="RATE", help="Growth per interval. [default: a packet an interval]")
    ] = None,
    decrease: Annotated[
        float, typer.Option(metavar="FACTOR", help="Fraction of the rate, 0 to 1, that a source quench takes.")
    ] = 0.5,
    levels: Annotated[bool, typer.Option("--levels", help="Take less for a source quench of a lower level.")] = False,
    on_off: Annotated[
        str | None,
        typer.Option(
            metavar="TIME:TIME", help="Voice (G.711): mean talk and mean silence, both exponential, such as 1s:1350ms."
        ),
    ] = None,
    seed: Annotated[int, typer.Option(metavar="NUMBER", min=0, help="Seed of --on-off.")] = 1,
    seconds: SecondsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Send paced UDP that obeys ICMP source quenches (docs/how-to/udp.md)."""
    address, port = _destination(destination)
    voice = None if on_off is None else _on_off(on_off, seed)
    start_bps = float(parsed("--rate", parse_rate_bps, rate) if rate else VOICE_RATE_BPS if voice else RATE_BPS)
    length = (VOICE_PACKET_BYTES if voice else PACKET_BYTES) if packet_bytes is None else packet_bytes
    interval_s = parsed("--interval", parse_seconds, interval)
    try:
        reaction = AimdSettings(
            start_bps=start_bps,
            ceiling_bps=parsed("--ceiling", parse_rate_bps, ceiling) if ceiling else start_bps,
            floor_bps=parsed("--floor", parse_rate_bps, floor) if floor else min(FLOOR_BPS, start_bps),
            increase_bps=parsed("--increase", parse_rate_bps, increase)
            if increase
            else 8 * length / max(interval_s, 1e-9),
            decrease=decrease,
            interval_s=interval_s,
            levels=levels,
        )
        settings = SenderSettings(
            rate_bps=start_bps,
            packet_bytes=length,
            dscp=dscp,
            ect=ect,
            obey=obey,
            aimd=reaction,
            on_off=voice,
            isq_from=tuple(map(_prefix, isq_from)) if isq_from else PRIVATE_NETWORKS,
        )
    except ValueError as error:
        raise ControllerError(str(error)) from error
    try:
        with Sender(address, port, settings) as sender:
            _end_with(sender.stop)
            report = sender.run(seconds)
    except UdpError as error:
        raise ControllerError(str(error)) from error
    if as_json:
        typer.echo(json.dumps(asdict(report), indent=2))
    else:
        _print_sender(report)


def receive_udp(
    port: Annotated[int, typer.Option(metavar="PORT", min=1, max=65535, help="UDP port.")] = DEFAULT_PORT,
    address: Annotated[str, typer.Option(metavar="ADDRESS", help="Local address.")] = "0.0.0.0",
    seconds: SecondsOption = None,
    idle: Annotated[
        str | None, typer.Option(metavar="TIME", help="End when nothing came for so long, such as 2s.")
    ] = None,
    warm_up: Annotated[
        str, typer.Option(metavar="TIME", help="Time at the start of each flow that does not count, such as 4s.")
    ] = "0s",
    as_json: JsonOption = False,
) -> None:
    """Receive what `quench send-udp` sends, answer nothing, and report each flow."""
    if not address.isprintable():
        raise ControllerError(f"--address: {address!r} is no address")
    idle_s = None if idle is None else parsed("--idle", parse_seconds, idle)
    warm_up_s = parsed("--warm-up", parse_seconds, warm_up)
    try:
        with Receiver(port, address, warm_up_s=warm_up_s) as receiver:
            _end_with(receiver.stop)
            flows = receiver.run(seconds, idle_s)
            counts = {"ignored_pkts": receiver.ignored_pkts, "overrun_pkts": receiver.overrun_pkts}
    except UdpError as error:
        raise ControllerError(str(error)) from error
    if as_json:
        typer.echo(json.dumps({"flows": [asdict(flow) for flow in flows], **counts}, indent=2))
    else:
        _print_flows(flows, counts)


def _end_with(stop: Callable[[], None]) -> None:
    def handle(_number: int, _frame: object) -> None:
        stop()

    for number in ENDING:
        signal.signal(number, handle)


def _destination(text: str) -> tuple[str, int]:
    address, colon, port = text.rpartition(":")
    if not colon or not address or not port.isascii() or not port.isdigit() or not 0 < int(port) <= 65535:
        raise ControllerError(f"{text!r} is not ADDRESS:PORT, such as 10.0.2.2:{DEFAULT_PORT}")
    return address, int(port)


def _prefix(text: str) -> IPv4Network:
    """An address, a prefix, or "any"; raises ValueError."""
    try:
        return IPv4Network("0.0.0.0/0" if text == "any" else text)
    except ValueError as error:
        raise ValueError(f"--isq-from {text}: {error}; write a prefix such as 10.1.0.0/16, or any") from error


def _on_off(text: str, seed: int) -> OnOff:
    on_text, colon, off_text = text.partition(":")
    if not colon:
        raise ControllerError(f"--on-off: {text!r} is not TIME:TIME, such as 1s:1350ms")
    try:
        return OnOff(parse_seconds(on_text), parse_seconds(off_text), seed)
    except ValueError as error:
        raise ControllerError(f"--on-off: {error}") from error


def _text(counts: Any) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items() if count) or "none"


def _print_sender(report: SenderReport) -> None:
    from rich.table import Table

    table = Table("destination", "s", "sent", "mean Mb/s", "rate Mb/s", "lowest Mb/s", "decreases")
    table.add_row(
        report.destination,
        f"{report.seconds:.2f}",
        str(report.sent_pkts),
        f"{report.sent_bps / 1e6:.3f}",
        f"{report.rate_bps / 1e6:.3f}",
        f"{report.lowest_bps / 1e6:.3f}",
        str(report.decreases),
    )
    console = table_console()
    console.print(table)
    console.print(f"source quenches: {_text(report.quenches)}; refused: {_text(report.refused)}")


def _print_flows(flows: list[FlowReport], counts: dict[str, int]) -> None:
    columns = ("source", "s", "goodput Mb/s", "received", "lost", "reordered", "duplicate", "jitter ms")
    from rich.table import Table

    table = Table(*columns, "delay ms", "CE", "ECT(1)")
    for flow in flows:
        table.add_row(
            flow.source,
            f"{flow.seconds:.2f}",
            f"{flow.goodput_bps / 1e6:.3f}",
            str(flow.received_pkts),
            f"{flow.lost_pkts} ({flow.loss:.2%})",
            str(flow.reordered_pkts),
            str(flow.duplicate_pkts),
            f"{flow.jitter_s * 1e3:.3f}",
            f"{flow.delay_mean_s * 1e3:.3f}",
            str(flow.ce_pkts),
            str(flow.ect1_pkts),
        )
    console = table_console()
    console.print(table)
    if any(counts.values()):
        console.print(f"not counted above: {_text(counts)}")


send_app = Commands()
send_app.command("send-udp")(send_udp)
receive_app = Commands()
receive_app.command("receive-udp")(receive_udp)
