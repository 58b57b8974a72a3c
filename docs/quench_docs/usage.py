# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Whether a command in a document would be accepted: its program, subcommand, options and arguments."""

import re
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import typer

from quench_docs import programs
from quench_docs.programs import Node
from quench_docs.shell import Command

_UsageError: Any = typer.BadParameter.__base__
"""The error class of Typer's own copy of click, which has no public name."""
_OPTION = re.compile(r"--[a-z][a-z0-9-]*")
_OTHER_PROGRAMS = """
    . [ alias apt-get bpftool cargo cat cd chmod cmp cp curl cut dask diff docker echo ethtool exit export
    false git grep head install ip iperf3 jq journalctl kill ls mkdir mktemp mn mv nc nft openssl p4c pip ping
    printf protoc ps pwd read rm rustup sed seq simple_switch_CLI simple_switch_grpc sleep sort source ss ssh
    sysctl systemctl tail tc tcpdump tee test touch trap true tshark unset valgrind wait watch wc wg which
"""
_OTHER_MODULES = frozenset({"http.server", "json.tool", "pip", "pytest", "venv"})
OTHER_PROGRAMS = frozenset(_OTHER_PROGRAMS.split())
"""Programs that documents may use; nothing checks their arguments."""


def faults(command: Command) -> list[str]:
    """The faults of a command, a sentence each."""
    program, *arguments = command.words
    name = program.rsplit("/", maxsplit=1)[-1]
    if name == "quench":
        return _quench(programs.quench(), arguments, command.is_synopsis)
    if name == "quench-switch":
        return _quench(programs.quench_switch(), arguments, command.is_synopsis)
    if name == "quench-host":
        return _quench_host(arguments)
    if name == "make":
        return _make(arguments)
    if name in ("python", "python3"):
        return _python(arguments)
    if name == "cargo":
        return _cargo(arguments)
    if name in OTHER_PROGRAMS:
        return []
    return [f"{program!r} is no program of Quench, and none that quench_docs.usage knows"]


def _quench(node: Node, arguments: Sequence[str], is_synopsis: bool) -> list[str]:
    if node.name == programs.HOST_LOADER:
        return _quench_host(arguments)
    if "--help" in arguments:
        arguments = arguments[: arguments.index("--help")]
        is_synopsis = True
    if node.children:
        return _group(node, arguments, is_synopsis)
    try:
        values, rest, _ = node.command.make_parser(node.context).parse_args(args=list(arguments))
    except _UsageError as error:
        if is_synopsis and type(error).__name__ == "BadOptionUsage":
            return []  # an option is named without its value
        return [f"{node.name}: {error.format_message()}"]
    if is_synopsis:
        return []
    found = [f"{node.name}: {word!r} is one argument too many" for word in rest]
    required = [each for each in node.command.params if each.required and not each.envvar]
    missing = [each.opts[0] for each in required if values.get(each.name) in (None, (), [])]
    return found + [f"{node.name}: {name} is missing" for name in missing]


def _group(node: Node, arguments: Sequence[str], is_synopsis: bool) -> list[str]:
    options = {name for each in node.command.params for name in (*each.opts, *each.secondary_opts)}
    for index, word in enumerate(arguments):
        if not word.startswith("-"):
            if word not in node.children:
                return [f"{node.name} has no command {word!r}"] if not (is_synopsis and word.isupper()) else []
            return _quench(node.children[word], arguments[index + 1 :], is_synopsis)
        if word not in options:
            return [f"{node.name} has no option {word}"]
    return []  # the name alone, as in a sentence, or its help


def _quench_host(arguments: Sequence[str]) -> list[str]:
    text = programs.host_help()
    known = {"--help", *_OPTION.findall(text)}
    actions = set(re.findall(r"quench-host ([a-z]+)", text))
    found = [
        f"quench-host has no option {word}"
        for word in arguments
        if word.startswith("--") and word.partition("=")[0] not in known
    ]
    if arguments and not arguments[0].startswith("-") and arguments[0] not in actions:
        found.append(f"quench-host has no command {arguments[0]!r}")
    return found


def _make(arguments: Sequence[str]) -> list[str]:
    folder = programs.ROOT
    found = []
    words = iter(arguments)
    for word in words:
        variable, is_setting, _ = word.partition("=")
        if word == "-C":
            folder = _inside(next(words, ""))
            if not (folder / "Makefile").is_file():
                return [f"make -C: {folder} has no Makefile"]
        elif is_setting:
            if variable not in programs.make_variables(folder):
                found.append(f"make: no variable {variable} in {folder.name}/Makefile")
        elif not word.startswith("-") and word not in programs.make_targets(folder) and not word.isupper():
            found.append(f"make has no target {word!r}")
    return found


def _inside(name: str) -> Path:
    """A folder of a clone, wherever the document puts that."""
    folder = programs.ROOT / name.removeprefix("/opt/quench").lstrip("/")
    return folder if folder.is_dir() else programs.ROOT / name


def _python(arguments: Sequence[str]) -> list[str]:
    if arguments[:1] == ["-m"]:
        module = arguments[1] if len(arguments) > 1 else ""
        if not programs.is_module(module):
            return [f"there is no module {module!r}"]
        if module in _OTHER_MODULES:
            return []
        text = programs.module_help(module)
        options = {word.partition("=")[0] for word in arguments[2:] if word.startswith("--")}
        return [f"python -m {module} has no option {word}" for word in sorted(options - set(_OPTION.findall(text)))]
    script = next((word for word in arguments if not word.startswith("-")), "")
    if arguments[:1] != ["-c"] and "/" in script and not (programs.ROOT / script).is_file():
        return [f"there is no {script}"]
    return []


def _cargo(arguments: Sequence[str]) -> list[str]:
    named = [after for word, after in pairwise(arguments) if word in ("-p", "--package")]
    return [f"there is no crate {name!r}" for name in named if name not in programs.crates()]
