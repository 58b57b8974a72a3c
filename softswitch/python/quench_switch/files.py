# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Files that a command is given: each is read up to a limit, for a path may lead to a device that never ends."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import Final

PROGRAM_BYTES: Final = 16 << 20
"""BMv2 JSON, P4Info, an STF test. The data plane's loader has the same limit for JSON."""
PEM_BYTES: Final = 1 << 20


def read_file(path: Path, limit_bytes: int) -> bytes:
    """The file's content. Raises OSError, EFBIG among them for a file that is longer."""
    with path.open("rb") as file:
        content = file.read(limit_bytes + 1)
    if len(content) > limit_bytes:
        raise OSError(errno.EFBIG, f"is longer than {limit_bytes} bytes", str(path))
    return content
