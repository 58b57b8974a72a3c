# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""One program through ``quench compile``."""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import typer

from quench_switch.cli.compile import app

P4RUNTIME_SUFFIXES: Final = (".txtpb", ".txt", ".json", ".bin")


@dataclass(frozen=True, slots=True)
class Job:
    """A program to compile, and the options."""

    program: str
    """The command's name, for messages."""
    source: Path
    include: Sequence[str]
    define: Sequence[str]
    undefine: Sequence[str]
    diagnostics: Sequence[str]
    p4infos: Sequence[str]
    """Files for P4Info."""
    entries: Sequence[str]
    """Files for the program's entries."""
    p4runtime_format: str | None
    """None: each has the format of its suffix."""

    def options(self) -> list[str]:
        """The options of ``quench compile`` that every run needs."""
        pairs = (("-I", self.include), ("-D", self.define), ("-U", self.undefine))
        return [word for option, values in pairs for value in values for word in (option, value)]


def _run(program: str, arguments: Sequence[str]) -> int:
    """The status of ``quench compile``."""
    try:
        typer.main.get_command(app).main(args=list(arguments), prog_name=program)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 1
    return 0


def preprocess(job: Job) -> str | None:
    """The preprocessed program; None where it has errors, which are on stderr then."""
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        status = _run(job.program, [*job.options(), "-E", "--", str(job.source)])
    return text.getvalue() if status == 0 else None


def compile_file(job: Job, json: Path | None) -> int:
    """Compile to a JSON file; None: it is not wanted. Returns the status."""
    words = [*job.options(), *job.diagnostics, "--quiet", "--json-file", os.devnull if json is None else str(json)]
    # p4c writes no P4Info that was not asked for.
    for path in job.p4infos or [os.devnull]:
        words += ["--p4runtime-files", path]
    for path in job.entries:
        words += ["--p4runtime-entries-files", path]
    if job.p4runtime_format is not None:
        words += ["--p4runtime-format", job.p4runtime_format]
    return _run(job.program, [*words, "--", str(job.source)])
