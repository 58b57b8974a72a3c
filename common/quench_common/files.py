# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Files from outside: each is read whole, up to a limit, and only if it is a regular file."""

import errno
import json
import os
import stat
from io import BufferedReader
from pathlib import Path
from typing import Any, Final

PROGRAM_BYTES: Final = 32 << 20
"""Largest BMv2 JSON or P4Info. The data plane's loader has the same limit for JSON."""
TEST_BYTES: Final = 16 << 20
"""Largest STF test, or file of entries."""
PEM_BYTES: Final = 1 << 20
"""Largest file of certificates or of a key."""


def read_file(path: Path, limit_bytes: int) -> bytes:
    """The content of a regular file. Raises OSError with the path and a reason, EFBIG for a file that is longer."""
    with open_file(path) as file:
        content = file.read(limit_bytes + 1)
    if len(content) > limit_bytes:
        raise OSError(errno.EFBIG, f"is longer than {limit_bytes} bytes", str(path))
    return content


def read_json(path: Path, limit_bytes: int) -> Any:
    """The values of a JSON file. Raises OSError, and ValueError for a text that is not JSON."""
    try:
        return json.loads(read_file(path, limit_bytes))
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


def open_file(path: Path) -> BufferedReader:
    """Open a regular file to read. No pipe or device at the path can block this or be made to act. Raises OSError."""
    try:
        # Some devices act when they are opened, so the type is checked before; another file may be there by then, so
        # it is checked again afterwards.
        _check_regular(path, path.stat())
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    except ValueError as error:
        raise OSError(errno.EINVAL, f"is no path: {error}", str(path)) from error
    try:
        _check_regular(path, os.fstat(descriptor))
    except OSError:
        os.close(descriptor)
        raise
    return os.fdopen(descriptor, "rb")


def _check_regular(path: Path, found: os.stat_result) -> None:
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.EINVAL, "is no regular file", str(path))
