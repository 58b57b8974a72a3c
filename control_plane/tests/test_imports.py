# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Commands that scripts wait for import nothing that they do not need."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).parents[2] / "softswitch/python/tests/native/programs/queues.p4"
TIMEOUT_S = 30
# Typer imports pydantic as soon as a command has parameters.
CONTROLLER = {
    "quench.config.model",
    "quench.profiles",
    "quench.service.protocol",
    "prometheus_client",
    "yaml",
}
HEAVY = {"jinja2", "matplotlib", "numpy", "pyarrow", "scapy", "thrift", "bm_runtime", "quench.isq", *CONTROLLER}
NETWORK = {"asyncio", "finsy", "google.protobuf", "grpc"}
MAIN = """\
import sys
try:
    from {module} import main
    {call}
finally:
    print(*sys.modules, file=sys.stderr)
"""


def imported(module: str, call: str, *arguments: str, status: int = 0) -> set[str]:
    command = [sys.executable, "-c", MAIN.format(module=module, call=call), *arguments]
    result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=TIMEOUT_S)
    assert result.returncode == status, result.stderr
    return set(result.stderr.splitlines()[-1].split())


def quench(*arguments: str, status: int = 0) -> set[str]:
    return imported("quench.cli.entry", "main()", *arguments, status=status)


def test_help_needs_no_command() -> None:
    modules = quench("--help")
    assert "typer" in modules
    assert sorted(modules & (HEAVY | NETWORK | {"quench_switch", "quench_experiments", "quench_topologies"})) == []


def test_compiling_needs_the_compiler_only(tmp_path: Path) -> None:
    modules = quench("compile", str(PROGRAM), "-o", str(tmp_path))
    assert "quench_switch._native" in modules
    assert sorted(modules & (HEAVY | NETWORK | {"rich"})) == []


def test_a_switch_needs_no_controller() -> None:
    modules = quench("switch", "--no-p4", "--grpc-server-addr", "nowhere", status=1)
    assert "quench_switch.p4runtime.server" in modules
    assert sorted(modules & (HEAVY | {"rich"})) == []


@pytest.mark.parametrize("command", ["p4c", "p4c-bm2-ss"])
def test_the_toolchains_compilers_need_the_compiler_only(command: str, tmp_path: Path) -> None:
    output = tmp_path if command == "p4c" else tmp_path / "out.json"
    modules = imported("quench.toolchain.__main__", "sys.exit(main())", command, "-o", str(output), str(PROGRAM))
    assert "quench_switch._native" in modules
    assert sorted(modules & (HEAVY | NETWORK | {"rich"})) == []


def test_without_the_native_module_compiling_is_one_line() -> None:
    code = "import sys; sys.modules['quench_switch._native'] = None; from quench.cli.entry import main; main()"
    for arguments in (["compile", str(PROGRAM)], ["compile", "-E", str(PROGRAM)]):
        result = subprocess.run(
            [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False, timeout=TIMEOUT_S
        )
        assert result.returncode == 1
        assert result.stderr == "quench: the embedded switch is not built: run 'make native'\n"
