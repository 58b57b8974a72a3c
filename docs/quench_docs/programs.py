# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Quench's own programs as they are: commands, targets of make, modules and crates."""

import re
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import typer
from quench import places
from quench.cli.app import app
from quench_switch.cli.app import app as switch_app
from quench_switch.cli.lazy import mounted

ROOT = Path(__file__).resolve().parents[2]
HOST_LOADER = "quench host"
"""The command that passes its arguments to the program ``quench-host``."""


class ProgramError(Exception):
    """A program cannot be looked at: one line that says why."""


@dataclass(frozen=True, slots=True)
class Node:
    """A command of ``quench`` (Typer's own object, and the context for it), with what lies under it."""

    name: str
    command: Any
    context: Any
    children: dict[str, "Node"]

    @property
    def hands_over(self) -> bool:
        """Whether the arguments go to another program unread."""
        return bool(getattr(self.context, "ignore_unknown_options", False))


@cache
def quench() -> Node:
    """The whole command line. Raises ProgramError for a command that this module cannot follow."""
    return _node("quench", typer.main.get_command(app))


@cache
def quench_switch() -> Node:
    """The command line of the switch's own package."""
    return _node("quench-switch", typer.main.get_command(switch_app))


def _node(name: str, command: Any) -> Node:
    command = mounted(command) or command
    children = {key: _node(f"{name} {key}", child) for key, child in getattr(command, "commands", {}).items()}
    settings = getattr(command, "context_settings", {})
    node = Node(name, command, command.context_class(command, info_name=name, **settings), children)
    if node.hands_over and name != HOST_LOADER:
        raise ProgramError(f"{name} passes its arguments on: add it with quench.cli.lazy.mount")
    return node


@cache
def host_help() -> str:
    """The output of ``quench-host --help``. Raises ProgramError where it is not built."""
    if not places.HOST_LOADER.is_file():
        raise ProgramError(f"{places.HOST_LOADER}: the host stack is not built: run 'make host'")
    return subprocess.run([places.HOST_LOADER, "--help"], capture_output=True, text=True, check=True).stdout


@cache
def make_targets(folder: Path) -> frozenset[str]:
    """The targets of the Makefile in a folder that a user may name."""
    command = ["make", "-C", str(folder), "-pRrq", ":"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    phony = re.search(r"^\.PHONY: (.*)$", result.stdout, re.MULTILINE)
    if phony is None:
        raise ProgramError(f"{folder}: make names no targets: {result.stderr.strip()}")
    return frozenset(phony.group(1).split())


@cache
def make_help() -> str:
    """The output of ``make help``."""
    return subprocess.run(["make", "-s", "help"], cwd=ROOT, capture_output=True, text=True, check=True).stdout


@cache
def make_variables(folder: Path) -> frozenset[str]:
    """The variables that the Makefile in a folder uses."""
    return frozenset(re.findall(r"\$[({](\w+)", (folder / "Makefile").read_text(encoding="utf-8")))


def is_module(name: str) -> bool:
    """Whether Python finds a module."""
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:
        return False


@cache
def module_help(name: str) -> str:
    """The output of ``python -m NAME --help``."""
    command = [sys.executable, "-m", name, "--help"]
    return subprocess.run(command, capture_output=True, text=True, check=False, env={"COLUMNS": "200"}).stdout


def manifests() -> list[Path]:
    """Those of the crates."""
    places = ("p4src/tests", "simulator", "simulator/*", "softswitch/*")
    return sorted(path for place in places for path in ROOT.glob(f"{place}/Cargo.toml"))


@cache
def crates() -> frozenset[str]:
    """The names of the crates."""
    return frozenset(tomllib.loads(path.read_text(encoding="utf-8"))["package"]["name"] for path in manifests())
