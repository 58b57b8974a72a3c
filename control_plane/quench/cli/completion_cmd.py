# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``quench completion``, and the answer to a shell that asks what may come next."""

import os
from enum import StrEnum
from typing import Annotated, Any, Final, NoReturn

import typer
from quench_switch.cli.commands import Commands
from quench_switch.cli.lazy import mounted
from typer.completion import completion_init, get_completion_script  # type: ignore[attr-defined]

from quench.cli.lazy import COMPLETE

_LINES: Final = ("COMP_WORDS", "_TYPER_COMPLETE_ARGS")
"""The line so far: of bash, and of the other shells."""


class Shell(StrEnum):
    """Shells that have a script."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"


def completion(shell: Annotated[Shell, typer.Argument(help="The shell.", show_default=False)]) -> None:
    """Print what completes Quench's commands in a shell.

    bash: `source <(quench completion bash)` in ~/.bashrc. zsh: the same with zsh, after compinit, in ~/.zshrc. fish:
    `quench completion fish >~/.config/fish/completions/quench.fish`.
    """
    typer.echo(get_completion_script(prog_name="quench", complete_var=COMPLETE, shell=shell.value))


def answer(root: typer.Typer) -> NoReturn:
    """Print what may come next on the shell's line, and end the process.

    A command that is imported when it is called is imported here only if the line names it.
    """
    completion_init()
    group: Any = typer.main.get_command(root)
    for word in " ".join(os.environ.get(name, "") for name in _LINES).split():
        command = mounted(group.commands.get(word))
        if command is not None:
            group.commands[word] = command
    group.main(prog_name="quench", complete_var=COMPLETE)
    raise SystemExit(0)


app = Commands()
app.command("completion")(completion)
