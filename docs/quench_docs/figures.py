# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Pictures that the site draws by the commands of its pages, so that no picture is committed beside its command.

A comment ``<!-- figure: FILE What is seen -->`` stands in front of a block of shell commands that write FILE. Where a
document is read without the site it shows the commands, and the site shows the picture below them.
"""

import os
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from quench_docs.page import Block, Page
from quench_docs.programs import ROOT

FOLDER = PurePosixPath("figures")
_LIMIT_S = 600
"""More than the simulations of a picture take on a busy machine."""
_OF_THE_REPOSITORY = ("build", "docs", "out")
"""Folders that the commands see. What is simulated stays in ``out``."""


class FigureError(Exception):
    """The commands of a picture fail or do not write it: ``FILE:LINE: what happened``."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A picture's file as its commands name it, its description, and the block of the commands."""

    page: Path
    file: PurePosixPath
    about: str
    block: Block

    @property
    def place(self) -> PurePosixPath:
        """The picture's place on the site."""
        return FOLDER / self.file.name

    def draw(self) -> bytes:
        """Run the commands in a folder of their own. Raises FigureError."""
        path = f"{ROOT / '.venv' / 'bin'}{os.pathsep}{os.environ['PATH']}"
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            for each in _OF_THE_REPOSITORY:
                (ROOT / each).mkdir(exist_ok=True)
                (folder / each).symlink_to(ROOT / each)
            result = subprocess.run(
                ["/bin/bash", "-euc", self.block.text],
                cwd=folder,
                env={**os.environ, "PATH": path},
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
                timeout=_LIMIT_S,
                check=False,
            )
            if result.returncode or not (folder / self.file).is_file():
                raise FigureError(f"{self.page}:{self.block.line}: {self.file} was not drawn: {result.stderr.strip()}")
            return (folder / self.file).read_bytes()


def figures(page: Page) -> Iterator[Figure]:
    """The pictures of a page, in its order."""
    for block in page.blocks:
        if block.figure:
            file, _, about = block.figure.partition(" ")
            yield Figure(page.path, PurePosixPath(file), about, block)
