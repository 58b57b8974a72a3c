# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A program that has one of everything, and a switch that runs it under the test's clock."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from quench_switch import VirtualSwitch, compile_p4

PROGRAMS = Path(__file__).parent / "programs"


@pytest.fixture(scope="session")
def program_path() -> Path:
    return PROGRAMS / "objects.p4"


@pytest.fixture(scope="session")
def program_json(program_path: Path) -> str:
    return compile_p4(str(program_path)).json


@pytest.fixture
def switch(program_json: str) -> VirtualSwitch:
    switch = VirtualSwitch(cpu_port=510)
    switch.load(program_json)
    return switch


def run(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def veth() -> Iterator[tuple[str, str]]:
    """Both ends of a pair of interfaces of the test's own."""
    if os.geteuid() != 0:
        pytest.skip("virtual interfaces and packet sockets need root")
    far, near = f"qswd-h{os.getpid() % 100_000}", f"qswd-s{os.getpid() % 100_000}"
    run("ip", "link", "add", far, "type", "veth", "peer", "name", near)
    try:
        for interface in (far, near):
            Path(f"/proc/sys/net/ipv6/conf/{interface}/disable_ipv6").write_text("1")
            run("ip", "link", "set", interface, "up")
        deadline = time.monotonic() + 30
        while not all("state UP" in run("ip", "-o", "link", "show", interface) for interface in (far, near)):
            assert time.monotonic() < deadline, "the interfaces do not come up"
        yield far, near
    finally:
        subprocess.run(["ip", "link", "del", far], check=False, capture_output=True)
