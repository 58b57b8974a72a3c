# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Rules for make: the files that a program was made from, as ``cc -M`` lists them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_MARKER: Final = re.compile(r'^# \d+ "((?:[^"\\]|\\.)*)"', re.MULTILINE)
_BUILT_IN: Final = "<"
"""Begins the names of files that are in the compiler itself."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule without a recipe."""

    target: str
    file: Path | None
    """None: stdout."""
    phony: bool

    def text(self, source: Path, preprocessed: str) -> str:
        """The rule for a program, from the line markers of its preprocessed text."""
        marked = (found.group(1) for found in _MARKER.finditer(preprocessed))
        included = dict.fromkeys(name for name in marked if not name.startswith(_BUILT_IN) and name != str(source))
        names = [_quoted(name) for name in (str(source), *included)]
        text = f"{self.target}: {' '.join(names)}\n"
        if self.phony:
            text += "".join(f"\n{name}:\n" for name in names[1:])
        return text


def _quoted(name: str) -> str:
    return name.replace("$", "$$").replace(" ", "\\ ").replace("#", "\\#")
