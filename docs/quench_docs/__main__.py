# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Write what the site generator reads to ``build``: ``mkdocs.yml`` and ``docs/`` with its pictures."""

import sys
from subprocess import TimeoutExpired

from quench_docs.figures import FigureError
from quench_docs.programs import ROOT, ProgramError
from quench_docs.stage import StageError, pictures, stage


def main() -> int:
    """The exit status: 1 with one line on stderr if the site cannot be built."""
    try:
        stage(ROOT, ROOT / "build")
        for picture in pictures(ROOT):
            path = ROOT / "build" / "docs" / picture.place
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(picture.draw())
    except (StageError, FigureError, ProgramError, OSError, TimeoutExpired) as error:
        sys.stderr.write(f"docs: {error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
