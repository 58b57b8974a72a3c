# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Write the commands into a folder, as scripts that call this Python."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Final

from quench_switch.outside.files import write_files

COMMANDS: Final = ("p4c", "p4c-bm2-ss", "simple_switch", "simple_switch_CLI", "simple_switch_grpc")
_MODE: Final = 0o755
_MARK: Final = "# Written by quench toolchain."


class ForeignFileError(RuntimeError):
    """A file of that name is there already, and not one of ours."""


def script(command: str) -> str:
    """The text of one command. ``-I`` keeps the caller's folder and variables out of the imports."""
    words = shlex.join([sys.executable, "-I", "-m", "quench_switch.toolchain", command])
    return f'#!/bin/sh\n{_MARK}\nexec {words} "$@"\n'


def write(folder: Path) -> list[Path]:
    """Write all commands, anew where they are; returns their paths. Raises OSError and ForeignFileError."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / command for command in COMMANDS]
    for path in paths:
        if path.is_symlink() or (path.exists() and _MARK not in path.read_text(errors="replace")):
            raise ForeignFileError(f"{path}: exists and was not written by quench toolchain: give another folder")
    write_files(*((path, script(path.name)) for path in paths), mode=_MODE)
    return paths
