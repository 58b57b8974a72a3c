# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The systemd units: that systemd understands them, and that their capabilities are enough."""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from quench_topologies.isolation import private_network
from quench_topologies.program import find_host_loader

UNITS = Path(__file__).parents[3] / "packaging" / "systemd"
QUENCH = str(Path(sys.executable).with_name("quench"))
EXPOSURE_LIMITS = {"quench-controller.service": 1.1, "quench-switch@.service": 1.9, "quench-host@.service": 2.5}
"""The largest exposures, of 10 (docs/how-to/services.md)."""
needs_systemd = pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not installed")


def values(unit: str, key: str) -> list[str]:
    """All values of a key of a unit."""
    lines = (UNITS / unit).read_text().splitlines()
    return [line.partition("=")[2] for line in lines if line.startswith(f"{key}=")]


def restricted(unit: str, *command: str) -> list[str]:
    """A command with no capabilities but the unit's."""
    (names,) = values(unit, "CapabilityBoundingSet")
    wanted = ",".join(["-all", *(f"+{name.removeprefix('CAP_').lower()}" for name in names.split())])
    return ["setpriv", "--no-new-privs", f"--inh-caps={wanted}", f"--bounding-set={wanted}", *command]


@contextmanager
def link() -> Iterator[None]:
    with private_network():
        subprocess.run(["ip", "link", "add", "near", "type", "veth", "peer", "name", "far"], check=True)
        for name in ("near", "far"):
            subprocess.run(["ip", "link", "set", name, "up"], check=True)
        yield


@needs_systemd
@pytest.mark.parametrize("unit", EXPOSURE_LIMITS)
def test_systemd_understands_a_unit(unit: str, tmp_path: Path) -> None:
    # It wants to see the programs.
    here = tmp_path / unit
    here.write_text((UNITS / unit).read_text().replace("/opt/quench/.venv/bin/quench", "/bin/true"))
    here.write_text(here.read_text().replace("/opt/quench/build/host/quench-host", "/bin/true"))
    command = ["systemd-analyze", "--man=no", "verify", str(here)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@needs_systemd
@pytest.mark.parametrize("unit", EXPOSURE_LIMITS)
def test_a_unit_is_no_more_exposed_than_the_documents_say(unit: str) -> None:
    limit = round(10 * EXPOSURE_LIMITS[unit])
    command = ["systemd-analyze", "security", "--offline=true", f"--threshold={limit}", "--no-pager", str(UNITS / unit)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout.splitlines()[-1]


def test_all_units_are_tested() -> None:
    assert {path.name for path in UNITS.iterdir()} == set(EXPOSURE_LIMITS)


@pytest.mark.netns
def test_a_switch_needs_no_more_capabilities() -> None:
    ready, write_end = os.pipe()
    command = [QUENCH, "switch", "--no-p4", "-i", "1@near", "--grpc-server-addr", "127.0.0.1:0"]
    command = restricted("quench-switch@.service", *command, "--ready-fd", str(write_end))
    with link(), os.fdopen(ready) as stream:
        with subprocess.Popen(command, pass_fds=[write_end], stderr=subprocess.PIPE, text=True) as switch:
            os.close(write_end)
            assert stream.readline().startswith("127.0.0.1:")
            switch.send_signal(signal.SIGTERM)
            _, errors = switch.communicate(timeout=30)
        assert switch.returncode == 0, errors
        assert "normal priority" not in errors


@pytest.mark.netns
def test_host_programs_need_no_more_capabilities() -> None:
    loader = str(find_host_loader())

    def quench_host(*arguments: str) -> str:
        command = restricted("quench-host@.service", loader, *arguments)
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    with link():
        quench_host("enable", "--dev", "near", "--algo", "ecn-becn", "--paper")
        try:
            assert json.loads(quench_host("status", "--json"))["algo"] == "ecn-becn"
        finally:
            quench_host("disable", "--dev", "near")
