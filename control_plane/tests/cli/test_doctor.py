# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``quench doctor`` and what it looks at."""

import gzip
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from quench.cli import doctor_cmd
from quench.doctor import checks, kernel, probes
from quench.doctor.finding import Finding, State, finding
from quench_switch.version import VERSION
from typer.testing import CliRunner

REPOSITORY = Path(__file__).parents[3]
TIMEOUT_S = 60


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(doctor_cmd.app, list(arguments))
    return result.exit_code, result.output


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch) -> list[Finding]:
    """The findings of the command, for a test to fill."""
    listed: list[Finding] = []
    monkeypatch.setattr(doctor_cmd, "findings", lambda: iter(listed))
    return listed


def test_a_missing_thing_has_its_remedy_and_a_status(found: list[Finding]) -> None:
    found += [finding("basis", "Python", "3.11.2", ""), finding("networks", "tc", None, "apt-get install iproute2")]
    status, output = run()
    assert status == 1
    assert "  ok      Python: 3.11.2\n" in output
    assert "  MISSING tc\n          apt-get install iproute2\n" in output


def test_optional_and_unknown_things_are_no_faults(found: list[Finding]) -> None:
    found += [
        finding("others", "p4c", None, "build it", optional=True),
        Finding("hosts", "CONFIG_VETH", State.UNKNOWN, "no file"),
    ]
    status, output = run()
    assert status == 0
    assert "  absent  p4c\n" in output
    assert "  unknown CONFIG_VETH: no file\n" in output


def test_json_has_every_finding(found: list[Finding]) -> None:
    found.append(finding("networks", "tc", None, "apt-get install iproute2"))
    status, output = run("--json")
    assert status == 1
    assert json.loads(output) == [
        {
            "part": "networks",
            "name": "tc",
            "state": "missing",
            "found": "",
            "remedy": "apt-get install iproute2",
            "optional": False,
        }
    ]


def test_this_machine_has_what_the_tests_need() -> None:
    found = list(checks.findings())
    assert [each for each in found if each.fault] == []
    assert {each.part for each in found} == set(checks.PARTS)
    assert all(each.remedy for each in found if each.state is State.MISSING)


def test_the_packages_are_those_of_make_setup() -> None:
    makefile = (REPOSITORY / "Makefile").read_text(encoding="utf-8").replace("\\\n", " ")
    match = re.search(r"^PACKAGES := (.*)$", makefile, re.MULTILINE)
    assert match is not None
    assert set(checks.COMMANDS.values()) - {"util-linux"} <= set(match[1].split())


def test_a_user_without_rights_is_told_to_be_root(monkeypatch: pytest.MonkeyPatch) -> None:
    denied = ("sh", "-c", "echo 'unshare failed: Operation not permitted' >&2; exit 1")
    monkeypatch.setattr(probes, "NAMESPACES", {"network namespaces": (denied, "run as root")})
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    root, namespaces = probes.namespaces()
    assert (root.state, namespaces.state) == (State.MISSING, State.MISSING)
    assert namespaces.found == "unshare failed: Operation not permitted"


def test_a_module_that_does_not_load_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "broken_module.py").write_text("raise ImportError('wrong\\nlibrary')\n")
    monkeypatch.syspath_prepend(tmp_path)
    result = probes.imported("basis", "broken_module", "build it")
    assert (result.state, result.found, result.remedy) == (State.MISSING, "wrong library", "build it")


def test_the_kernels_options_come_from_either_file(tmp_path: Path) -> None:
    text = "CONFIG_VETH=m\n# CONFIG_NET_CLS_BPF is not set\nCONFIG_NET_NS=y\nCONFIG_HZ=250\n"
    options = {"CONFIG_VETH": "m", "CONFIG_NET_NS": "y"}
    assert kernel.read_options("6.1.0", tmp_path) is None
    (tmp_path / "boot").mkdir()
    (tmp_path / "boot" / "config-6.1.0").write_text(text)
    assert kernel.read_options("6.1.0", tmp_path) == options
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc" / "config.gz").write_bytes(gzip.compress(text.encode()))
    assert kernel.read_options("6.2.0", tmp_path) == options


def test_an_old_kernel_and_one_without_btf_are_faults(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    class Old:
        release = "5.10.0-8-amd64"

    monkeypatch.setattr("os.uname", Old)
    monkeypatch.setattr(kernel, "BTF", tmp_path / "none")
    monkeypatch.setattr(kernel, "read_options", lambda _: {"CONFIG_VETH": "m"})
    faults = {each.name for each in kernel.findings() if each.fault}
    assert {"Linux", "BTF", "CONFIG_NET_CLS_BPF"} <= faults
    assert "CONFIG_VETH" not in faults


@pytest.mark.parametrize(
    ("release", "version"), [("6.18.44-fc", (6, 18)), ("5.14.0", (5, 14)), ("10.0", (10, 0)), ("odd", (0, 0))]
)
def test_versions_are_compared_as_numbers(release: str, version: tuple[int, int]) -> None:
    assert kernel.version_of(release) == version


def test_the_version_is_printed() -> None:
    code = "from quench.cli.entry import main; main()"
    command = [sys.executable, "-c", code, "--version"]
    result = subprocess.run(command, capture_output=True, text=True, check=True, timeout=TIMEOUT_S)
    assert result.stdout == f"quench {VERSION}\n"
