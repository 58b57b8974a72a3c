# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The CPU port of a switch that is given none."""

from pathlib import Path

import pytest
from quench_switch.realtime import TOFINO_CPU_PORT, cpu_port_of


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
