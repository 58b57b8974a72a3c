# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The faults of the campaign. Each breaks one thing, and mends it where nothing in the project would."""

import errno
import os
import random
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from quench_topologies.errors import TopologyError
from quench_topologies.isolation import clocks_apart
from quench_topologies.live_page import LivePage
from quench_topologies.network import RunningNetwork
from quench_topologies.process import Child
from quench_topologies.soak.garbage import throw_at_p4runtime, throw_at_socket
from quench_topologies.soak.other_primary import COMMIT, RECONCILE, held_port, other_primary
from quench_topologies.soak.readers import Readers
from quench_topologies.switches import P4Switch

RESTART_S = 0.1
"""Time from a kill to the supervisor's restart: systemd's RestartSec."""
PROFILES = 100
"""Changed in a row."""
MOST_DAYS_APART = 30
HOLD_S = (0.05, 0.3)
"""Time in which the queues of the congested port fill before a program is replaced."""
PATIENCE_S = 30.0
"""A part that has not recovered within this time is broken."""

RELOADED = "dropped_reload"

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
    page: LivePage
    readers: Readers


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
    """The description that people read."""
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
    switch = _any_switch(scene)
    killed_s = _killed(switch)
    started_s = time.monotonic()
    switch.launch()
    return Injected(killed_s, killed_s, started_s, switch.name)


def _any_switch(scene: Scene) -> P4Switch:
    return scene.network.switches[scene.draw.choice(sorted(scene.network.switches))]


def _killed(switch: P4Switch) -> float:
    """The moment of its end. It may be started again."""
    assert switch.child is not None
    killed_s = time.monotonic()
    switch.child.kill()
    time.sleep(RESTART_S)
    return killed_s


def _kill_page(scene: Scene) -> Injected:
    """Kill the page: its socket stays open, as a supervisor keeps it, and the page answers there again."""
    killed_s = time.monotonic()
    scene.page.kill()
    time.sleep(RESTART_S)
    scene.page.show(scene.network.socket)
    ended_s = time.monotonic()
    return Injected(killed_s, ended_s, ended_s)


def _kill_readers(scene: Scene) -> Injected:
    """All their connections end at once, with whatever they hold."""
    began_s = time.monotonic()
    scene.readers.kill()
    scene.readers.start()
    ended_s = time.monotonic()
    return Injected(began_s, ended_s, ended_s)


def _move_clock_of_controller(scene: Scene) -> Injected:
    with clocks_apart(_seconds_apart(scene)):
        return _kill_controller(scene)


def _move_clock_of_switch(scene: Scene) -> Injected:
    with clocks_apart(_seconds_apart(scene)):
        return _kill_switch(scene)


def _seconds_apart(scene: Scene) -> int:
    """A clock may not begin before 0: backwards it moves by less than the machine is up."""
    if scene.draw.random() < 0.5:
        return -int(time.monotonic() * scene.draw.uniform(0.1, 0.9))
    return scene.draw.randint(3600, MOST_DAYS_APART * 86400)


def _freeze_controller(scene: Scene) -> Injected:
    return _freeze(scene.network.controller, scene.draw.uniform(0.5, 2.0))


def _freeze_switch(scene: Scene) -> Injected:
    switch = _any_switch(scene)
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
    with _full_disk(scene):
        _change_profile(scene)
        time.sleep(scene.draw.uniform(0.2, 1.0))
    ended_s = time.monotonic()
    return Injected(began_s, ended_s, ended_s)


def _start_controller_on_full_disk(scene: Scene) -> Injected:
    """It may work without a log, or end with a status; then it is started again when there is room."""
    network = scene.network
    began_s = time.monotonic()
    with _full_disk(scene):
        _kill_controller(scene)
        time.sleep(scene.draw.uniform(0.5, 1.5))
    ended_s = time.monotonic()
    try:
        network.controller.check()
    except TopologyError:
        network.start_controller()
    return Injected(began_s, ended_s, ended_s)


def _start_switch_on_full_disk(scene: Scene) -> Injected:
    """It may work without a log, or end with a status; a switch that does neither is an error."""
    switch = _any_switch(scene)
    hung: TopologyError | None = None
    with _full_disk(scene):
        _killed(switch)
        started_s = time.monotonic()
        try:
            switch.launch()
        except TopologyError as error:
            hung = error
    ended_s = time.monotonic()
    try:
        switch.check()
    except TopologyError:
        started_s = time.monotonic()
        switch.launch()
    else:
        if hung is not None:
            raise hung
    return Injected(started_s, ended_s, started_s, switch.name)


@contextmanager
def _full_disk(scene: Scene) -> Iterator[None]:
    waste = scene.disk / "waste"
    try:
        with waste.open("wb", buffering=0) as file:
            _write_until_full(file.fileno())
            yield
    finally:
        waste.unlink()


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
    throw_at_p4runtime(_any_switch(scene).address, scene.draw)
    ended_s = time.monotonic()
    return Injected(began_s, ended_s, ended_s)


def _replace_program(scene: Scene) -> Injected:
    """The program that runs, without its entries and its packets, while the queues of the congested port are full."""
    name, port = scene.bottleneck
    switch = scene.network.switches[name]
    began_s = time.monotonic()
    with (
        other_primary(switch.address, switch.device_id) as primary,
        held_port(switch.address, port, primary.election_id, scene.draw.uniform(*HOLD_S)),
    ):
        primary.replace(COMMIT)
        replaced_s = time.monotonic()
    ended_s = time.monotonic()
    return Injected(began_s, ended_s, replaced_s)


def _reconcile_program(scene: Scene) -> Injected:
    """The same program, with RECONCILE_AND_COMMIT: no packet may be lost. Raises TopologyError where one was."""
    name, _ = scene.bottleneck
    switch = scene.network.switches[name]
    before = switch.counts()[RELOADED]
    began_s = time.monotonic()
    with other_primary(switch.address, switch.device_id) as primary:
        primary.replace(RECONCILE)
    ended_s = time.monotonic()
    if lost_pkts := switch.counts()[RELOADED] - before:
        raise TopologyError(f"{name}: RECONCILE_AND_COMMIT of the program that runs lost {lost_pkts} packets")
    return Injected(began_s, ended_s, ended_s)


FAULTS = (
    Fault("controller killed", "kill -9, started again after 0.1 s", "source quench", _kill_controller),
    Fault("controller frozen", "SIGSTOP for 0.5 to 2 s", "source quench", _freeze_controller),
    Fault("partition", "no link between controller and switches for 0.5 to 2 s", "source quench", _partition),
    Fault("switch killed", "kill -9, started again after 0.1 s", "datagram", _kill_switch, kills_switch=True),
    Fault("switch frozen", "SIGSTOP for 0.5 to 2 s", "datagram", _freeze_switch),
    Fault("link flapped", "down for 0.2 to 1 s", "datagram", _flap_link),
    Fault("page killed", "kill -9, shown again after 0.1 s", "source quench", _kill_page),
    Fault("readers killed", "kill -9 of all hostile readers at once", "source quench", _kill_readers),
    Fault("disk full", "no room for logs for 0.2 to 1 s", "source quench", _fill_disk),
    Fault(
        "controller started on a full disk",
        "killed, no room for 0.5 to 1.5 s",
        "source quench",
        _start_controller_on_full_disk,
    ),
    Fault(
        "switch started on a full disk", "killed, no room", "datagram", _start_switch_on_full_disk, kills_switch=True
    ),
    Fault("controller's clock moved", "killed, started in another time", "source quench", _move_clock_of_controller),
    Fault(
        "switch's clock moved", "killed, started in another time", "datagram", _move_clock_of_switch, kills_switch=True
    ),
    Fault("program replaced", "VERIFY_AND_COMMIT by another primary, with full queues", "datagram", _replace_program),
    Fault("program reconciled", "RECONCILE_AND_COMMIT by another primary", "source quench", _reconcile_program),
    Fault("profiles changed", f"{PROFILES} times in a row", "source quench", _change_profiles),
    Fault("hosts disabled", "quench-host disable and enable on all", "source quench", _disable_hosts),
    Fault("garbage at the socket", "the controller's, from 32 clients, 8 at once", "source quench", _garbage_at_socket),
    Fault("garbage at P4Runtime", "bytes, HTTP/2 and protobuf", "source quench", _garbage_at_p4runtime),
)
