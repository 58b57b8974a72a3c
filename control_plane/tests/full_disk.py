# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A command in a folder that is a disk with little room, which nothing else on the machine sees. Needs root.

Each command is a process of its own, forked from one that has loaded the modules already, which take seconds.
"""

import ctypes
import hashlib
import multiprocessing
import os
import subprocess
import sys
import tempfile
import traceback
from dataclasses import dataclass
from importlib import import_module
from multiprocessing.connection import Connection
from pathlib import Path

DISK_BYTES = 16 << 20
BLOCK_BYTES = 4096
FILLING = "filling"
TIMEOUT_S = 240
"""A generous limit, for a machine that is busy with other things."""
CLONE_NEWNS = 0x20000
FORKING = multiprocessing.get_context("forkserver")
FORKING.set_forkserver_preload(
    [
        *("full_disk", "quench.cli.app", "quench.profiles.plot", "quench_switch.toolchain.p4c"),
        *(
            "quench_experiments.cli.app",
            "quench_experiments.report",
            "quench_experiments.tuning.plot",
            "scipy.optimize",
        ),
    ]
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of a command, and the files that there are then."""

    status: int
    stderr: str
    sha256: dict[str, str]
    """By the files' paths from the folder."""


def run_on_disk(place: Path, old: dict[str, str], room_bytes: int | None, command: tuple[str, ...]) -> Outcome:
    """Run a command in a folder with old files and so much room besides; None: as much as it needs.

    The command is a module with ``main`` or a script, and its arguments.
    """
    receiver, sender = FORKING.Pipe(duplex=False)
    process = FORKING.Process(target=_perform, args=(sender, place, old, room_bytes, command))
    process.start()
    sender.close()
    try:
        assert receiver.poll(TIMEOUT_S), f"{command} does not end"
        outcome: Outcome = receiver.recv()
    finally:
        process.kill()
        process.join()
    return outcome


def sha256_of(old: dict[str, str]) -> dict[str, str]:
    """The hashes of the old files, as an outcome has them."""
    return {name: hashlib.sha256(text.encode()).hexdigest() for name, text in old.items()}


def _fill(place: Path, room_bytes: int) -> None:
    with (place / FILLING).open("wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(BLOCK_BYTES))
        except OSError:
            file.truncate(file.tell() - room_bytes)


def _perform(
    sender: Connection, place: Path, old: dict[str, str], room_bytes: int | None, command: tuple[str, ...]
) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(CLONE_NEWNS):
        raise OSError(ctypes.get_errno(), "no mount namespace")
    subprocess.run(["mount", "--make-rprivate", "/"], check=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES}", "none", str(place)], check=True)
    for name, text in old.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(text)
    if room_bytes is not None:
        _fill(place, room_bytes)
    os.chdir(place)
    with tempfile.TemporaryFile(dir="/dev/shm") as stderr, Path(os.devnull).open("w") as nothing:
        os.dup2(nothing.fileno(), 1)
        os.dup2(stderr.fileno(), 2)
        status = _status_of(command)
        sys.stdout.flush()
        sys.stderr.flush()
        stderr.seek(0)
        text = stderr.read().decode()
    found = {
        str(path.relative_to(place)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in place.rglob("*")
        if path.is_file() and path.name != FILLING
    }
    sender.send(Outcome(status, text, found))


def _status_of(command: tuple[str, ...]) -> int:
    """The status of the command's end, by the rules of ``sys.exit``; an exception is written as Python does."""
    program, *arguments = command
    sys.argv = ["quench", *arguments]
    try:
        ended = exec(program, {}) if "\n" in program else import_module(program).main()
    except SystemExit as end:
        ended = end.code
    except Exception:  # noqa: BLE001 - the interpreter would write it, too
        traceback.print_exc()
        return 1
    if isinstance(ended, str):
        sys.stderr.write(f"{ended}\n")
        return 1
    return int(ended or 0)
