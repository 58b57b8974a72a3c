# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``requirements.lock`` has all declared Python packages and their dependencies, with hashes."""

import re
import runpy
import tomllib
from importlib.metadata import distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[3]
PROJECTS = [*sorted(ROOT.glob("*/pyproject.toml")), ROOT / "softswitch/python/pyproject.toml"]
OURS = {"quench", "quench-experiments", "quench-switch", "quench-topologies"}


def locked() -> dict[str, str]:
    """Version of each locked package; every one has a hash."""
    found = {}
    for block in re.split(r"(?<!\\)\n", (ROOT / "requirements.lock").read_text()):
        if block and not block.startswith("#"):
            line, *hashes = (part.strip() for part in block.split("\\\n"))
            assert hashes, line
            assert all(part.startswith("--hash=sha256:") for part in hashes), line
            requirement = Requirement(line)
            (specifier,) = requirement.specifier
            assert specifier.operator == "==", line
            found[canonicalize_name(requirement.name)] = specifier.version
    return found


LOCKED = locked()


def declared() -> list[tuple[str, str]]:
    """(file, requirement) of everything that a file of this repository asks for."""
    lines = (ROOT / "requirements.txt").read_text().splitlines()
    found = [("requirements.txt", line) for line in lines if line and not line.startswith("#")]
    for path in PROJECTS:
        project = tomllib.loads(path.read_text())
        needed = project["project"]["dependencies"] + project["build-system"]["requires"]
        found += [(str(path.relative_to(ROOT)), line) for line in needed]
    return found


def missing(requirement: Requirement) -> str | None:
    """The fault of the lock in view of a requirement, None if there is none."""
    name = canonicalize_name(requirement.name)
    if name in OURS or (requirement.marker is not None and not requirement.marker.evaluate({"extra": ""})):
        return None
    if name not in LOCKED:
        return f"{requirement} is not locked: run `make lock`"
    if not requirement.specifier.contains(LOCKED[name], prereleases=True):
        return f"{requirement} is not {LOCKED[name]}, which is locked: run `make lock`"
    return None


@pytest.mark.parametrize(("file", "line"), declared())
def test_what_is_declared_is_locked(file: str, line: str) -> None:
    assert missing(Requirement(line)) is None, file


@pytest.mark.parametrize("name", sorted(LOCKED))
def test_what_is_locked_is_installed_with_all_that_it_needs(name: str) -> None:
    package = distribution(name)
    assert package.version == LOCKED[name], "run `make setup`"
    assert [missing(Requirement(line)) for line in package.requires or [] if missing(Requirement(line))] == []


def test_hashes_of_files_for_other_machines_are_left_out() -> None:
    only = runpy.run_path(str(ROOT / "packaging" / "locked_hashes.py"))["only"]
    lock = "a==1 \\\n    --hash=sha256:11 \\\n    --hash=sha256:22\nb==2 \\\n    --hash=sha256:33\n"
    assert only(lock, {"11", "33"}) == "a==1 \\\n    --hash=sha256:11\nb==2 \\\n    --hash=sha256:33\n"
    with pytest.raises(ValueError, match="b==2 has no file"):
        only(lock, {"11"})
