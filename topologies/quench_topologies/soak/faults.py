# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The faults of the campaign. Each breaks one thing, and mends it where nothing in the project would."""

import errno
import os
import random
import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from quench_topologies.errors import TopologyError
from quench_topologies.network import RunningNetwork
from quench_topologies.process import Child
from quench_topologies.soak.garbage import throw_at_p4runtime, throw_at_socket

RESTART_S = 0.1
"""Time from a kill to the supervisor's restart: systemd's RestartSec."""
PROFILES = 100
"""Changed in a row."""
PATIENCE_S = 30.0
"""A part that has not recovered within this time is broken."""

Sign = Literal["source quench", "datagram"]


@dataclass(frozen=True, slots=True)
class Scene:
    """The parts of the network that faults break."""

    network: RunningNetwork
    draw: random.Random
    loader: Path
    algorithm: str
    disk: Path
    """A small file system with the logs, the controller's file and its socket."""
    bottleneck: tuple[str, int]
    """Switch and port with the congested queue."""
    path: tuple[str, ...]
    """The switches' interfaces that the watched datagrams cross."""
    profile: Callable[[random.Random], dict[str, Any]]
    """Draws settings for the congested queue."""


@dataclass(frozen=True, slots=True)
class Injected:
    """A fault that is over. Times are of time.monotonic."""

    began_s: float
    ended_s: float
    """From here recovery is counted: when the part was killed, went on, or could be reached again."""
    sign_after_s: float
    """Signs of recovery up to here may come from before the fault."""
    killed_switch: str | None = None


@dataclass(frozen=True, slots=True)
class Fault:
    """A kind of fault."""

    name: str
    what: str
    """For people."""
    sign: Sign
    """The first packet at a host that shows recovery."""
    inject: Callable[[Scene], Injected]
    kills_switch: bool = False


def _kill_controller(scene: Scene) -> Injected:
    killed_s = time.monotonic()
    scene.network.controller.kill()
    time.sleep(RESTART_S)
    started_s = time.monotonic()
    scene.network.start_controller()
    return Injected(killed_s, killed_s, started_s)


def _kill_switch(scene: Scene) -> Injected:
    name = scene.draw.choice(sorted(scene.network.switches))
    switch = scene.network.switches[name]
    assert switch.child is not None
    killed_s = time.monotonic()
    switch.child.kill()
    time.sleep(RESTART_S)
    started_s = time.monotonic()
    switch.launch()
    return Injected(killed_s, killed_s, started_s, name)


def _freeze_controller(scene: Scene) -> Injected:
    return _freeze(scene.network.controller, scene.draw.uniform(0.5, 2.0))


def _freeze_switch(scene: Scene) -> Injected:
    switch = scene.network.switches[scene.draw.choice(sorted(scene.network.switches))]
    assert switch.child is not None
    return _freeze(switch.child, scene.draw.uniform(0.5, 2.0))


def _freeze(child: Child, seconds: float) -> Injected:
    began_s = time.monotonic()
    child.signal(signal.SIGSTOP)
    try:
        time.sleep(seconds)
    finally:
        ended_s = time.monotonic()
        child.signal(signal.SIGCONT)
    return Injected(began_s, ended_s, ended_s)


def _partition(scene: Scene) -> Injected:
    """P4Runtime runs over the loopback interface of the network's namespace, and nothing else does."""
    return _without_link("lo", scene.draw.uniform(0.5, 2.0))


def _flap_link(scene: Scene) -> Injected:
    return _without_link(scene.draw.choice(scene.path), scene.draw.uniform(0.2, 1.0))


def _without_link(interface: str, seconds: float) -> Injected:
    began_s = time.monotonic()
    _set_link(interface, "down")
    try:
        time.sleep(seconds)
    finally:
        _set_link(interface, "up")
        ended_s = time.monotonic()
    return Injected(began_s, ended_s, ended_s)


def _set_link(interface: str, state: str) -> None:
    done = subprocess.run(["ip", "link", "set", interface, state], check=False, capture_output=True, text=True)
    if done.returncode:
        raise TopologyError(f"'ip link set {interface} {state}' failed: {done.stderr.strip()}")


def _fill_disk(scene: Scene) -> Injected:
    """A profile is changed meanwhile, so that something is logged."""
    began_s = time.monotonic()
    waste = scene.disk / "waste"
    try:
        with waste.open("wb", buffering=0) as file:
            _write_until_full(file.fileno())
            _change_profile(scene)
            time.sleep(scene.draw.uniform(0.2, 1.0))
    finally:
        waste.unlink()
    ended_s = time.monotonic()
    return Injected(began_s, ended_s, ended_s)


def _write_until_full(fd: int) -> None:
    block = bytes(1 << 16)
    try:
        while True:
            os.write(fd, block)
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise


def _change_profiles(scene: Scene) -> Injected:
    began_s = time.monotonic()
    for _ in range(PROFILES):
        _change_profile(scene)
    ended_s = time.monotonic()
    return Injected(began_s, ended_s, ended_s)


def _change_profile(scene: Scene) -> None:
    switch, port = scene.bottleneck
    scene.network.control.call("thresholds.set", switch=switch, port=port, settings=scene.profile(scene.draw))


def _disable_hosts(scene: Scene) -> Injected:
    """Open connections keep their congestion control, and no source quench reaches them."""
    began_s = time.monotonic()
    for host in scene.network.hosts.values():
        host.disable(scene.loader)
    time.sleep(scene.draw.uniform(0.1, 0.5))
    for host in scene.network.hosts.values():
        host.enable(scene.loader, scene.algorithm)
    ended_s = time.monotonic()
    return Injected(began_s, ended_s, ended_s)


def _garbage_at_socket(scene: Scene) -> Injected:
    began_s = time.monotonic()
    throw_at_socket(scene.network.socket, scene.draw)
    ended_s = time.monotonic()
    return Injected(began_s, ended_s, ended_s)


def _garbage_at_p4runtime(scene: Scene) -> Injected:
    began_s = time.monotonic()
    switch = scene.network.switches[scene.draw.choice(sorted(scene.network.switches))]
    throw_at_p4runtime(switch.address, scene.draw)
    ended_s = time.monotonic()
    return Injected(began_s, ended_s, ended_s)


FAULTS = (
    Fault("controller killed", "kill -9, started again after 0.1 s", "source quench", _kill_controller),
    Fault("controller frozen", "SIGSTOP for 0.5 to 2 s", "source quench", _freeze_controller),
    Fault("partition", "no link between controller and switches for 0.5 to 2 s", "source quench", _partition),
    Fault("switch killed", "kill -9, started again after 0.1 s", "datagram", _kill_switch, kills_switch=True),
    Fault("switch frozen", "SIGSTOP for 0.5 to 2 s", "datagram", _freeze_switch),
    Fault("link flapped", "down for 0.2 to 1 s", "datagram", _flap_link),
    Fault("disk full", "no room for logs for 0.2 to 1 s", "source quench", _fill_disk),
    Fault("profiles changed", f"{PROFILES} times in a row", "source quench", _change_profiles),
    Fault("hosts disabled", "quench-host disable and enable on all", "source quench", _disable_hosts),
    Fault("garbage at the socket", "the controller's, from 32 clients, 8 at once", "source quench", _garbage_at_socket),
    Fault("garbage at P4Runtime", "bytes, HTTP/2 and protobuf", "source quench", _garbage_at_p4runtime),
)
