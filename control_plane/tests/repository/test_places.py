# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""One version, and one declaration of where files stand."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from quench import places
from quench_switch.version import VERSION

REPOSITORY = Path(__file__).parents[3]
PYPROJECTS = [path for path in REPOSITORY.glob("*/**/pyproject.toml") if "build" not in path.parts]
PYTHON = ("control_plane", "experiments", "simulator/python", "softswitch/python", "topologies")


def toml(path: str | Path) -> Any:
    return tomllib.loads((REPOSITORY / path).read_text(encoding="utf-8"))


def test_cargo_has_the_version() -> None:
    """The packages read it themselves, and a test of the release compares the citation."""
    assert toml("Cargo.toml")["workspace"]["package"]["version"] == VERSION
    assert [path for path in PYPROJECTS if "version" not in toml(path)["project"]["dynamic"]] == []


def test_the_paths_are_those_of_the_repository() -> None:
    assert places.ROOT == REPOSITORY
    assert not places.INSTALLED
    for path in (places.P4_SOURCES / "quench.p4", places.PAPERS / "P1.B.yaml", places.NS2 / "reference.yaml"):
        assert path.is_file()


@pytest.mark.parametrize("folder", PYTHON)
def test_no_other_module_looks_for_the_repository(folder: str) -> None:
    """A path that is made from a module's own leaves its package in a wheel."""
    climbs = re.compile(r"__file__\)(\.resolve\(\))?\.(parents\[|parent\.parent)")
    package = [path for path in (REPOSITORY / folder).glob("quench*/**/*.py") if path != Path(places.__file__)]
    assert package
    assert [str(path) for path in package if climbs.search(path.read_text(encoding="utf-8"))] == []
