# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The help of every command, as a terminal of 80 columns shows it."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
import typer
from quench.cli.app import app
from quench_switch.cli.commands import MAX_WIDTH, Panel
from quench_switch.cli.lazy import mounted
from typer.testing import CliRunner

TYPES = re.compile(r"<[a-z ]+>|[<>]=|\d{10}|\[\[|_NONE\b|\bNone\b")
"""Names of Python types, and limits in symbols or of a field's width."""


def commands(words: tuple[str, ...], command: Any) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every command with its words, but the host's, whose help is another program's."""
    command = mounted(command) or command
    yield words, command
    for name, child in getattr(command, "commands", {}).items():
        if name != "host":
            yield from commands((*words, name), child)


COMMANDS = dict(commands((), typer.main.get_command(app)))


def shown(*words: str) -> str:
    done = CliRunner().invoke(app, [*words, "--help"], prog_name="quench")
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: " ".join(words) or "quench")
def test_help_has_words_for_types_and_limits(words: tuple[str, ...]) -> None:
    text = shown(*words)
    assert TYPES.findall(text) == []
    assert max(map(len, text.splitlines())) <= 80


def test_every_option_that_takes_a_value_says_in_which_unit() -> None:
    for words, command in COMMANDS.items():
        for each in command.params:
            if each.param_type_name == "option" and not each.is_flag and not each.count:
                assert each.metavar or getattr(each.type_descriptor, "choices", None), (*words, each.name)


def test_commands_are_listed_under_what_they_are_for() -> None:
    text = shown()
    headings = [line.removesuffix(":") for line in text.splitlines() if re.fullmatch(r"[A-Z]\w+:", line)]
    assert headings == [*(panel.value for panel in Panel), "Options"]
    assert "Commands:" not in text
    for name in COMMANDS[()].commands:
        assert re.search(rf"^  {name} ", text, re.MULTILINE), name


def test_wide_terminals_do_not_make_long_lines() -> None:
    # Typer's runner has 80 columns.
    code = "from quench.cli.entry import main; main()"
    command = [sys.executable, "-c", code, "demo", "--help"]
    environment = {**os.environ, "COLUMNS": "300"}
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60, env=environment)
    widest = max(map(len, done.stdout.splitlines()))
    assert 80 < widest <= MAX_WIDTH


def test_a_name_is_not_broken_at_its_hyphen() -> None:
    assert not re.search(r"[a-z]-$", shown("demo"), re.MULTILINE)
