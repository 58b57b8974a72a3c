# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The Rust crates' rules for unsafe code and overflow; docs/reliability/unsafe-code.md says why."""

import subprocess
import tomllib
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[3]
WORKSPACE = tomllib.loads((REPOSITORY / "Cargo.toml").read_text())
CRATES = WORKSPACE["workspace"]["members"]
"""Their folders."""
UNSAFE = {"softswitch/dataplane", "softswitch/realtime", "simulator", "bench/wire"}
"""Crates with unsafe code. They are also those that forward packets, and no others may leave overflow unchecked."""
NOT_RELEASED = {"softswitch/fuzz", "simulator/fuzz", "p4src/tests", "bench/wire"}
NATIVES = {"softswitch/python", "simulator/python"}
"""Crates that are Python modules, and have their tests in Python."""


def name_of(crate: str) -> str:
    name: str = tomllib.loads((REPOSITORY / crate / "Cargo.toml").read_text())["package"]["name"]
    return name


@pytest.mark.parametrize("crate", CRATES)
def test_a_crate_forbids_unsafe_code_unless_it_needs_some(crate: str) -> None:
    forbids = "#![forbid(unsafe_code)]" in (REPOSITORY / crate / "src" / "lib.rs").read_text()
    sources = [path.read_text() for path in (REPOSITORY / crate / "src").rglob("*.rs")]
    needs = any("allow(unsafe_code)" in source for source in sources)
    assert (forbids, needs) == (crate not in UNSAFE, crate in UNSAFE)


@pytest.mark.parametrize("crate", CRATES)
def test_a_crate_has_the_lints_of_the_workspace(crate: str) -> None:
    manifest = tomllib.loads((REPOSITORY / crate / "Cargo.toml").read_text())
    assert manifest["lints"] == {"workspace": True}


@pytest.mark.parametrize("crate", [each for each in CRATES if each.startswith("softswitch/")])
def test_a_crate_of_softswitch_needs_none_of_quench(crate: str) -> None:
    manifest = tomllib.loads((REPOSITORY / crate / "Cargo.toml").read_text())
    needed = {name for kind in ("", "dev-", "build-") for name in manifest.get(f"{kind}dependencies", {})}
    ours = {name_of(each) for each in CRATES if not each.startswith("softswitch/")}
    assert needed & ours == set()


def test_unsafe_code_is_denied_where_no_module_allows_it() -> None:
    lints = WORKSPACE["workspace"]["lints"]
    assert lints["rust"]["unsafe_code"] == "deny"
    assert lints["rust"]["unsafe_op_in_unsafe_fn"] == "deny"
    assert lints["clippy"]["undocumented_unsafe_blocks"] == "deny"
    assert lints["clippy"]["missing_safety_doc"] == "deny"


@pytest.mark.parametrize("crate", sorted(set(CRATES) - UNSAFE - NOT_RELEASED))
def test_releases_check_for_overflow(crate: str) -> None:
    assert WORKSPACE["profile"]["release"]["package"][name_of(crate)]["overflow-checks"] is True


@pytest.mark.parametrize("crate", sorted(set(CRATES) - NATIVES))
def test_tests_have_every_check(crate: str) -> None:
    profile = WORKSPACE["profile"]["bench"]["package"][name_of(crate)]
    assert profile == {"opt-level": 0, "debug-assertions": True, "overflow-checks": True}


def test_both_native_modules_are_built_with_the_same_crates() -> None:
    """A feature of one alone means a second build of all that depends on it: softswitch/python-control names those."""
    trees = []
    for crate in NATIVES:
        command = ["cargo", "tree", "--locked", "--offline", "--package", name_of(crate), "--edges", "no-dev"]
        command += ["--prefix", "none", "--no-dedupe", "--format", "{p} {f}"]
        lines = subprocess.run(command, cwd=REPOSITORY, check=True, capture_output=True, text=True).stdout
        features: dict[str, set[str]] = {}
        for line in lines.splitlines():
            package, _, enabled = line.rpartition(" ")
            features.setdefault(package, set()).add(enabled)
        trees.append(features)
    shared = trees[0].keys() & trees[1].keys()
    assert {each for each in shared if trees[0][each] != trees[1][each]} == set()
    assert any(each.startswith("quench-dataplane ") for each in shared)
