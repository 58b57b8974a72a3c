# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The CPU port of a switch that is given none, and ports that a program for Tofino has for itself."""

from pathlib import Path

import pytest
from quench_switch.arch import TNA
from quench_switch.realtime import StartError, architecture_of, check_ports, cpu_port_of


@pytest.mark.parametrize(
    ("text", "interfaces", "port"),
    [
        ('{"__meta__": {"architecture": "tna"}}', {1: "a"}, TNA.cpu_port),
        ('{"__meta__": {"architecture": "tna"}}', {TNA.cpu_port: "a"}, None),
        ('{"__meta__": {}}', {}, None),
        ('{"__meta__": 5}', {}, None),
        ('{"__meta__": {"architecture": []}}', {}, None),
        ("[" * 100_000, {}, None),
        ("\0", {}, None),
    ],
)
def test_a_program_for_tofino_has_one(tmp_path: Path, text: str, interfaces: dict[int, str], port: int | None) -> None:
    program = tmp_path / "program.json"
    program.write_text(text)
    assert cpu_port_of(architecture_of(program), interfaces) == port


def test_without_a_program_there_is_none(tmp_path: Path) -> None:
    assert cpu_port_of(architecture_of(None), {}) is None
    assert cpu_port_of(architecture_of(tmp_path / "missing.json"), {}) is None


@pytest.mark.parametrize("port", [68, 71, 128 + 68])
def test_a_port_that_recirculates_is_neither_the_networks_nor_the_cpus(tmp_path: Path, port: int) -> None:
    program = tmp_path / "program.json"
    program.write_text('{"__meta__": {"architecture": "tna"}}')
    with pytest.raises(StartError, match=rf"^port {port}: what leaves there comes back"):
        check_ports(architecture_of(program), [1, port])
    check_ports(architecture_of(program), [0, 67, 72, TNA.cpu_port])
    program.write_text('{"__meta__": {}}')
    check_ports(architecture_of(program), [port])
