# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The networks that run on this machine: each has a temporary folder with its controller's socket and its description.

The folders lie in /tmp or $TMPDIR, where every user of the machine may make some. Only those count that belong to the
caller or to root, that nobody else can enter, and whose controller takes a connection.
"""

import os
import socket
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from quench_switch.outside.files import write_files

from quench.config.fields import NameField
from quench.errors import ControllerError
from quench.temporary import PREFIX

KIND = "net"
"""The kind of a network's temporary folder (``quench.temporary``)."""
SOCKET_FILE = "controller.sock"
"""The controller's socket in the folder."""
DESCRIPTION_FILE = "network.json"
PLACES = ("/tmp",)  # noqa: S108 - nothing is written there
"""Where networks are looked for, besides $TMPDIR."""
MOST_BYTES = 4096
"""Largest description."""
MOST_FOLDERS = 1000
"""Folders of networks that are looked at."""
CONNECT_S = 1.0


class _Description(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    name: NameField
    pid: Annotated[int, Field(gt=0, lt=2**31)]
    since_s: Annotated[float, Field(ge=0, lt=2**40)]


@dataclass(frozen=True, slots=True)
class FoundNetwork:
    """A network whose controller takes a connection."""

    name: str
    """The topology, such as ``n1``."""
    pid: int
    """The process that has made it and will end it."""
    since_s: float
    """When it came up, in seconds since 1970."""
    socket: Path
    """Its controller's socket."""


def describe(folder: Path, name: str) -> None:
    """Write the description of this process's network into its folder. Raises OSError."""
    description = _Description(name=name, pid=os.getpid(), since_s=time.time())
    write_files((folder / DESCRIPTION_FILE, description.model_dump_json()))


def running_networks() -> list[FoundNetwork]:
    """The networks that run, the oldest first."""
    places = {Path(place).resolve() for place in (*PLACES, tempfile.gettempdir())}
    found = [network for place in places for network in _networks_in(place)]
    return sorted(found, key=lambda network: (network.since_s, network.socket))


def only_network() -> FoundNetwork | None:
    """The one network that runs; None: there is none. Raises ControllerError where there are several."""
    found = running_networks()
    if len(found) > 1:
        listed = ", ".join(f"{each.name} at {each.socket}" for each in found)
        raise ControllerError(f"{len(found)} networks run: choose one by --socket or QUENCH_SOCKET: {listed}")
    return found[0] if found else None


def _networks_in(place: Path) -> Iterator[FoundNetwork]:
    with suppress(OSError):
        status = place.stat()
        is_shared = status.st_mode & 0o022 and not status.st_mode & stat.S_ISVTX
        if is_shared or status.st_uid not in {0, os.geteuid()}:
            # Others could put a folder of theirs in the place of ours.
            return
        with os.scandir(place) as entries:
            # Before they are counted: others may make as many folders as they like.
            names = sorted(entry.name for entry in entries if _may_be_ours(entry))
        for name in names[:MOST_FOLDERS]:
            network = _network_in(place / name)
            if network is not None:
                yield network


def _may_be_ours(entry: os.DirEntry[str]) -> bool:
    if not entry.name.startswith(f"{PREFIX}{KIND}-"):
        return False
    try:
        return _is_private(entry.stat(follow_symlinks=False))
    except FileNotFoundError:
        # It went away meanwhile, which must not hide the others.
        return False


def _network_in(folder: Path) -> FoundNetwork | None:
    """The network of a folder; None: it is not trusted, or has none that runs."""
    with ExitStack() as stack, suppress(OSError, ValidationError):
        here = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        stack.callback(os.close, here)
        if not _is_private(os.fstat(here)):
            return None
        path = folder / SOCKET_FILE
        status = os.stat(SOCKET_FILE, dir_fd=here, follow_symlinks=False)
        if not stat.S_ISSOCK(status.st_mode) or status.st_uid not in {0, os.geteuid()}:
            return None
        description = _Description.model_validate_json(_read(here))
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(CONNECT_S)
            connection.connect(str(path))
        return FoundNetwork(description.name, description.pid, description.since_s, path)
    return None


def _is_private(status: os.stat_result) -> bool:
    return status.st_uid in {0, os.geteuid()} and not stat.S_IMODE(status.st_mode) & 0o077


def _read(folder: int) -> bytes:
    fd = os.open(DESCRIPTION_FILE, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
    with os.fdopen(fd, "rb") as file:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise OSError(f"{DESCRIPTION_FILE} is no file")
        return file.read(MOST_BYTES)
