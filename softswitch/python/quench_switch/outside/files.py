# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Files from outside: each is read whole, up to a limit, and only if it is a regular file. Ours are written whole."""

import errno
import json
import os
import secrets
import signal
import stat
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from io import BufferedReader
from pathlib import Path
from types import FrameType
from typing import Any, Final, TypeAlias

Content: TypeAlias = str | bytes | Iterable[bytes]
"""The content of a file to write; text becomes UTF-8, and pieces are written one after the other."""

PROGRAM_BYTES: Final = 32 << 20
"""Largest BMv2 JSON or P4Info. The data plane's loader has the same limit for JSON."""
TEST_BYTES: Final = 16 << 20
"""Largest STF test, or file of entries."""
PEM_BYTES: Final = 1 << 20
"""Largest file of certificates or of a key."""
_ENDING: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
"""Signals that end a process which has not said otherwise."""


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


def write_files(*files: tuple[Path, Content], mode: int | None = None) -> None:
    """Write all files of a command. A reader finds of each the old content or the new one, whole.

    All are written beside their places first, and then renamed in this order: a full disk leaves them all as they
    were. A file that is there keeps its mode and its owner, unless ``mode`` says which mode all get. A symbolic link
    stays, and the file that it leads to is written. A device, a pipe and a descriptor (/dev/stdout) have no place
    beside them: they are written directly, before the renaming. Raises OSError with the path and a reason.
    """
    stack = ExitStack()
    with _before_a_signal_ends_us(stack.close), stack:
        directly: list[tuple[Path, Content]] = []
        renamings: list[tuple[Path, Path, Path]] = []
        for path, content in files:
            with _errors_of(path):
                place = _place(path)
                if place is None:
                    directly.append((path, content))
                    continue
                beside = place.with_name(f".writing-{secrets.token_hex(8)}")
                stack.callback(_remove, beside)
                descriptor = _made_beside(path, place, beside, mode)
            _write(descriptor, path, content)
            renamings.append((path, beside, place))
        for path, content in directly:
            with _errors_of(path):
                descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOCTTY | os.O_CLOEXEC, 0o666)
            _write(descriptor, path, content)
        for path, beside, place in renamings:
            with _errors_of(path):
                beside.replace(place)


def _place(path: Path) -> Path | None:
    """The path of the file, behind all links; None for what is no regular file, or a descriptor of a process."""
    try:
        # By the kernel, which refuses to follow others' links in a folder that everybody may write to.
        if not stat.S_ISREG(path.stat().st_mode):
            return None
    except FileNotFoundError:
        pass
    place = path.parent.resolve() / path.name
    while place.is_symlink():
        if place.parts[1] == "proc":
            return None
        linked = place.parent / place.readlink()
        place = linked.parent.resolve() / linked.name
    return place


def _made_beside(path: Path, place: Path, beside: Path, mode: int | None) -> int:
    """A descriptor of a new file, with the mode and the owner that the file at the place is to have."""
    try:
        # Renaming would replace a file that may not be written to.
        old = os.open(place, os.O_WRONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    except FileNotFoundError:
        found = None
    else:
        found = os.fstat(old)
        os.close(old)
        _check_regular(path, found)
    # A user who may not read the old file must not open the new one before it has the old mode.
    first_mode = 0o666 if found is None and mode is None else 0o600
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, first_mode)
    try:
        if found is not None:
            for owner, group in ((-1, found.st_gid), (found.st_uid, -1)):
                # Only root may give a file away.
                with suppress(OSError):
                    os.fchown(descriptor, owner, group)
            os.fchmod(descriptor, found.st_mode & 0o777)
        if mode is not None:
            os.fchmod(descriptor, mode)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _write(descriptor: int, path: Path, content: Content) -> None:
    """Write all of it, and close the descriptor."""
    file = os.fdopen(descriptor, "wb")
    try:
        if isinstance(content, str):
            content = content.encode()
        for piece in [content] if isinstance(content, bytes) else content:
            file.write(piece)
        file.close()
    except OSError as error:
        # The iterator of the content may have met a fault in a file that it reads itself.
        raise error if error.filename is not None else _at(path, error) from error
    finally:
        # After a failure it would fail in the same way once more, and hide which file it was.
        with suppress(OSError):
            file.close()


@contextmanager
def _errors_of(path: Path) -> Iterator[None]:
    """Errors name this path, and neither none nor that of a file beside it."""
    try:
        yield
    except OSError as error:
        raise _at(path, error) from error


def _at(path: Path, error: OSError) -> OSError:
    return OSError(error.errno, error.strerror or str(error), str(path))


def _remove(beside: Path) -> None:
    with suppress(OSError):
        beside.unlink()


@contextmanager
def _before_a_signal_ends_us(end: Callable[[], None]) -> Iterator[None]:
    """Call ``end`` before a signal ends the process. A signal with a handler is its handler's business."""

    def handle(number: int, _: FrameType | None) -> None:
        end()
        signal.signal(number, signal.SIG_DFL)
        signal.raise_signal(number)

    ours: list[signal.Signals] = []
    # Only there may handlers be set.
    if threading.current_thread() is threading.main_thread():
        ours = [number for number in _ENDING if signal.getsignal(number) is signal.SIG_DFL]
    for number in ours:
        signal.signal(number, handle)
    try:
        yield
    finally:
        for number in ours:
            signal.signal(number, signal.SIG_DFL)
