# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Where no network can be made, commands end at once, in a line that says what to do."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from quench_topologies.demo.cli import app as demo
from quench_topologies.errors import TopologyError
from quench_topologies.net.cli import app as net
from quench_topologies.preconditions import PACKAGES, check_folder, check_machine
from quench_topologies.soak.cli import app as soak
from typer.testing import CliRunner

TIMEOUT_S = 60
"""Against a hang; it takes a moment."""
CHECK = """
from quench_topologies.errors import TopologyError
from quench_topologies.preconditions import check_machine
try:
    check_machine()
except TopologyError as error:
    print(error)
"""
# Everything of this machine under a folder that is no mount point itself, as debootstrap leaves one.
CHROOT = r"""
cd "$1" && shift
for entry in /*; do
    name=${entry#/}
    if [ -L "$entry" ]; then cp -d "$entry" "$name"
    elif [ -d "$entry" ]; then mkdir "$name"; mount --rbind "$entry" "$name"; fi
done
exec chroot . "$@"
"""


def words_of(*prefix: str) -> str:
    """The error of the check in a process that this command starts; nothing where all is well."""
    command = [*prefix, sys.executable, "-c", CHECK]
    return subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, check=True).stdout.strip()


@pytest.mark.netns
def test_this_machine_will_do() -> None:
    check_machine()


@pytest.mark.netns
def test_another_user_is_told_to_be_root() -> None:
    # The user changes after the imports, for the folders of the modules may be closed to others.
    code = CHECK.replace("\ntry:", "\nimport os\nos.setuid(65534)\ntry:")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=TIMEOUT_S, check=True)
    assert done.stdout == "namespaces cannot be made here (unshare: Operation not permitted): run as root\n"


@pytest.mark.netns
@pytest.mark.parametrize(
    ("capability", "words"),
    [
        (
            "sys_admin",
            "namespaces cannot be made here (unshare: Operation not permitted): start the container with all",
        ),
        ("net_admin", "pairs of interfaces cannot be made here (RTNETLINK answers: Operation not permitted): start"),
    ],
)
def test_a_container_without_a_right(capability: str, words: str) -> None:
    assert words_of("setpriv", "--bounding-set", f"-{capability}", "--inh-caps", f"-{capability}").startswith(words)


@pytest.mark.netns
def test_root_of_a_user_namespace_only() -> None:
    assert words_of("unshare", "--user", "--map-root-user").endswith("run as the machine's root")


@pytest.mark.netns
def test_a_chroot_whose_root_is_no_mount_point(tmp_path: Path) -> None:
    words = words_of("unshare", "--mount", "sh", "-euc", CHROOT, "sh", str(tmp_path))
    assert words.startswith("the root folder is no mount point")
    assert words.endswith("before 'chroot DIR', make it one by 'mount --bind DIR DIR'")


@pytest.mark.parametrize("missing", PACKAGES)
def test_a_program_that_is_missing(missing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for program in PACKAGES:
        if program != missing:
            (tmp_path / program).write_text("#!/bin/sh\nexit 1\n")
            (tmp_path / program).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(
        TopologyError, match=rf"{missing} is not on PATH: install Debian's package '{PACKAGES[missing]}'"
    ):
        check_machine()


def test_a_probe_that_never_ends_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mnexec = tmp_path / "mnexec"
    mnexec.write_text("#!/bin/sh\nexec sleep 1000\n")
    mnexec.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setattr("quench_topologies.preconditions.PROBE_S", 0.1)
    with pytest.raises(TopologyError, match=r"did not end within 0\.1 s"):
        check_machine()


@pytest.mark.parametrize(
    ("app", "arguments"),
    [(net, ["n1"]), (net, ["vw", "--traffic", "3"]), (demo, ["--scheme", "ecn"]), (soak, [])],
    ids=["net", "net with traffic", "demo", "soak"],
)
def test_each_command_checks_before_it_says_or_makes_anything(
    app: object, arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    result = CliRunner().invoke(app, arguments)  # type: ignore[arg-type]
    assert result.exit_code == 1
    assert result.stdout == ""
    (line,) = result.stderr.splitlines()
    assert line.endswith("mnexec is not on PATH: install Debian's package 'mininet' ('make setup' does)")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("place", ["/proc/captures", "/etc/passwd/captures"])
def test_a_folder_in_which_nothing_can_be_made(place: str) -> None:
    with pytest.raises(TopologyError, match=f"--pcap {place}: no files can be made here"):
        check_folder("--pcap", Path(place))


def test_a_folder_that_can_be_made_is_not_made_by_the_check(tmp_path: Path) -> None:
    check_folder("--out", tmp_path / "a" / "b")
    assert list(tmp_path.iterdir()) == []
