# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The Rust crates' rules for unsafe code and overflow; docs/reliability/unsafe-code.md says why."""

import tomllib
from pathlib import Path

import pytest

WORKSPACE = Path(__file__).parents[3]
MANIFEST = tomllib.loads((WORKSPACE / "Cargo.toml").read_text())
CRATES = MANIFEST["workspace"]["members"]
UNSAFE = {"dataplane", "netsim", "switchd"}
"""Crates with unsafe code. They are also those that forward packets, and no others may leave overflow unchecked."""
NOT_RELEASED = {"fuzz"}


@pytest.mark.parametrize("crate", CRATES)
def test_a_crate_forbids_unsafe_code_unless_it_needs_some(crate: str) -> None:
    forbids = "#![forbid(unsafe_code)]" in (WORKSPACE / crate / "src" / "lib.rs").read_text()
    sources = [path.read_text() for path in (WORKSPACE / crate / "src").rglob("*.rs")]
    needs = any("allow(unsafe_code)" in source for source in sources)
    assert (forbids, needs) == (crate not in UNSAFE, crate in UNSAFE)


@pytest.mark.parametrize("crate", CRATES)
def test_a_crate_has_the_lints_of_the_workspace(crate: str) -> None:
    manifest = tomllib.loads((WORKSPACE / crate / "Cargo.toml").read_text())
    assert manifest["lints"] == {"workspace": True}


def test_unsafe_code_is_denied_where_no_module_allows_it() -> None:
    lints = MANIFEST["workspace"]["lints"]
    assert lints["rust"]["unsafe_code"] == "deny"
    assert lints["rust"]["unsafe_op_in_unsafe_fn"] == "deny"
    assert lints["clippy"]["undocumented_unsafe_blocks"] == "deny"
    assert lints["clippy"]["missing_safety_doc"] == "deny"


@pytest.mark.parametrize("crate", sorted(set(CRATES) - UNSAFE - NOT_RELEASED))
def test_releases_check_for_overflow(crate: str) -> None:
    name = tomllib.loads((WORKSPACE / crate / "Cargo.toml").read_text())["package"]["name"]
    assert MANIFEST["profile"]["release"]["package"][name]["overflow-checks"] is True
