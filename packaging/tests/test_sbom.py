# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The bill of materials that `make wheel` writes beside the wheel and into it."""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

REPOSITORY = Path(__file__).resolve().parents[2]
WHEELS = REPOSITORY / "build" / "wheel"


@pytest.fixture(scope="module")
def path() -> Path:
    """Made by `make wheel`."""
    (found,) = WHEELS.glob("quench_net-*.cdx.json")
    return found


@pytest.fixture(scope="module")
def bill(path: Path) -> dict[str, Any]:
    read: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return read


def components(bill: dict[str, Any], kind: str) -> dict[tuple[str, str], dict[str, Any]]:
    """Those of a package manager, by name and version."""
    found = [each for each in bill["components"] if each.get("purl", "").startswith(f"pkg:{kind}/")]
    return {(each["name"], each["version"]): each for each in found}


def normal(name: str) -> str:
    """The name as PyPI compares it; this folder hides the package `packaging`, which has a function for it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def locked() -> dict[str, tuple[str, set[str]]]:
    """Version and hashes of each package of requirements.lock."""
    found = {}
    for block in re.split(r"(?<!\\)\n", (REPOSITORY / "requirements.lock").read_text(encoding="utf-8")):
        if block and not block.startswith("#"):
            name, version = block.partition(" ")[0].split("==")
            found[normal(name)] = version, set(re.findall(r"sha256:([0-9a-f]{64})", block))
    return found


def test_it_is_valid_by_the_schema(path: Path) -> None:
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(path.read_text(encoding="utf-8")) is None


def test_the_wheel_has_a_copy(path: Path) -> None:
    (wheel,) = WHEELS.glob("quench_net-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        (inside,) = [name for name in archive.namelist() if ".dist-info/sboms/" in name]
        assert Path(inside).name == path.name
        assert archive.read(inside) == path.read_bytes()


NATIVES = ("quench-switch-python", "quench-simulator-python")


def test_it_lists_the_crates_of_the_native_modules_and_no_other(bill: dict[str, Any]) -> None:
    """Not those of tests. Cargo's metadata has too many: the features that other crates of the workspace ask for."""
    lines: dict[str, set[str]] = {"normal,build": set(), "normal,no-proc-macro": set()}
    for edges, found in lines.items():
        for native in NATIVES:
            command = ["cargo", "tree", "--locked", "--package", native, "--no-dedupe", "--prefix", "none"]
            output = subprocess.run(
                [*command, "--edges", edges], check=True, capture_output=True, text=True, cwd=REPOSITORY
            ).stdout
            found |= set(output.splitlines())
    every, linked = ({tuple(line.split()[:2]) for line in lines[edges]} for edges in lines)
    crates = [each for each in bill["components"] if each.get("purl", "pkg:cargo/").startswith("pkg:cargo/")]
    assert {(each["name"], f"v{each['version']}") for each in crates} == every
    assert {(each["name"], f"v{each['version']}") for each in crates if each["scope"] == "required"} == linked
    ours = {line.split()[0] for line in lines["normal,build"] if f"({REPOSITORY}/" in line}
    assert {each["name"] for each in crates if "purl" not in each} == ours


def test_crates_have_the_checksums_of_the_lock_and_licences(bill: dict[str, Any]) -> None:
    lock = tomllib.loads((REPOSITORY / "Cargo.lock").read_text(encoding="utf-8"))
    checksums = {(each["name"], each["version"]): each.get("checksum") for each in lock["package"]}
    for key, crate in components(bill, "cargo").items():
        assert crate["hashes"] == [{"alg": "SHA-256", "content": checksums[key]}]
        assert crate["licenses"]


@pytest.mark.parametrize("package", ["quench_switch", "quench_simulator"])
def test_crates_whose_code_is_in_a_native_module_are_required(package: str, bill: dict[str, Any]) -> None:
    """Panics name the files of the crates that they are in."""
    (wheel,) = WHEELS.glob("quench_net-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        module = archive.read(f"{package}/_native.abi3.so")
    named = set(re.findall(rb"/cargo/registry/src/[^/]+/([\w-]+?)-(\d+\.\d+\.\d+)/src/", module))
    crates = components(bill, "cargo")
    scopes = {crates[name.decode(), version.decode()]["scope"] for name, version in named}
    assert len(named) > 10
    assert scopes == {"required"}


def test_it_lists_the_locked_packages_that_the_wheel_asks_for(bill: dict[str, Any], tmp_path: Path) -> None:
    """uv's own answer to what it would install into an empty folder, of the locked versions, is the other source."""
    (wheel,) = WHEELS.glob("quench_net-*.whl")
    uv = [Path(sys.executable).with_name("uv"), "pip", "install", "--native-tls", "--dry-run", "--target", tmp_path]
    for extra, scopes in (("", {"required"}), ("[experiments]", {"required", "optional"})):
        command = [*uv, "--constraints", REPOSITORY / "requirements.lock", f"quench-net{extra} @ {wheel}"]
        answer = subprocess.run(command, check=True, capture_output=True, text=True).stderr
        installed = {(normal(name), version) for name, version in re.findall(r"^ \+ (\S+)==(\S+)", answer, re.M)}
        listed = {key for key, each in components(bill, "pypi").items() if each["scope"] in scopes}
        assert listed == {key for key in installed if key[0] != "quench-net"}


def test_packages_have_the_hashes_of_the_lock(bill: dict[str, Any]) -> None:
    lock = locked()
    for (name, version), package in components(bill, "pypi").items():
        (files,) = package["externalReferences"]
        assert (version, {each["content"] for each in files["hashes"]}) == lock[name]


def test_it_has_the_libraries_that_the_loader_is_linked_with(bill: dict[str, Any]) -> None:
    makefile = (REPOSITORY / "host_stack" / "Makefile").read_text(encoding="utf-8")
    (linked,) = re.findall(r"-static (.*)$", makefile, re.MULTILINE)
    assert linked == "-lbpf -lelf -lz -pthread"
    libraries = {"libbpf-dev", "libelf-dev", "zlib1g-dev", "libc6-dev"}
    assert {name for name, _ in components(bill, "deb")} == libraries


def test_everything_in_it_is_reached_from_the_wheel(bill: dict[str, Any]) -> None:
    below = {each["ref"]: each.get("dependsOn", []) for each in bill["dependencies"]}
    reached: set[str] = set()
    waiting = [bill["metadata"]["component"]["bom-ref"]]
    while waiting:
        reference = waiting.pop()
        if reference not in reached:
            reached.add(reference)
            waiting += below[reference]
    assert reached - {bill["metadata"]["component"]["bom-ref"]} == {each["bom-ref"] for each in bill["components"]}


@pytest.mark.parametrize(("later_s", "same"), [(0, True), (1, False)])
def test_the_same_commit_has_the_same_bill(
    path: Path, bill: dict[str, Any], tmp_path: Path, later_s: int, same: bool
) -> None:
    shutil.copy(WHEELS / "source" / "pyproject.toml", tmp_path)
    commit_s = int(datetime.fromisoformat(bill["metadata"]["timestamp"]).timestamp())
    script = REPOSITORY / "packaging" / "wheel" / "sbom.py"
    # Python draws the order of its sets anew in each process.
    environment = {**os.environ, "SOURCE_DATE_EPOCH": str(commit_s + later_s), "PYTHONHASHSEED": "7"}
    subprocess.run([sys.executable, script, tmp_path], check=True, env=environment)
    made = (tmp_path / path.name).read_bytes()
    assert (made == path.read_bytes()) == same
