# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A command in a folder that is a disk with little room, which nothing else on the machine sees. Needs root.

As a program, inside a mount namespace, it reads what to do from stdin, as JSON, and prints what came of it.
"""

import hashlib
import json
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

DISK_BYTES = 16 << 20
BLOCK_BYTES = 4096
FILLING = "filling"
TIMEOUT_S = 240
"""A generous limit, for a machine that is busy with other things."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of a command, and the files that there are then."""

    status: int
    stderr: str
    sha256: dict[str, str]
    """By the files' paths from the folder."""


def run_on_disk(place: Path, old: dict[str, str], room_bytes: int | None, command: list[str]) -> Outcome:
    """Run a command in a folder with old files and so much room besides; None: as much as it needs."""
    task = {"place": str(place), "old": old, "room_bytes": room_bytes, "command": command}
    done = subprocess.run(
        ["unshare", "--mount", sys.executable, __file__],
        check=True,
        input=json.dumps(task),
        stdout=subprocess.PIPE,
        text=True,
        timeout=TIMEOUT_S,
    )
    return Outcome(**json.loads(done.stdout))


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


def _perform(place: Path, old: dict[str, str], room_bytes: int | None, command: list[str]) -> Outcome:
    mount = ["mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES}", "none", str(place)]
    subprocess.run(mount, check=True)
    for name, text in old.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(text)
    if room_bytes is not None:
        _fill(place, room_bytes)
    done = subprocess.run(command, check=False, cwd=place, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    found = {
        str(path.relative_to(place)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in place.rglob("*")
        if path.is_file() and path.name != FILLING
    }
    return Outcome(done.returncode, done.stderr, found)


def _main() -> None:
    task: dict[str, Any] = json.load(sys.stdin)
    outcome = _perform(Path(task["place"]), task["old"], task["room_bytes"], task["command"])
    sys.stdout.write(json.dumps(asdict(outcome)))


if __name__ == "__main__":
    _main()
