# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Code blocks of documents: each says its language, and is checked for what it is.

A comment ``<!-- check: WORD -->`` in front of a block asks for more: ``configuration``, ``profile``, ``experiment``,
``program``, ``scenario`` and ``topology`` validate YAML and JSON against their model, ``run`` runs a Python block in
a process, and a block of commands in a shell, as it stands there.
"""

import ast
import importlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import yaml
from quench.config import load_config
from quench.config.file import load_profiles
from quench.errors import ConfigError
from quench.programs import load_program
from quench_experiments.definition import load
from quench_experiments.errors import ScenarioError
from quench_experiments.simulation.scenario import Scenario
from quench_switch import CompileError, compile_p4
from quench_topologies.errors import TopologyError
from quench_topologies.plan_file import load_topology

from quench_docs import programs, shell, usage
from quench_docs.page import Block, Page
from quench_docs.programs import ROOT

RUN_SECONDS = 60
UNCHECKED = frozenset({"text", "c", "diff", "ini", "rust", "toml"})
"""Output, pictures, and languages without a cheap check."""
_FOREIGN_MODULES = frozenset({"bfrt_grpc"})
"""The modules of the Tofino SDE, which is not on PyPI."""


def _validate_scenario(path: Path) -> None:
    Scenario.parse(yaml.safe_load(path.read_text(encoding="utf-8")))


_MODELS: dict[str, Callable[[Path], Any]] = {
    "configuration": load_config,
    "profile": lambda path: load_profiles(path, {}),
    "experiment": load,
    "program": load_program,
    "scenario": _validate_scenario,
    "topology": lambda path: load_topology(path, {}),
}


def _link_into(folder: Path) -> None:
    """Names of build products, examples and test programs are relative to the repository's root, as in documents."""
    for name in ("build", "control_plane", "examples", "p4src", "softswitch"):
        (folder / name).symlink_to(ROOT / name)


def faults(page: Page, root: Path) -> list[str]:
    """A line ``FILE:LINE: fault`` for each fault in the page's blocks and in commands inside sentences."""
    found = []
    for block in page.blocks:
        place = f"{page.path.relative_to(root)}:{block.line}"
        found += [f"{place}: {problem}" for problem in check(block)]
    for span in page.spans:
        if span.text.startswith(("quench ", "make ")):
            place = f"{page.path.relative_to(root)}:{span.line}"
            found += [f"{place}: `{span.text}`: {problem}" for problem in _in_a_sentence(span.text)]
    return found


def check(block: Block) -> list[str]:
    """The faults of a block, a sentence each."""
    language = block.language.partition(" ")[0]
    if not language:
        return ["the block does not say its language: text, console, sh, yaml, json, python, p4"]
    if language in ("sh", "console"):
        return _shell(block, is_console=language == "console")
    if language == "python":
        return _python(block)
    if language in ("yaml", "json"):
        return _data(block, language)
    if language == "p4":
        return _p4(block)
    return [] if language in UNCHECKED else [f"no check for blocks of {language!r}"]


def _shell(block: Block, *, is_console: bool) -> list[str]:
    try:
        commands = list(shell.commands(block.text, is_console=is_console))
    except ValueError as error:
        return [f"not for a shell: {error}"]
    if not commands:
        return ["no command in it: its language is text"]
    found = [f"line {command.line}: {problem}" for command in commands for problem in usage.faults(command)]
    if block.mark == "run" and not found:
        found += _run(["/bin/bash", "-euc", block.text])
    return found


def _in_a_sentence(text: str) -> list[str]:
    """A command of which not everything need be said."""
    try:
        commands = list(shell.parse(text))
    except ValueError:
        return []  # with an apostrophe of the sentence's
    return [
        problem for command in commands for problem in usage.faults(shell.Command(1, command.words, is_synopsis=True))
    ]


def _python(block: Block) -> list[str]:
    try:
        tree = ast.parse(block.text)
    except SyntaxError as error:
        return [f"line {error.lineno}: {error.msg}"]
    found = [problem for node in ast.walk(tree) for problem in _imports(node)]
    if block.mark == "run" and not found:
        found += _run([sys.executable, "-c", block.text])
    return found


def _run(command: Sequence[str]) -> list[str]:
    """The fault of a block that is run in a folder of its own."""
    path = f"{ROOT / '.venv' / 'bin'}{os.pathsep}{os.environ['PATH']}"
    with tempfile.TemporaryDirectory() as folder:
        _link_into(Path(folder))
        result = subprocess.run(
            command,
            cwd=folder,
            env={**os.environ, "PATH": path},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=RUN_SECONDS,
            check=False,
        )
    return [f"it ends with {result.returncode}: {result.stderr.strip()[-500:]}"] if result.returncode else []


def _imports(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [f"there is no module {each.name!r}" for each in node.names if not _is_module(each.name)]
    if not isinstance(node, ast.ImportFrom) or (node.module or "").partition(".")[0] in _FOREIGN_MODULES:
        return []
    name = node.module or ""
    if not _is_module(name):
        return [f"there is no module {name!r}"]
    module = importlib.import_module(name)
    return [
        f"{name} has no {each.name!r}"
        for each in node.names
        if not hasattr(module, each.name) and not _is_module(f"{name}.{each.name}")
    ]


def _is_module(name: str) -> bool:
    return name.partition(".")[0] in _FOREIGN_MODULES or programs.is_module(name)


def _data(block: Block, language: str) -> list[str]:
    try:
        if language == "json":
            json.loads(block.text)
        else:
            list(yaml.safe_load_all(block.text))
    except (ValueError, yaml.YAMLError) as error:
        return [f"not {language}: {error}"]
    if block.mark is None:
        return []
    if block.mark not in _MODELS:
        return [f"no model {block.mark!r}: there is {', '.join(_MODELS)}"]
    with tempfile.TemporaryDirectory() as folder:
        _link_into(Path(folder))
        path = Path(folder) / f"block.{language}"
        path.write_text(block.text, encoding="utf-8")
        try:
            _MODELS[block.mark](path)
        except (ConfigError, ScenarioError, TopologyError) as error:
            return [str(error).replace(f"{folder}/", "")]
    return []


def _p4(block: Block) -> list[str]:
    """A whole program is compiled; a part of one has nothing that it could be compiled with."""
    is_tna = "tna.p4" in block.text
    if "main;" not in block.text:
        return []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "block.p4"
        path.write_text(block.text, encoding="utf-8")
        try:
            compile_p4(str(path), include_dirs=[str(ROOT / "p4src")], arch="tna" if is_tna else "v1model")
        except CompileError as error:
            return [str(error).replace(f"{folder}/", "")]
    return []
