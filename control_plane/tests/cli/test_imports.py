# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Commands that scripts wait for import nothing that they do not need."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.util import cache_from_source
from pathlib import Path

import finsy
import grpc
import pydantic
import pytest
import tornado
import yaml
from quench_switch._native import compile_p4

ROOT = Path(__file__).parents[3]
PROGRAM = ROOT / "softswitch/python/tests/native/programs/queues.p4"
TIMEOUT_S = 30
# Typer imports pydantic as soon as a command has parameters.
CONTROLLER = {
    "quench.config.model",
    "quench.profiles.settings",
    "quench.service.protocol",
    "prometheus_client",
    "yaml",
}
HEAVY = {"jinja2", "matplotlib", "numpy", "pyarrow", "scapy", "thrift", "bm_runtime", "quench.isq", *CONTROLLER}
OF_FEW_CONTROLLERS = {"quench.http_server", "quench.programs", "quench.service.own_program", "tornado"}
"""For metrics, and for programs that are not Quench's."""
NETWORK = {"asyncio", "finsy", "google.protobuf", "grpc"}
MAIN = """\
import sys
try:
    from quench.cli.entry import main
    main()
finally:
    print(*sys.modules, file=sys.stderr)
"""


def quench(*arguments: str, status: int = 0, path: str | None = None) -> set[str]:
    """The modules that the command has imported at its end."""
    command = [sys.executable, "-c", MAIN, *arguments]
    environment = os.environ if path is None else {**os.environ, "PYTHONPATH": path}
    result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=TIMEOUT_S, env=environment)
    assert result.returncode == status, result.stderr
    return set(result.stderr.splitlines()[-1].split())


def test_help_needs_no_command() -> None:
    modules = quench("--help")
    assert "typer" in modules
    assert (
        sorted(modules & (HEAVY | NETWORK | {"quench_switch._native", "quench_experiments", "quench_topologies"})) == []
    )


SLOW = {"bokeh", "dask", "finsy", "google.protobuf", "grpc", "mininet", "pydantic.main", "rich", "scipy", "tornado"}
SLOW |= HEAVY - {"quench.isq"}
"""None of these is needed to say what options there are."""


@pytest.mark.parametrize(
    "command",
    [
        *("demo", "net", "net n1", "soak", "experiment", "experiment run", "experiment report", "tune", "live", "top"),
        *("stats", "table insert", "counter", "meter set", "register", "packet-out", "isq set", "controller run"),
        *("experiment compare ns2", "send-udp", "trace", "stf", "switch", "compile", "doctor", "completion"),
    ],
)
def test_help_imports_nothing_that_is_slow(command: str) -> None:
    modules = quench(*command.split(), "--help")
    assert sorted(modules & SLOW) == []


def test_help_about_profiles_imports_their_settings_and_no_client() -> None:
    modules = quench("thresholds", "set", "--help") | quench("profile", "plot", "--help")
    assert sorted(modules & {"bokeh", "finsy", "grpc", "jinja2", "matplotlib", "numpy", "rich", "tornado"}) == []


@pytest.mark.parametrize(
    "line", ["quench demo --scheme r", "quench net n1 --target e", "quench experiment run P", "quench st"]
)
def test_completion_imports_nothing_that_is_slow(line: str) -> None:
    variables = {"_QUENCH_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(len(line.split()) - 1)}
    command = [sys.executable, "-c", MAIN]
    result = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=TIMEOUT_S, env={**os.environ, **variables}
    )
    assert result.stdout
    # Typer reads the values that the line has.
    assert sorted(set(result.stderr.splitlines()[-1].split()) & (SLOW - HEAVY - {"pydantic.main"})) == []


def test_compiling_needs_the_compiler_only(tmp_path: Path) -> None:
    modules = quench("compile", str(PROGRAM), "-o", str(tmp_path))
    assert "quench_switch._native" in modules
    assert sorted(modules & (HEAVY | NETWORK | {"rich"})) == []


def test_a_switch_needs_no_controller() -> None:
    modules = quench("switch", "--no-p4", "--grpc-server-addr", "nowhere", status=1)
    assert "quench_switch.p4runtime.server" in modules
    assert sorted(modules & (HEAVY | {"rich"})) == []


def test_a_controller_starts_with_what_every_controller_needs(tmp_path: Path) -> None:
    output = compile_p4(str(ROOT / "p4src" / "quench.p4"))
    (tmp_path / "quench.p4info.txtpb").write_text(output.p4info_text)
    (tmp_path / "quench.json").write_text(output.json)
    # The controller is made whole, and ends where it would listen.
    (tmp_path / "occupied").touch()
    pipeline = {"p4info": "quench.p4info.txtpb", "json": "quench.json"}
    switch = {"name": "s1", "address": "127.0.0.1:1", "pipeline": pipeline, "router_address": "10.0.0.254"}
    config = tmp_path / "net.yaml"
    config.write_text(json.dumps({"switches": [switch], "socket": str(tmp_path / "occupied" / "ctl.sock")}))
    modules = quench("controller", "run", str(config), status=1)
    assert "quench.service.live_feed" in modules
    assert sorted(modules & OF_FEW_CONTROLLERS) == []


def test_requests_are_built_when_they_come() -> None:
    # Each takes a millisecond and more.
    code = """
from quench.feed.model import Change
from quench.service.requests import REQUESTS
print(*(each.__name__ for each in [Change, *REQUESTS.values()] if each.__pydantic_complete__))
"""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=TIMEOUT_S)
    assert result.stdout.split() == []


def test_a_build_compiles_what_services_import() -> None:
    """Services run as users who may write nothing there; commands are started more than once."""
    subprocess.run(
        ["make", "--no-print-directory", "-o", "build/stamps/native", "-o", "build/stamps/simulator", "bytecode"],
        check=True,
        cwd=ROOT,
        timeout=TIMEOUT_S,
    )
    folders = (
        "control_plane/quench",
        "experiments/quench_experiments",
        "simulator/python/quench_simulator",
        "softswitch/python/quench_switch",
        "topologies/quench_topologies",
        *(str(Path(str(package.__file__)).parent) for package in (finsy, grpc, pydantic, tornado, yaml)),
    )
    sources = [source for folder in folders for source in (ROOT / folder).rglob("*.py")]
    assert ROOT / "control_plane/quench/service/controller.py" in sources
    assert [str(each) for each in sources if not Path(cache_from_source(str(each))).is_file()] == []


def test_no_garbage_is_collected_while_a_controller_is_imported() -> None:
    code = """
import gc, sys
import quench.cli.controller_cmd as command
collections = []
def load(path):
    gc.callbacks.remove(count)
    print(len(collections), "quench.service.controller" in sys.modules, gc.isenabled(), gc.get_freeze_count() > 0)
    raise SystemExit
def count(phase, info):
    collections.append(phase)
import quench.config
quench.config.load_config = load
gc.collect()
gc.callbacks.append(count)
command.run("net.yaml")
"""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=TIMEOUT_S)
    assert result.stdout.split() == ["0", "True", "True", "True"]


def test_plugins_of_strangers_are_not_imported(tmp_path: Path) -> None:
    (tmp_path / "stranger.py").touch()
    package = tmp_path / "stranger-1.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: stranger\nVersion: 1\n")
    (package / "entry_points.txt").write_text("[pydantic]\nstranger = stranger\n")
    modules = quench("thresholds", "show", "--socket", str(tmp_path / "none"), status=1, path=str(tmp_path))
    assert "quench.config.model" in modules
    assert "stranger" not in modules


BUILT = ("quench_switch._native", "quench_simulator._native", "quench_switch.trace.packet_trace_pb2")
WITHOUT = f"""
import sys
class Unbuilt:
    def find_spec(self, name, path=None, target=None):
        if name in {BUILT!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Unbuilt())
"""
"""The beginning of a program that runs before the build has ended."""


def unbuilt(*arguments: str) -> subprocess.CompletedProcess[str]:
    code = f"{WITHOUT}from quench.cli.entry import main; main()"
    words = [sys.executable, "-c", code, *arguments]
    return subprocess.run(words, capture_output=True, text=True, check=False, timeout=TIMEOUT_S)


@pytest.mark.parametrize(
    ("command", "what"),
    [
        (["compile", str(PROGRAM)], "the embedded switch"),
        (["compile", "-E", str(PROGRAM)], "the embedded switch"),
        (["switch", "--no-p4"], "the embedded switch"),
        (["trace", str(PROGRAM), "--pcap", "none.pcap"], "the embedded switch"),
        (["demo"], "the embedded switch"),
        (["net", "n1"], "the embedded switch"),
        (["soak"], "the embedded switch"),
        (["experiment", "run", "P1.A"], "the embedded switch"),
        (["tune", "--flows", "8", "--capacity", "10Mbps", "--rtt", "40ms"], "the embedded switch"),
    ],
)
def test_before_the_build_a_command_is_one_line(command: list[str], what: str) -> None:
    done = unbuilt(*command)
    assert (done.returncode, done.stderr) == (1, f"quench: {what} is not built: run 'make native'\n")


def test_before_the_build_help_is_there() -> None:
    """One process shows the help of every command."""
    code = f"""{WITHOUT}
import typer
from quench.cli.app import app
from quench_switch.cli.lazy import mounted
def show(words, command):
    try:
        typer.main.get_command(app).main([*words, "--help"], prog_name="quench")
    except SystemExit as ended:
        assert not ended.code, words
    for name, child in getattr(mounted(command) or command, "commands", {{}}).items():
        if name != "host":
            show([*words, name], child)
show([], typer.main.get_command(app))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=TIMEOUT_S)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("Usage: quench ") > 60


@pytest.mark.parametrize("command", ["demo", "net n1", "soak", "experiment run P1.A"])
def test_without_the_simulator_a_command_is_one_line(command: str) -> None:
    code = "import sys; sys.modules['quench_simulator'] = None; from quench.cli.entry import main; main()"
    words = [sys.executable, "-c", code, *command.split()]
    result = subprocess.run(words, capture_output=True, text=True, check=False, timeout=TIMEOUT_S)
    assert result.returncode == 1
    assert result.stderr == "quench: the simulator is not built: run 'make native'\n"
