# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The command ``quench trace``: packets of a capture in virtual time, or of a running switch."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from quench_switch.cli.commands import Commands, DefineOption, IncludeOption
from quench_switch.outside.files import PEM_BYTES, PROGRAM_BYTES, read_file, write_files
from quench_switch.outside.text import one_line, printable_lines
from quench_switch.outside.units import UnitError
from quench_switch.port_options import parse_port_specs

if TYPE_CHECKING:
    import grpc

    from . import packet_trace_pb2 as pb
    from .setup import Setup

WAITING_BYTES: Final = 8 << 20
"""The largest size of the traces that wait for the copies of their packets, before their trees are printed."""


def _fail(problem: object) -> typer.Exit:
    typer.echo(f"quench trace: {one_line(str(problem))}", err=True)
    return typer.Exit(1)


class _Output:
    """The output of traces: JSON and text at once, trees when the copies are known too."""

    def __init__(self, *, as_json: bool, folder: Path | None, summarised: bool) -> None:
        from .summary import Summary

        self._as_json = as_json
        self._summary = Summary() if summarised else None
        self._folder = folder
        self._waiting: list[pb.PacketTrace] = []
        self._waiting_bytes = 0

    def keep(self, trace: pb.PacketTrace) -> None:
        """Take a trace."""
        if self._summary is not None:
            self._summary.add(trace)
        if self._as_json:
            from google.protobuf import json_format

            line = json_format.MessageToJson(trace, preserving_proto_field_name=True, indent=None)
            typer.echo(line)
        if self._folder is not None:
            from google.protobuf import text_format

            # The names that behavioral-model gives them.
            file = self._folder / f"trace_{trace.input.packet_id}.txtpb"
            write_files((file, text_format.MessageToString(trace)))
        if not self._as_json and self._folder is None and self._summary is None:
            self._waiting.append(trace)
            self._waiting_bytes += trace.ByteSize()
            if self._waiting_bytes > WAITING_BYTES:
                self.finish(0)

    def finish(self, lost: int) -> None:
        """Print what waits, and how much is missing."""
        if self._waiting:
            from .tree import show, trees

            show(trees(self._waiting))
            self._waiting.clear()
            self._waiting_bytes = 0
        if lost:
            typer.echo(f"quench trace: {lost} traces were lost", err=True)

    def summarise(self) -> None:
        """Print the summary, if one is wanted."""
        for line in self._summary.lines() if self._summary is not None else ():
            typer.echo(line, err=self._as_json)


def _compiled(program: Path, p4info: Path | None, include: list[str], define: list[str]) -> tuple[str, bytes]:
    """BMv2 JSON and binary P4Info of a program."""
    from quench_switch._native import CompileError, compile_p4
    from quench_switch.stf.tofino import guess_architecture

    if program.suffix == ".json":
        json = read_file(program, PROGRAM_BYTES).decode()
        if p4info is None:
            return json, b""
        from quench_switch.realtime import StartError, read_p4info

        try:
            return json, read_p4info(p4info).SerializeToString()
        except StartError as error:
            raise _fail(error) from error
    try:
        output = compile_p4(str(program), include, define, arch=guess_architecture(program, include, define))
    except CompileError as error:
        typer.echo(printable_lines("\n".join(error.diagnostics)), err=True)
        raise typer.Exit(1) from None
    return output.json, output.p4info_binary


def _offline(setup: Setup, capture: Path, ingress_port: int, packets: int | None, output: _Output) -> None:
    from quench_switch.errors import DataPlaneError
    from quench_switch.stf.syntax import StfSyntaxError

    from .offline import run
    from .setup import SetupError

    try:
        lost = run(setup, capture, ingress_port, packets, output.keep)
    except DataPlaneError as error:
        raise _fail(error.message) from error
    except (SetupError, StfSyntaxError, UnicodeDecodeError) as error:
        raise _fail(error) from error
    output.finish(lost)


def _credentials(ca: Path | None, cert: Path | None, key: Path | None) -> grpc.ChannelCredentials | None:
    if ca is None:
        if cert or key:
            raise typer.BadParameter("--tls-cert and --tls-key need --tls-ca")
        return None
    import grpc

    if (cert is None) != (key is None):
        raise typer.BadParameter("--tls-cert and --tls-key need each other")
    own = [read_file(path, PEM_BYTES) for path in (key, cert) if path is not None]
    return grpc.ssl_channel_credentials(read_file(ca, PEM_BYTES), *own)


def _live(
    address: str,
    credentials: grpc.ChannelCredentials | None,
    ingress_port: int | None,
    packets: int | None,
    output: _Output,
) -> None:
    from .live import LiveError, receive

    async def follow() -> None:
        seen = 0
        async for trace, lost in receive(address, credentials, ingress_port=ingress_port, packets=packets or 0):
            output.keep(trace)
            output.finish(max(lost - seen, 0))
            seen = lost

    try:
        asyncio.run(follow())
    except LiveError as error:
        raise _fail(error) from error
    except KeyboardInterrupt:
        raise typer.Exit(130) from None


def trace(
    program: Annotated[
        Path | None,
        typer.Argument(metavar="[PROGRAM]", help="Program: .p4, or .json as compiled.", show_default=False),
    ] = None,
    capture: Annotated[
        Path | None,
        typer.Argument(
            metavar="[CAPTURE]",
            help="Packets to send into it: a pcap file. A pipe is read until its writer closes it, however long.",
            show_default=False,
        ),
    ] = None,
    address: Annotated[
        str | None,
        typer.Option(metavar="HOST:PORT", help="Trace packets of the switch that runs there, instead of a capture's."),
    ] = None,
    ingress_port: Annotated[
        int | None,
        typer.Option(
            metavar="PORT",
            min=0,
            max=65535,
            help="Port of the capture's packets, 1 if not given; of a running switch the only port to trace.",
        ),
    ] = None,
    packets: Annotated[
        int | None,
        typer.Option(
            metavar="PACKETS", min=1, max=2**63 - 1, help="Trace so many packets; copies of them come on top."
        ),
    ] = None,
    entries: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="Entries: an STF file, or a p4.v1.WriteRequest in text form. Repeatable."),
    ] = None,
    p4info: Annotated[
        Path | None, typer.Option(metavar="FILE", help="P4Info of a .json program, for P4Runtime's entries.")
    ] = None,
    port: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PORT:KEY=VALUE,...", help="Queues and link of a port, as quench switch has them. Repeatable."
        ),
    ] = None,
    cpu_port: Annotated[
        int | None, typer.Option(metavar="PORT", min=1, max=510, help="Port of packet-in and packet-out.")
    ] = None,
    priority_queues: Annotated[int, typer.Option(metavar="QUEUES", min=1, max=8, help="Queues of each port.")] = 1,
    seed: Annotated[int, typer.Option(metavar="NUMBER", min=0, max=2**64 - 1, help="Seed of all that is random.")] = 1,
    include: IncludeOption = None,
    define: DefineOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print each trace as a line of JSON.")] = False,
    summary: Annotated[
        bool,
        typer.Option(
            "--summary",
            help="Print no trees, but how many packets were dropped, where in the source and by which entry.",
        ),
    ] = False,
    proto: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Write each trace to DIR/trace_ID.txtpb, as behavioral-model does."),
    ] = None,
    tls_ca: Annotated[
        Path | None,
        typer.Option(metavar="PEM", help="With --address: TLS, and the authority of the switch's certificate."),
    ] = None,
    tls_cert: Annotated[
        Path | None, typer.Option(metavar="PEM", help="With --tls-ca: this client's certificate.")
    ] = None,
    tls_key: Annotated[Path | None, typer.Option(metavar="PEM", help="The key of --tls-cert.")] = None,
) -> None:
    """Show what a program does with each packet.

    The following is shown of each packet: parser states, headers, tables with keys and the rows that matched, actions
    with their parameters, values that primitives read and write, registers, random numbers, queues, copies and the
    outcome, with source lines.
    """
    if proto is not None and not proto.is_dir():
        raise typer.BadParameter(f"--proto {proto}: no such folder")
    output = _Output(as_json=as_json, folder=proto, summarised=summary)
    if address is not None:
        if program is not None or entries or port:
            raise typer.BadParameter("--address traces a running switch: give no program, entries or ports")
        _live(address, _credentials(tls_ca, tls_cert, tls_key), ingress_port, packets, output)
        output.summarise()
        return
    if program is None or capture is None:
        raise typer.BadParameter("give a program and a capture, or --address")
    if tls_ca or tls_cert or tls_key:
        raise typer.BadParameter("--tls-ca, --tls-cert and --tls-key need --address")
    try:
        ports = parse_port_specs(port or ())
    except UnitError as error:
        raise typer.BadParameter(str(error)) from error
    from .setup import Setup

    json, info = _compiled(program, p4info, [str(folder) for folder in include or ()], define or [])
    setup = Setup(
        json=json,
        p4info=info,
        entries=entries or [],
        ports=ports,
        cpu_port=cpu_port,
        seed=seed,
        priority_queues=priority_queues,
    )
    _offline(setup, capture, 1 if ingress_port is None else ingress_port, packets, output)
    output.summarise()


app = Commands()
app.command("trace")(trace)


if __name__ == "__main__":
    app(prog_name="quench trace")
