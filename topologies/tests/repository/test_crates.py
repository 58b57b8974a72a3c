# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The Rust crates' rules for unsafe code and overflow; docs/reliability/unsafe-code.md says why."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

REPOSITORY = Path(__file__).parents[3]
WORKSPACES = {each: tomllib.loads((REPOSITORY / each / "Cargo.toml").read_text()) for each in ("softswitch", ".")}
CRATES = {
    str(Path(folder, member)): workspace
    for folder, workspace in WORKSPACES.items()
    for member in workspace["workspace"]["members"]
}
"""Folders, and the workspace of each."""
UNSAFE = {"softswitch/dataplane", "softswitch/realtime", "simulator"}
"""Crates with unsafe code. They are also those that forward packets, and no others may leave overflow unchecked."""
NOT_RELEASED = {"softswitch/fuzz", "simulator/fuzz", "p4src/tests"}
SIMULATORS = {"softswitch/capture", "softswitch/python-control"}
"""Crates that the simulator's module is built with, too: in its workspace profiles are set again."""


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


@pytest.mark.parametrize("workspace", WORKSPACES.values(), ids=WORKSPACES)
def test_unsafe_code_is_denied_where_no_module_allows_it(workspace: dict[str, Any]) -> None:
    lints = workspace["workspace"]["lints"]
    assert lints["rust"]["unsafe_code"] == "deny"
    assert lints["rust"]["unsafe_op_in_unsafe_fn"] == "deny"
    assert lints["clippy"]["undocumented_unsafe_blocks"] == "deny"
    assert lints["clippy"]["missing_safety_doc"] == "deny"


@pytest.mark.parametrize("crate", sorted(set(CRATES) - UNSAFE - NOT_RELEASED))
def test_releases_check_for_overflow(crate: str) -> None:
    name = tomllib.loads((REPOSITORY / crate / "Cargo.toml").read_text())["package"]["name"]
    for workspace in (CRATES[crate], *([WORKSPACES["."]] if crate in SIMULATORS else [])):
        assert workspace["profile"]["release"]["package"][name]["overflow-checks"] is True
