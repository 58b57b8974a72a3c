# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The toolchain's compilers, which Makefiles call again and again, import nothing that they do not need."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).parents[1] / "native" / "programs" / "queues.p4"
TIMEOUT_S = 30
SERVERS = {"asyncio", "bm_runtime", "finsy", "google.protobuf", "grpc", "prometheus_client", "thrift", "tornado"}
UNNEEDED = {"jinja2", "matplotlib", "numpy", "pyarrow", "quench", "rich", "scapy", "yaml", *SERVERS}
MAIN = """\
import sys
from quench_switch.toolchain.__main__ import main
status = main()
print(*sys.modules, file=sys.stderr)
sys.exit(status)
"""


@pytest.mark.parametrize("command", ["p4c", "p4c-bm2-ss"])
def test_a_compiler_needs_the_native_module_only(command: str, tmp_path: Path) -> None:
    output = tmp_path if command == "p4c" else tmp_path / "out.json"
    words = [sys.executable, "-c", MAIN, command, "-o", str(output), str(PROGRAM)]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=TIMEOUT_S)
    assert done.returncode == 0, done.stderr
    modules = set(done.stderr.splitlines()[-1].split())
    assert "quench_switch._native" in modules
    assert sorted(modules & UNNEEDED) == []
