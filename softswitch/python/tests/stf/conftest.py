# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0

from pathlib import Path

import pytest
from quench_switch._native import compile_p4

PROGRAMS = Path(__file__).parent / "programs"


@pytest.fixture(scope="session")
def program():
    """Path of the program that has something for every command."""
    return PROGRAMS / "commands.p4"


@pytest.fixture(scope="session")
def json(program):
    """The same, compiled."""
    return compile_p4(str(program)).json
