# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Takes the hashes of files for other machines out of a lock: ``python packaging/locked_hashes.py LOCK PYLOCK...``.

Each PYLOCK is the lock's pylock.toml for a machine that Quench is installed on. Their wheels and the sources stay.
"""

import re
import sys
from pathlib import Path


def only(lock: str, hashes: set[str]) -> str:
    """The lock with these hashes alone. Raises ValueError where a package would be left without any."""
    packages = []
    for package in re.split(r"(?<!\\)\n", lock.rstrip("\n")):
        name, *lines = package.split(" \\\n")
        kept = [line for line in lines if line.rpartition(":")[2] in hashes]
        if lines and not kept:
            raise ValueError(f"{name} has no file for these machines")
        packages.append(" \\\n".join([name, *kept]))
    return "\n".join(packages) + "\n"


if __name__ == "__main__":
    path, *machines = map(Path, sys.argv[1:])
    found = {each for machine in machines for each in re.findall(r'sha256 = "(\w{64})"', machine.read_text())}
    path.write_text(only(path.read_text(encoding="utf-8"), found), encoding="utf-8")
