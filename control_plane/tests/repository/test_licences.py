# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Quench may be passed on with its dependencies: licences of all crates and of the Python packages it runs with."""

import json
import re
import subprocess
import tomllib
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

ROOT = Path(__file__).parents[3]
OURS = ("quench", "quench-topologies", "quench-experiments")
# As packages write them: an SPDX expression, a classifier, or free text.
PERMISSIVE = re.compile(
    r"Apache|\bMIT|BSD|ISC|\bPSF|Python Software Foundation|HPND|Zlib|Unlicense|\bMPL|Mozilla Public|matplotlib|LGPL",
    re.IGNORECASE,
)


def licence_of(package: Distribution) -> str:
    about = package.metadata
    classifiers = [line for line in about.get_all("Classifier") or [] if line.startswith("License ::")]
    return " ".join([about.get("License-Expression") or "", *classifiers, (about.get("License") or "")[:200]])


def runtime_packages() -> dict[str, Distribution]:
    found: dict[str, Distribution] = {}
    waiting = list(OURS)
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        try:
            found[name] = distribution(name)
        except PackageNotFoundError:  # of another platform or an extra
            continue
        needed = [line for line in found[name].requires or [] if "extra ==" not in line]
        names = (re.split(r"[^A-Za-z0-9._-]", line, maxsplit=1)[0] for line in needed)
        waiting.extend(name.lower().replace("_", "-") for name in names)
    return found


def test_python_packages_are_permissive() -> None:
    packages = runtime_packages()
    assert len(packages) > 10, sorted(packages)
    others = {
        name: licence_of(package) for name, package in packages.items() if not PERMISSIVE.search(licence_of(package))
    }
    assert not others
    assert "scapy" not in packages  # GPL: only ptf_tests, which are not passed on with the rest


def test_crates_have_an_allowed_licence() -> None:
    allowed = set(tomllib.loads((ROOT / "deny.toml").read_text())["licenses"]["allow"])
    command = ["cargo", "metadata", "--locked", "--all-features", "--format-version", "1"]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    crates = {crate["name"]: crate["license"] for crate in json.loads(result.stdout)["packages"]}
    assert len(crates) > 50
    assert not {name: licence for name, licence in crates.items() if not may_use(licence, allowed)}


def may_use(expression: str, allowed: set[str]) -> bool:
    """Whether the licences are allowed: all that ``AND`` joins, one that ``OR`` (or in old crates a slash) joins."""
    parts = re.sub(r"\s*/\s*", " OR ", expression or "none")
    return all(
        any(choice.strip(" ()") in allowed for choice in part.split(" OR ")) for part in re.split(r" AND ", parts)
    )
