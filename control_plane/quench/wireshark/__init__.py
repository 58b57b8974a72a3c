# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Quench's dissector for Wireshark and tshark, and where it belongs.

In: nothing, or a folder. Out: the file ``quench.lua`` in the personal folder that Wireshark itself names.
"""

import os
import subprocess
from importlib.resources import files
from pathlib import Path

from quench_switch.outside.files import write_files

from quench.errors import ControllerError

SCRIPT_NAME = "quench.lua"
PROGRAMS = ("wireshark", "tshark")
TIMEOUT_S = 60
_FOLDER = "Personal Lua Plugins:"


def script() -> str:
    """The dissector, in Lua."""
    return files(__name__).joinpath(SCRIPT_NAME).read_text(encoding="utf-8")


def personal_folder() -> Path:
    """The folder for a user's own scripts, by the Wireshark that is installed here. Raises ControllerError."""
    for program in PROGRAMS:
        try:
            done = subprocess.run(
                [program, "-G", "folders"],
                check=False,
                capture_output=True,
                text=True,
                timeout=TIMEOUT_S,
                # Without a screen, wireshark itself ends before it has answered.
                env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
            )
        except FileNotFoundError:
            continue
        except subprocess.TimeoutExpired:
            raise ControllerError(f"{program} -G folders: no answer within {TIMEOUT_S} s: give --folder") from None
        for line in done.stdout.splitlines():
            if line.startswith(_FOLDER):
                return Path(line.removeprefix(_FOLDER).strip())
        raise ControllerError(
            f"{program} -G folders names no folder for Lua: this {program} may be built without Lua, or give --folder"
        )
    raise ControllerError(
        f"neither {' nor '.join(PROGRAMS)} is installed here: install one, give its folder by --folder, "
        "or print the script by --print and copy it to where Wireshark is"
    )


def install(folder: Path) -> Path:
    """Write the script into a folder, which is made where it is missing; its path. Raises OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / SCRIPT_NAME
    write_files((path, script()))
    return path
