# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Puts the parts of the distribution quench-net into one folder, from which maturin builds the wheel.

``python packaging/wheel/stage.py DIR`` after ``make build`` and ``make p4 TARGET=tna``.
"""

import json
import platform
import re
import shutil
import sys
import tomllib
from pathlib import Path
from string import Template
from typing import Any

from quench_switch.version import VERSION

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PACKAGES = {
    "quench": "control_plane",
    "quench_simulator": "simulator/python",
    "quench_switch": "softswitch/python",
    "quench_topologies": "topologies",
    "quench_experiments": "experiments",
}
"""Python packages, and the folder of each with its pyproject.toml."""
EXTRAS = {"experiments": "experiments"}
"""An extra, and the folder whose dependencies are in it if nothing else needs them."""
CARRIED = (
    "build/quench.json",
    "build/quench.p4info.txtpb",
    "build/quench_tna.json",
    "build/quench_tna.p4info.txtpb",
    "build/host/quench-host",
    "bench/ns2",
    "experiments/papers",
    "experiments/datacentre",
    "experiments/workloads",
    "p4src",
)
"""Files and folders that quench.places names, to go below its folder `files`."""
SIMULATOR = "quench_simulator/_native.abi3.so"
"""The native module that `make native` has built; maturin builds that of the switch into the wheel."""


def _project(folder: str) -> dict[str, Any]:
    """The table [project] of a folder's pyproject.toml."""
    text = (ROOT / folder / "pyproject.toml").read_text(encoding="utf-8")
    declared: dict[str, Any] = tomllib.loads(text)["project"]
    return declared


def _dependencies(folders: list[str]) -> list[str]:
    """Packages of others that the folders' packages need."""
    needed = {each for folder in folders for each in _project(folder)["dependencies"]}
    return sorted((each for each in needed if not re.match(r"quench\b", each)), key=str.lower)


def settings() -> dict[str, object]:
    """The values of pyproject.toml.in."""
    basic = _dependencies([folder for folder in PACKAGES.values() if folder not in EXTRAS.values()])
    extras = {
        extra: [each for each in _dependencies([folder]) if each not in basic] for extra, folder in EXTRAS.items()
    }
    return {
        "version": VERSION,
        "requires_python": _project("control_plane")["requires-python"],
        "dependencies": basic,
        "packages": list(PACKAGES),
        "sbom": f"quench_net-{VERSION}-{platform.machine()}.cdx.json",
        "simulator": SIMULATOR,
        "manifest": str(ROOT / "softswitch" / "python" / "Cargo.toml"),
        **extras,
    }


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__", "*.so", "tests"))
    else:
        shutil.copy(source, target)


def stage(folder: Path) -> None:
    """Write the folder anew. Raises FileNotFoundError where something has not been built."""
    if folder.exists():
        shutil.rmtree(folder)
    for name, place in PACKAGES.items():
        _copy(ROOT / place / name, folder / name)
    _copy(ROOT / PACKAGES["quench_simulator"] / SIMULATOR, folder / SIMULATOR)
    for carried in CARRIED:
        _copy(ROOT / carried, folder / "quench" / "files" / carried)
    for path in (HERE / "README.md", HERE / "LIBRARIES", ROOT / "LICENSE"):
        _copy(path, folder / path.name)
    # JSON's strings and lists of strings are TOML, too.
    values = {name: json.dumps(value) for name, value in settings().items()}
    template = Template((HERE / "pyproject.toml.in").read_text(encoding="utf-8"))
    (folder / "pyproject.toml").write_text(template.substitute(values), encoding="utf-8")


if __name__ == "__main__":
    stage(Path(sys.argv[1]))
