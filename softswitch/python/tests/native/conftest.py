# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A program that has one of everything, and a switch that runs it under the test's clock."""

from __future__ import annotations

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
