# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The workflows, the citation, and the wheel's dependencies."""

import os
import re
import runpy
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from quench_switch.version import VERSION

REPOSITORY = Path(__file__).resolve().parents[2]
WORKFLOWS = sorted((REPOSITORY / ".github" / "workflows").iterdir())
WORKFLOW = REPOSITORY / ".github" / "workflows" / "release.yml"


@pytest.fixture
def workflow() -> dict[Any, Any]:
    read: dict[Any, Any] = yaml.safe_load(WORKFLOW.read_text(encoding="utf-8"))
    return read


def test_each_job_can_run(workflow: dict[Any, Any]) -> None:
    """The keys that GitHub requires, and jobs and steps that refer to what there is."""
    # YAML 1.1 reads the key `on` as true.
    assert set(workflow) == {"name", True, "permissions", "jobs"}
    assert workflow[True]["push"]["tags"] == ["v*"]
    for job in workflow["jobs"].values():
        assert {"runs-on", "steps"} <= set(job)
        assert set(filter(None, [job.get("needs")])) <= set(workflow["jobs"])
        for step in job["steps"]:
            assert ("run" in step) != ("uses" in step)
            if "uses" in step:
                assert re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}", step["uses"])
            for goal in re.findall(r"^make ([a-z-]+)$", step.get("run", ""), re.MULTILINE):
                assert f"\n{goal}:" in (REPOSITORY / "Makefile").read_text(encoding="utf-8")


def test_a_pull_request_runs_what_a_contributor_runs() -> None:
    check = yaml.safe_load((REPOSITORY / ".github" / "workflows" / "check.yml").read_text(encoding="utf-8"))
    assert "pull_request" in check[True]
    assert check["permissions"] == {"contents": "read"}
    assert [step["run"] for step in check["jobs"]["check"]["steps"] if "run" in step][-1] == ".ci/run"


def test_both_architectures_are_built_and_published(workflow: dict[Any, Any]) -> None:
    jobs = workflow["jobs"]
    matrix = jobs["wheel"]["strategy"]["matrix"]["include"]
    assert {each["machine"] for each in matrix} == {"x86_64", "aarch64"}
    uploads = [step["with"] for step in jobs["wheel"]["steps"] if "upload-artifact" in step.get("uses", "")]
    downloads = [step["with"] for step in jobs["publish"]["steps"] if "download-artifact" in step.get("uses", "")]
    assert [each["name"] for each in uploads] == [
        *("wheel-${{ matrix.machine }}", "bill-of-materials-${{ matrix.machine }}")
    ]
    assert [each["pattern"] for each in downloads] == ["wheel-*"]


def test_only_publishing_may_ask_for_an_identity(workflow: dict[Any, Any]) -> None:
    assert workflow["permissions"] == {"contents": "read"}
    rights = {name: job.get("permissions") for name, job in workflow["jobs"].items()}
    assert rights == {"wheel": None, "publish": {"id-token": "write"}}
    assert workflow["jobs"]["publish"]["if"] == "github.ref_type == 'tag'"


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_every_action_is_a_commit_with_its_version_beside_it(path: Path) -> None:
    lines = [line.strip() for line in path.read_text(encoding="utf-8").splitlines() if re.search(r"\buses:", line)]
    assert lines
    pinned = re.compile(r"(- )?uses: [\w-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+")
    assert [line for line in lines if not pinned.fullmatch(line)] == []


def unpinned(text: str) -> list[str]:
    """Commands in a shell's or make's text that install something of a registry without a hash of it."""
    commands = re.split(r"\n|&&|\|\||;", text.replace("\\\n", " "))
    installing = re.compile(
        r"\b(pip3?|pipx|uv|cargo|npm|go|gem)\s+(install|wheel|download|add)\b|\b(curl|wget|npx|uvx)\s|\$\(UV_INSTALL\)"
    )
    # The repository's own packages are folders; cargo takes the checksums of Cargo.lock.
    pinned = re.compile(r"--require-hashes\b|--no-build-isolation(\s+-e\s+[a-z_]+)+\s*$|^UV_INSTALL =|\becho\b")
    commands = [each.strip() for each in commands if not each.lstrip().startswith("#")]
    return [each for each in commands if installing.search(each) and not pinned.search(each)]


@pytest.mark.parametrize(
    ("command", "found"),
    [
        ("pip install uv==0.13.9", True),
        ("build/uv/bin/pip install --quiet \\\n  uv", True),
        ("true && cargo install cargo-cyclonedx", True),
        ("curl -LsSf https://example.org/install.sh | sh", True),
        ("$(UV_INSTALL) trustme", True),
        ("$(UV_INSTALL) --no-build-isolation -e topologies trustme", True),
        ("$(UV_INSTALL) --no-build-isolation -e topologies -e control_plane", False),
        ("pip install --no-deps --require-hashes -r requirements.lock", False),
        ("make test-wheel", False),
    ],
)
def test_a_tool_without_a_hash_is_found(command: str, found: bool) -> None:
    assert bool(unpinned(command)) == found


@pytest.mark.parametrize("path", [*WORKFLOWS, REPOSITORY / "Makefile"], ids=lambda path: path.name)
def test_every_tool_is_installed_by_its_hash(path: Path) -> None:
    """In the workflows, and in the Makefile, which they run. Debian's packages have signatures."""
    assert unpinned(path.read_text(encoding="utf-8")) == []


def test_the_release_builds_twice_and_compares(workflow: dict[Any, Any]) -> None:
    commands = [step.get("run") for step in workflow["jobs"]["wheel"]["steps"]]
    assert commands.index("make test-wheel") < commands.index("make reproduce")


@pytest.mark.parametrize(("tag", "status"), [(f"v{VERSION}", 0), ("v99.0", 1)])
def test_a_tag_must_be_the_version(workflow: dict[Any, Any], tag: str, status: int) -> None:
    (check,) = [step["run"] for step in workflow["jobs"]["wheel"]["steps"] if step.get("if")]
    environment = {**os.environ, "GITHUB_REF_NAME": tag}
    assert subprocess.run(["sh", "-c", check], check=False, cwd=REPOSITORY, env=environment).returncode == status


def test_the_citation_has_the_version() -> None:
    citation = yaml.safe_load((REPOSITORY / "CITATION.cff").read_text(encoding="utf-8"))
    assert {"cff-version", "message", "title", "authors"} <= set(citation)
    assert citation["version"] == VERSION
    assert citation["license"] == "Apache-2.0"


def test_every_dependency_of_the_packages_is_in_the_wheel() -> None:
    stage = runpy.run_path(str(REPOSITORY / "packaging" / "wheel" / "stage.py"))
    settings = stage["settings"]()
    basic, extra = settings["dependencies"], settings["experiments"]
    assert isinstance(basic, list)
    assert isinstance(extra, list)
    declared = set()
    for folder in stage["PACKAGES"].values():
        project = tomllib.loads((REPOSITORY / folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        declared |= {each for each in project["dependencies"] if not each.startswith("quench")}
    assert {*basic, *extra} == declared
    assert not {*basic} & {*extra}
