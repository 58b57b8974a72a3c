# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""One switch process: the data plane on Linux interfaces with its gRPC services."""

from __future__ import annotations

import asyncio
import json
import logging
import signal
from collections.abc import Callable, Container, Coroutine, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from google.protobuf import text_format
from google.protobuf.message import DecodeError

from quench_switch._native import RealtimeSwitch, check_program_size
from quench_switch.arch import V1MODEL, Architecture, architecture
from quench_switch.errors import DataPlaneError
from quench_switch.messages import p4i, p4r
from quench_switch.outside.files import PROGRAM_BYTES, read_file
from quench_switch.p4runtime.address import DEFAULT_ADDRESS, DEFAULT_DEVICE_ID
from quench_switch.port_options import Io

from .listener import ListenError, Tls, is_local, listen
from .p4runtime.errors import RequestError, cut
from .p4runtime.grpc_server import GrpcServer
from .p4runtime.limits import STATE_BYTES
from .p4runtime.server import P4RuntimeServer
from .ports import PortsServer
from .trace.service import TracesServer

if TYPE_CHECKING:
    from quench_switch._native import PortOptions
    from quench_switch.tna.generator import GeneratorApp

    from .bmv2_thrift.learning import Notifications
    from .bmv2_thrift.listener import ThriftListener

_log = logging.getLogger(__name__)

ENDING: Final = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT)
"""Signals that end a switch in order."""
LOCAL_PORT: Final = 0x7F
"""The bits of a port's number that say which of its pipe it is."""
GRACE_S: Final = 0.5
"""The time in which calls in progress may end when the switch stops."""


class StartError(RuntimeError):
    """The switch cannot start; the message says why in one line."""


class SwitchFailedError(RuntimeError):
    """A part of the running switch broke; the message says which in one line."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of one switch process."""

    interfaces: Mapping[int, str]
    """Linux interface of each port."""
    grpc_address: str = DEFAULT_ADDRESS
    tls: Tls | None = None
    device_id: int = DEFAULT_DEVICE_ID
    cpu_port: int | None = None
    drop_port: int = 511
    priority_queues: int = 1
    slowdown: int = 1
    threads: int = 1
    """Threads that read and send packets, 1 to 64."""
    fanout: int = 1
    """Threads that share what arrives on one port."""
    cpus: tuple[int, ...] = ()
    """Processors that the threads run on, in their order; any where there are none."""
    deflection: tuple[int, int] | None = None
    """Port and queue of packets that a program for Tofino deflects where a queue is full."""
    generator: Mapping[int, GeneratorApp] = field(default_factory=dict)
    """Applications of Tofino's packet generator by their numbers."""
    state_bytes: int = STATE_BYTES
    """The most memory of the state that clients write."""
    seed: int = 1
    pcap_dir: Path | None = None
    port_options: Mapping[int, PortOptions] = field(default_factory=dict)
    program: Path | None = None
    p4info: Path | None = None
    thrift_address: str | None = None
    """The address of BMv2's Thrift services; None: nowhere."""
    thrift_users: str | None = None
    """The users who may connect beside root and this process's user."""
    thrift_interfaces: tuple[str, ...] = ()
    """Patterns of the interfaces that clients may attach beside those of ``interfaces``."""
    io: Io = Io.PACKET
    poll_us: int = 0
    """The time for which the switch's thread waits busily before it sleeps."""
    notifications_address: str | None = None
    """The address at which digests are published as BMv2 does, by nanomsg's protocol; None: nowhere."""


def read_p4info(path: Path) -> p4i.P4Info:
    """P4Info in text or binary form. Raises :class:`StartError` and OSError."""
    data = read_file(path, PROGRAM_BYTES)
    try:
        return text_format.Parse(data.decode("utf-8"), p4i.P4Info())
    except (UnicodeDecodeError, text_format.ParseError) as text_error:
        try:
            return p4i.P4Info.FromString(data)
        except DecodeError:
            raise StartError(cut(f"{path}: not P4Info in text or binary form: {text_error}")) from None


def start_config(program: Path, p4info: Path | None) -> p4r.ForwardingPipelineConfig:
    """The config for a program given at start; without P4Info controllers cannot name anything in it."""
    try:
        info = read_p4info(p4info) if p4info is not None else p4i.P4Info()
        config = p4r.ForwardingPipelineConfig(p4_device_config=read_file(program, PROGRAM_BYTES))
    except OSError as error:
        raise StartError(f"{error.filename}: {error.strerror}") from error
    config.p4info.CopyFrom(info)
    return config


def cpu_port_of(program: Architecture, interfaces: Container[int]) -> int | None:
    """The CPU port where none was given: that of the program's architecture, unless it has an interface."""
    return None if program.cpu_port in interfaces else program.cpu_port


def check_ports(program: Architecture, ports: Iterable[int]) -> None:
    """Refuse ports of the network and the CPU that the program recirculates by. Raises :class:`StartError`."""
    for port in ports:
        if port & LOCAL_PORT in program.recirculation_ports:
            raise StartError(f"port {port}: what leaves there comes back to the program, as on Tofino; take another")


def architecture_of(program: Path | None) -> Architecture:
    """The architecture of a compiled program; v1model where there is none, or none that can be read."""
    if program is None:
        return V1MODEL
    try:
        text = read_file(program, PROGRAM_BYTES).decode()
        # Python's values take more memory than the loader's.
        check_program_size(text)
        return architecture(json.loads(text).get("__meta__", {}).get("architecture"))
    except (OSError, ValueError, RecursionError, AttributeError, DataPlaneError):
        # The error of the program is told where the program is loaded.
        return V1MODEL


def _add_ports(switch: RealtimeSwitch, settings: Settings) -> None:
    for port, interface in sorted(settings.interfaces.items()):
        prefix = None
        try:
            if settings.pcap_dir is not None:
                prefix = settings.pcap_dir / interface
                _remove_captures(prefix)
            switch.add_port(port, interface, prefix)
        except (DataPlaneError, OSError) as error:
            raise StartError(f"port {port} on {interface}: {error}") from error
        _log.info("port %d is %s", port, interface)
    for port, options in settings.port_options.items():
        try:
            switch.port_set(port, options)
        except DataPlaneError as error:
            raise StartError(f"port {port}: {error.message}") from error


def _remove_captures(prefix: Path) -> None:
    """Remove those of an earlier switch, whose names are needed. The target of a link stays."""
    for suffix in ("_in.pcap", "_out.pcap"):
        path = prefix.with_name(f"{prefix.name}{suffix}")
        if path.is_symlink() or path.is_file():
            path.unlink()


async def run(settings: Settings, ready: Callable[[str], None]) -> None:
    """Run until one of ENDING comes. ``ready`` is called with the address once clients can connect.

    Raises :class:`StartError`, and :class:`SwitchFailedError` if a part breaks while it runs.
    """
    program = architecture_of(settings.program)
    if settings.cpu_port is None:
        settings = replace(settings, cpu_port=cpu_port_of(program, settings.interfaces))
    else:
        check_ports(program, [settings.cpu_port])
    check_ports(program, settings.interfaces)
    try:
        switch = RealtimeSwitch(
            device_id=settings.device_id,
            cpu_port=settings.cpu_port,
            drop_port=settings.drop_port,
            seed=settings.seed,
            priority_queues=settings.priority_queues,
            slowdown=settings.slowdown,
            threads=settings.threads,
            fanout=settings.fanout,
            cpus=settings.cpus,
            io=settings.io,
            poll_us=settings.poll_us,
        )
        if settings.deflection is not None:
            switch.set_deflection(*settings.deflection)
        for number, application in settings.generator.items():
            switch.set_generator(number, application)
    except DataPlaneError as error:
        raise StartError(error.message) from error
    try:
        _add_ports(switch, settings)
        await _serve(switch, settings, ready)
    finally:
        switch.stop()


async def _serve(switch: RealtimeSwitch, settings: Settings, ready: Callable[[str], None]) -> None:
    server = GrpcServer()
    p4runtime = P4RuntimeServer(
        switch, device_id=settings.device_id, cpu_port=settings.cpu_port, state_bytes=settings.state_bytes
    )
    p4runtime.register(server)
    PortsServer(switch, p4runtime.counts, p4runtime.arbitration).register(server)
    TracesServer(switch).register(server)
    if settings.program is not None:
        try:
            p4runtime.device.load(start_config(settings.program, settings.p4info))
        except RequestError as error:
            raise StartError(f"{settings.program}: {error.message}") from error
    try:
        address = listen(server, settings.grpc_address, settings.tls)
    except ListenError as error:
        raise StartError(str(error)) from error
    notifications = _notifications(switch, p4runtime, settings)
    thrift = _thrift(switch, p4runtime, settings, notifications)
    if thrift is not None and settings.thrift_users == "all":
        _log.warning(
            "%s is open to all, and Thrift has neither TLS nor an election: anyone who reaches it controls this switch",
            settings.thrift_address,
        )
    if notifications is not None and not notifications.address.is_local:
        _log.warning(
            "%s is open to other machines: anyone who reaches it gets this switch's digests; listen on 127.0.0.1",
            settings.notifications_address,
        )
    if settings.tls is None and not is_local(address):
        _log.warning(
            "%s is open to other machines without TLS: anyone who reaches it controls this switch; "
            "give --grpc-server-ssl and --grpc-server-with-client-auth, or listen on 127.0.0.1",
            address,
        )
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in ENDING:
        loop.add_signal_handler(number, stop.set)
    switch.start()
    p4runtime.start()
    try:
        if notifications is not None:
            await _publish(notifications)
        await server.start()
        security = "without TLS" if settings.tls is None else "with TLS"
        _log.info("listening on %s %s, device id %d", address, security, settings.device_id)
        if thrift is not None:
            thrift.start()
            _log.info("Thrift on port %d", thrift.port)
        ready(address)
        await _first(loop, stop.wait(), p4runtime.failed.wait())
        if p4runtime.failure:
            raise SwitchFailedError(p4runtime.failure)
        _log.info("stopping")
    finally:
        if thrift is not None:
            thrift.stop()
        if notifications is not None:
            notifications.publisher.stop()
        await p4runtime.stop()
        await server.stop(GRACE_S)
        _log.info("controller messages: %s", p4runtime.counts)


def _notifications(switch: RealtimeSwitch, p4runtime: P4RuntimeServer, settings: Settings) -> Notifications | None:
    if settings.notifications_address is None:
        return None
    # Here, because few switches have it.
    from .bmv2_thrift.learning import Notifications

    try:
        made = Notifications(settings.notifications_address, p4runtime.device, switch, settings.device_id)
    except ValueError as error:
        raise StartError(f"notifications: {error}") from error
    p4runtime.digest_listener = made.learning
    return made


async def _publish(notifications: Notifications) -> None:
    try:
        await notifications.publisher.start()
    except OSError as error:
        where = notifications.address.text
        raise StartError(f"notifications cannot be published at {where}: {error.strerror or error}") from error


def _thrift(
    switch: RealtimeSwitch, p4runtime: P4RuntimeServer, settings: Settings, notifications: Notifications | None
) -> ThriftListener | None:
    if settings.thrift_address is None:
        return None
    # Here, because few switches have it.
    from .bmv2_thrift.attaching import Attaching
    from .bmv2_thrift.listener import Users
    from .bmv2_thrift.start import bind

    try:
        users = Users() if settings.thrift_users is None else Users.parse(settings.thrift_users)
    except ValueError as error:
        raise StartError(f"--thrift-allow-users: {error}") from error
    try:
        return bind(
            settings.thrift_address,
            p4runtime.device,
            switch,
            device_id=settings.device_id,
            attaching=Attaching(dict(settings.interfaces), settings.thrift_interfaces, settings.pcap_dir),
            users=users,
            priority_queues=settings.priority_queues,
            notifications=notifications,
        )
    except OSError as error:
        raise StartError(f"Thrift cannot listen on {settings.thrift_address}: {error.strerror or error}") from error


async def _first(loop: asyncio.AbstractEventLoop, *waits: Coroutine[Any, Any, object]) -> None:
    """Wait until one of them is over."""
    tasks = [loop.create_task(wait) for wait in waits]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
