# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Temporary folders that do not outlive their process for long, even where it was killed.

Each holds a file that its process keeps locked (flock(2)), which the kernel unlocks when the process ends in whichever
way. The next process that makes such a folder removes those that no process holds any more.
"""

import fcntl
import functools
import logging
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

LOGGER = logging.getLogger(__name__)
PREFIX = "quench-"
OWNER_FILE = ".owner"


@contextmanager
def temporary_folder(kind: str, parent: Path | None = None) -> Iterator[Path]:
    """A folder quench-KIND-… for this user only, removed at the end. The parent is $TMPDIR or /tmp. Raises OSError."""
    place = Path(tempfile.gettempdir()) if parent is None else parent
    _sweep_once(place)
    path, owner = _make(kind, place)
    try:
        yield path
    finally:
        try:
            shutil.rmtree(path)
        except OSError as error:
            LOGGER.warning("%s stays: %s; the next start tries again", path, error)
        os.close(owner)


def sweep(place: Path) -> list[str]:
    """Remove the temporary folders here of this user's processes that have ended; their names."""
    with ExitStack() as stack:
        here = os.open(place, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        stack.callback(os.close, here)
        with os.scandir(here) as entries:
            names = [entry.name for entry in entries if entry.name.startswith(PREFIX)]
        return sorted(name for name in names if _remove_if_orphaned(name, here))


@functools.cache
def _sweep_once(place: Path) -> None:
    for name in sweep(place):
        LOGGER.info("removed %s, whose process was killed", place / name)


def _make(kind: str, place: Path) -> tuple[Path, int]:
    while True:
        path = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{kind}-", dir=place))
        try:
            owner = os.open(path / OWNER_FILE, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        except BaseException:
            shutil.rmtree(path)
            raise
        try:
            fcntl.flock(owner, fcntl.LOCK_EX)
            with suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(owner), (path / OWNER_FILE).stat(follow_symlinks=False)):
                    return path, owner
        except BaseException:
            os.close(owner)
            raise
        # Another process swept between the making and the locking, and took the folder for an orphan.
        os.close(owner)


def _remove_if_orphaned(name: str, here: int) -> bool:
    """Nothing is followed that could lead elsewhere: /tmp belongs to everybody."""
    with ExitStack() as stack:
        try:
            folder = _opened(stack, name, here, os.O_DIRECTORY)
            status = os.fstat(folder)
            if status.st_uid != os.geteuid() or stat.S_IMODE(status.st_mode) & 0o077:
                return False
            owner = _opened(stack, OWNER_FILE, folder)
            fcntl.flock(owner, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if not os.path.samestat(status, os.stat(name, dir_fd=here, follow_symlinks=False)):
                return False
        except OSError:
            # Held, not a folder of ours, or just removed by its owner or by another sweep.
            return False
        try:
            shutil.rmtree(name, dir_fd=here)
        except OSError as error:
            LOGGER.warning("%s of a killed process stays: %s", name, error)
            return False
    return True


def _opened(stack: ExitStack, name: str, here: int, flags: int = 0) -> int:
    fd = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | flags, dir_fd=here)
    stack.callback(os.close, fd)
    return fd
