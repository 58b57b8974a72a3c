# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The CPU port of a switch that is given none, and ports that a program for Tofino has for itself."""

from pathlib import Path

import pytest
from quench_switch.realtime import TOFINO_CPU_PORT, StartError, check_ports, cpu_port_of


@pytest.mark.parametrize(
    ("text", "interfaces", "port"),
    [
        ('{"__meta__": {"architecture": "tna"}}', {1: "a"}, TOFINO_CPU_PORT),
        ('{"__meta__": {"architecture": "tna"}}', {TOFINO_CPU_PORT: "a"}, None),
        ('{"__meta__": {}}', {}, None),
        ('{"__meta__": 5}', {}, None),
        ("[" * 100_000, {}, None),
        ("\0", {}, None),
    ],
)
def test_a_program_for_tofino_has_one(tmp_path: Path, text: str, interfaces: dict[int, str], port: int | None) -> None:
    program = tmp_path / "program.json"
    program.write_text(text)
    assert cpu_port_of(program, interfaces) == port


def test_without_a_program_there_is_none(tmp_path: Path) -> None:
    assert cpu_port_of(None, {}) is None
    assert cpu_port_of(tmp_path / "missing.json", {}) is None


@pytest.mark.parametrize("port", [68, 71, 128 + 68])
def test_a_port_that_recirculates_is_neither_the_networks_nor_the_cpus(tmp_path: Path, port: int) -> None:
    program = tmp_path / "program.json"
    program.write_text('{"__meta__": {"architecture": "tna"}}')
    with pytest.raises(StartError, match=rf"^port {port}: what leaves there comes back"):
        check_ports(program, [1, port])
    check_ports(program, [0, 67, 72, TOFINO_CPU_PORT])
    program.write_text('{"__meta__": {}}')
    check_ports(program, [port])
