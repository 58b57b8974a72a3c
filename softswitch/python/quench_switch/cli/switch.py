# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The command ``quench switch``: options as simple_switch_grpc's, plus queues and links of the ports."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import sys
from collections.abc import Callable, Iterable
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from quench_switch.cli.commands import Commands, HelpCommand
from quench_switch.cli.output import complain
from quench_switch.log_file import LogFile
from quench_switch.outside.files import write_files
from quench_switch.outside.log_limit import LogLimit
from quench_switch.outside.text import LineFormatter
from quench_switch.outside.units import UnitError
from quench_switch.p4runtime.address import DEFAULT_ADDRESS, DEFAULT_DEVICE_ID
from quench_switch.p4runtime.limits import STATE_BYTES
from quench_switch.port_options import Io, parse_interface_spec, parse_port_specs
from quench_switch.tna.generator import GeneratorApp, parse_generator


class LogLevel(StrEnum):
    """Levels of the log, from most lines to fewest."""

    TRACE = "trace"
    DEBUG = "debug"
    INFO = "info"
    WARN = "warn"
    ERROR = "error"
    OFF = "off"


_LEVELS: Final = {
    LogLevel.TRACE: 5,
    LogLevel.DEBUG: logging.DEBUG,
    LogLevel.INFO: logging.INFO,
    LogLevel.WARN: logging.WARNING,
    LogLevel.ERROR: logging.ERROR,
    LogLevel.OFF: logging.CRITICAL + 1,
}


class SwitchCommand(HelpCommand):
    """Lets ``--pcap`` stand alone, as simple_switch does: it then means the current folder."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Give a bare ``--pcap`` its value."""
        return super().parse_args(ctx, ["--pcap=." if arg == "--pcap" else arg for arg in args])


def _configure_log(level: LogLevel, console: bool, file: Path | None) -> None:
    console_stream = sys.stdout if console else sys.stderr
    handler = logging.StreamHandler(console_stream) if file is None else LogFile(file)
    handler.setFormatter(LineFormatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    handler.addFilter(LogLimit())
    logging.basicConfig(level=_LEVELS[level], handlers=[handler], force=True)
    # Below WARNING, asyncio logs its own work, which is not the switch's.
    logging.getLogger("asyncio").setLevel(max(_LEVELS[level], logging.WARNING))


def _interfaces(specs: Iterable[str]) -> dict[int, str]:
    interfaces: dict[int, str] = {}
    for spec in specs:
        port, interface = parse_interface_spec(spec)
        if port in interfaces or interface in interfaces.values():
            raise UnitError(f"{spec}: the port or the interface is given twice")
        interfaces[port] = interface
    return interfaces


def _applications(specs: Iterable[str]) -> dict[int, GeneratorApp]:
    applications: dict[int, GeneratorApp] = {}
    for spec in specs:
        try:
            number, settings = parse_generator(spec)
        except UnitError as error:
            raise UnitError(f"--generate {spec[:40]}: {error}") from None
        if number in applications:
            raise UnitError(f"--generate {spec[:40]}: application {number} is given twice")
        applications[number] = settings
    return applications


def _thread_count(text: str, useful: int) -> int:
    """``auto`` is what is useful, as far as there are processors. Raises :class:`UnitError`."""
    # Here, not above: `--help` need not wait for it.
    from quench_switch._native import MAX_THREADS

    if text == "auto":
        return max(1, min(useful, len(os.sched_getaffinity(0)), MAX_THREADS))
    if not (text.isascii() and text.isdecimal() and len(text) <= 2 and 1 <= int(text) <= MAX_THREADS):
        raise UnitError(f"--threads {text!r}: give a number from 1 to {MAX_THREADS}, or auto")
    return int(text)


def _processors(text: str | None) -> tuple[int, ...]:
    """The processors of ``--cpus``, each of which this process may use. Raises :class:`UnitError`."""
    allowed = os.sched_getaffinity(0)
    names = text.split(",") if text is not None else []
    for name in names:
        if not (name.isascii() and name.isdecimal() and len(name) <= 4 and int(name) in allowed):
            raise UnitError(f"--cpus {name!r}: not a processor that this process may use, see `taskset -cp $$`")
    return tuple(int(name) for name in names)


def _readiness(fd: int | None, file: Path | None) -> Callable[[str], None]:
    """Hands the address to scripts, by a line on a descriptor and by a file that appears whole."""
    if file is not None and file.exists() and not file.is_file():
        # The file is replaced by another: a device at this path would be gone for the whole machine.
        raise typer.BadParameter(f"--ready-file {file}: exists and is no regular file")
    if fd is not None:
        try:
            os.fstat(fd)
        except OSError as error:
            raise typer.BadParameter(f"--ready-fd {fd}: {error.strerror}") from error

    def ready(address: str) -> None:
        if file is not None:
            write_files((file, f"{address}\n"))
        if fd is not None:
            with contextlib.suppress(BrokenPipeError), os.fdopen(fd, "w") as stream:
                stream.write(f"{address}\n")

    return ready


def switch(
    context: typer.Context,
    config: Annotated[
        Path | None,
        typer.Argument(
            metavar="JSON", help="Compiled program to run at once. Without it give --no-p4.", show_default=False
        ),
    ] = None,
    interface: Annotated[
        list[str] | None,
        typer.Option("--interface", "-i", metavar="PORT@IFACE", help="Linux interface of a port. Repeatable."),
    ] = None,
    port: Annotated[
        list[str] | None,
        typer.Option(
            "--port",
            metavar="PORT:KEY=VALUE,...",
            help="Queues and link of a port: rate=10Mbps or rate=1000pps, rate.7=500pps of queue 7, capacity=90KB or "
            "capacity=64pkts of each queue, capacity.1=25KB of queue 1, queues=8, scheduler=strict, drr or scfq, "
            "weights=1:0.8/0:0.2 of queues 1 and 0, delay=40ms and loss=0.02 of the outgoing link, hold. Repeatable.",
        ),
    ] = None,
    device_id: Annotated[
        int, typer.Option(metavar="NUMBER", min=0, max=2**63 - 1, help="Device id of P4Runtime.")
    ] = DEFAULT_DEVICE_ID,
    grpc_server_addr: Annotated[
        str, typer.Option(metavar="HOST:PORT", help="Address of the gRPC server; port 0 takes a free one.")
    ] = DEFAULT_ADDRESS,
    grpc_server_ssl: Annotated[
        bool, typer.Option("--grpc-server-ssl", help="Speak TLS, with --grpc-server-cert and --grpc-server-key.")
    ] = False,
    grpc_server_cert: Annotated[
        Path | None, typer.Option(metavar="PEM", help="The server's certificate chain, PEM.")
    ] = None,
    grpc_server_key: Annotated[Path | None, typer.Option(metavar="PEM", help="The certificate's key, PEM.")] = None,
    grpc_server_cacert: Annotated[
        Path | None, typer.Option(metavar="PEM", help="Authority that signs the clients' certificates, PEM.")
    ] = None,
    grpc_server_with_client_auth: Annotated[
        bool,
        typer.Option(
            "--grpc-server-with-client-auth", help="Admit only clients with a certificate of --grpc-server-cacert."
        ),
    ] = False,
    thrift_addr: Annotated[
        str | None,
        typer.Option(metavar="HOST:PORT", help="Answer simple_switch_CLI and other clients of BMv2's Thrift here too."),
    ] = None,
    thrift_allow_users: Annotated[
        str | None,
        typer.Option(
            metavar="USERS",
            help="Users by comma that --thrift-addr answers beside root and the switch's own; all: everybody who "
            "reaches it.",
        ),
    ] = None,
    allow_interface: Annotated[
        list[str] | None,
        typer.Option(
            metavar="GLOB", help="Interfaces that clients of --thrift-addr may attach, such as 'veth*'. Repeatable."
        ),
    ] = None,
    notifications_addr: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Publish digests here as BMv2 does, by nanomsg's protocol: ipc://PATH or tcp://HOST:PORT.",
        ),
    ] = None,
    no_p4: Annotated[bool, typer.Option("--no-p4", help="Start without a program; a controller sends it.")] = False,
    p4info: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="P4Info of JSON, so that controllers can use the program at once."),
    ] = None,
    cpu_port: Annotated[
        int | None,
        typer.Option(
            metavar="PORT", min=1, max=510, help="Port of packet-in and packet-out. Attach no interface to it."
        ),
    ] = None,
    drop_port: Annotated[int, typer.Option(metavar="PORT", min=0, max=511, help="Port that means drop.")] = 511,
    priority_queues: Annotated[int, typer.Option(metavar="QUEUES", min=1, max=8, help="Queues of each port.")] = 1,
    slowdown: Annotated[
        int,
        typer.Option(
            metavar="TIMES",
            min=1,
            max=2**32 - 1,
            help="The clock of the chip, in a program for Tofino, is so many times slower.",
        ),
    ] = 1,
    threads: Annotated[
        str,
        typer.Option(
            metavar="COUNT|auto",
            help="Threads that read and send packets, 1 to 64; auto takes one for each port, as far as there are "
            "processors.",
        ),
    ] = "1",
    fanout: Annotated[
        int,
        typer.Option(metavar="THREADS", min=1, max=64, help="Threads that share the packets of one port, by flows."),
    ] = 1,
    cpus: Annotated[
        str | None, typer.Option(metavar="CPU,...", help="Run each thread on one of these processors, in their order.")
    ] = None,
    deflect_port: Annotated[
        int | None,
        typer.Option(
            metavar="PORT", min=0, max=511, help="Where a program for Tofino deflects packets to whose queue is full."
        ),
    ] = None,
    deflect_queue: Annotated[
        int | None, typer.Option(metavar="QUEUE", min=0, max=31, help="The queue of that port; 0 where it is absent.")
    ] = None,
    generate: Annotated[
        list[str] | None,
        typer.Option(
            metavar="APP:KEY=VALUE,...",
            help="Application 0 to 7 of Tofino's packet generator: one-shot=TIME, periodic=TIME, port-down or "
            "recirculated=0xVALUE/0xMASK; bytes=HEX, batches=N, packets=N, batch-gap=TIME, packet-gap=TIME, port=N, "
            "next-port. Repeatable.",
        ),
    ] = None,
    state_memory: Annotated[
        int,
        typer.Option(
            metavar="MIB", min=1, max=1 << 20, help="Most memory of what clients write: an entry takes about 400 bytes."
        ),
    ] = STATE_BYTES >> 20,
    seed: Annotated[int, typer.Option(metavar="NUMBER", min=0, max=2**64 - 1, help="Seed of all that is random.")] = 1,
    io: Annotated[
        Io,
        typer.Option(
            "--io",
            help="How packets come and go: through packet sockets, by AF_XDP past the kernel's stack, or by AF_XDP "
            "where nothing speaks against it.",
        ),
    ] = Io.PACKET,
    poll_us: Annotated[
        int,
        typer.Option(
            metavar="MICROSECONDS",
            min=0,
            max=1_000_000,
            help="Wait busily for so long before sleeping: lower delays, for all of a processor.",
        ),
    ] = 0,
    pcap: Annotated[
        Path | None,
        typer.Option(
            metavar="[DIR]", help="Write IFACE_in.pcap and IFACE_out.pcap to DIR (default: here), for their owner only."
        ),
    ] = None,
    log_console: Annotated[bool, typer.Option("--log-console", help="Log to stdout instead of stderr.")] = False,
    log_file: Annotated[Path | None, typer.Option(metavar="FILE", help="Log to a file instead.")] = None,
    log_level: Annotated[LogLevel, typer.Option("--log-level", "-L", help="Least important level to log.")] = (
        LogLevel.INFO
    ),
    ready_fd: Annotated[
        int | None,
        typer.Option(
            min=0, max=2**31 - 1, metavar="FD", help="Write the address to this descriptor when clients can connect."
        ),
    ] = None,
    ready_file: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Create this file with the address when clients can connect.")
    ] = None,
) -> None:
    """Run the embedded switch on Linux interfaces, with P4Runtime.

    Options read like simple_switch_grpc's. SIGTERM, SIGINT, SIGHUP and SIGQUIT end it.
    """
    if no_p4 == (config is not None):
        raise typer.BadParameter("give either a JSON file or --no-p4")
    if config is not None and config.suffix == ".p4":
        raise typer.BadParameter(
            f"{config} is P4 source: compile it first, with `quench compile {config} -o DIR` (for Tofino `--arch tna`)"
        )
    if p4info is not None and config is None:
        raise typer.BadParameter("--p4info needs a JSON file")
    if log_console and log_file is not None:
        raise typer.BadParameter("--log-console and --log-file exclude each other")
    tls_files = (grpc_server_cert, grpc_server_key, grpc_server_cacert)
    if not grpc_server_ssl and (any(tls_files) or grpc_server_with_client_auth):
        raise typer.BadParameter("options of TLS need --grpc-server-ssl")
    if grpc_server_ssl and (grpc_server_cert is None or grpc_server_key is None):
        raise typer.BadParameter("--grpc-server-ssl needs --grpc-server-cert and --grpc-server-key")
    if grpc_server_with_client_auth != (grpc_server_cacert is not None):
        raise typer.BadParameter("--grpc-server-with-client-auth and --grpc-server-cacert need each other")
    if deflect_queue is not None and deflect_port is None:
        raise typer.BadParameter("--deflect-queue needs --deflect-port: it is the queue of that port")
    if thrift_addr is None and (thrift_allow_users is not None or allow_interface):
        raise typer.BadParameter("--thrift-allow-users and --allow-interface need --thrift-addr")
    try:
        interfaces, port_options = _interfaces(interface or ()), parse_port_specs(port or ())
        generator = _applications(generate or ())
        count, processors = _thread_count(threads, max(len(interfaces), fanout)), _processors(cpus)
    except UnitError as error:
        raise typer.BadParameter(str(error)) from error
    if cpu_port is not None and (cpu_port in interfaces or cpu_port == drop_port):
        raise typer.BadParameter(f"port {cpu_port} is the CPU port, it cannot be anything else")
    if fanout > count:
        raise typer.BadParameter(f"--fanout {fanout} needs as many threads: --threads is {count}")
    try:
        _configure_log(log_level, log_console, log_file)
    except OSError as error:
        raise typer.BadParameter(f"{log_file}: {error.strerror}") from error

    # Here, not above: gRPC and finsy take half a second to import, which `--help` need not wait for.
    from quench_switch.listener import Tls
    from quench_switch.realtime import Settings, StartError, SwitchFailedError, run

    tls = None
    if grpc_server_cert is not None and grpc_server_key is not None:
        tls = Tls(grpc_server_cert, grpc_server_key, grpc_server_cacert)
    settings = Settings(
        interfaces=interfaces,
        grpc_address=grpc_server_addr,
        tls=tls,
        device_id=device_id,
        cpu_port=cpu_port,
        drop_port=drop_port,
        priority_queues=priority_queues,
        slowdown=slowdown,
        threads=count,
        fanout=fanout,
        cpus=processors,
        deflection=None if deflect_port is None else (deflect_port, deflect_queue or 0),
        generator=generator,
        state_bytes=state_memory << 20,
        seed=seed,
        io=io,
        poll_us=poll_us,
        pcap_dir=pcap,
        port_options=port_options,
        program=config,
        p4info=p4info,
        thrift_address=thrift_addr,
        thrift_users=thrift_allow_users,
        thrift_interfaces=tuple(allow_interface or ()),
        notifications_address=notifications_addr,
    )
    try:
        asyncio.run(run(settings, _readiness(ready_fd, ready_file)))
    except (StartError, SwitchFailedError, OSError) as error:
        complain(context.command_path, error)
        raise typer.Exit(1) from None


app = Commands()
app.command("switch", cls=SwitchCommand)(switch)


if __name__ == "__main__":
    app(prog_name="quench switch")
