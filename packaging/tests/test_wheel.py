# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The wheel in a fresh environment, its commands without repository and network: `make test-wheel`."""

import json
import os
import re
import subprocess
import sys
import zipfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
WHEELS = REPOSITORY / "build" / "wheel"
TIMEOUT_S = 300
SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
DOCUMENTED = re.compile(r"```python\n(.*?)```", re.DOTALL)
INSTALLATION = re.compile(r"## From a wheel\n.*?```sh\n(.*?)```", re.DOTALL)


@pytest.fixture(scope="session")
def wheel() -> Path:
    """Built by `make wheel`."""
    (path,) = WHEELS.glob("quench_net-*.whl")
    return path


class Installed:
    """An environment with the wheel, and commands that see neither the repository nor a network."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.bin = folder / "quench" / "bin"
        self.work = folder / "work"
        self.work.mkdir()

    def run(self, *command: str, status: int = 0) -> str:
        """Run a command; it ends with the status. Its stdout, and its stderr if it failed."""
        # An empty file system takes the repository's place, so that nothing can be found there.
        hidden = 'ip link set lo up && mount -t tmpfs tmpfs "$1" && shift && exec "$@"'
        done = subprocess.run(
            ["unshare", "--net", "--mount", "sh", "-c", hidden, "sh", str(REPOSITORY), *command],
            check=False,
            capture_output=True,
            text=True,
            cwd=self.work,
            timeout=TIMEOUT_S,
            env={"PATH": f"{self.bin}:{SYSTEM_PATH}", "HOME": str(self.work), "LANG": "C.UTF-8"},
        )
        assert done.returncode == status, f"{command}: {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done.stdout if status == 0 else done.stdout + done.stderr


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """Installed by the commands of docs/how-to/install.md, in the folder with the wheel, by a user with a home there.

    Debian's Python modules are seen, for one of them is Mininet. The packages that the wheel needs are there before,
    in the locked versions: pip finds them and loads nothing.
    """
    made = Installed(tmp_path_factory.mktemp("wheel"))
    python = made.folder / "quench" / "bin" / "python"
    subprocess.run(["/usr/bin/python3", "-m", "venv", "--system-site-packages", made.bin.parent], check=True)
    uv = [Path(sys.executable).with_name("uv"), "pip"]
    versions = ("--constraints", REPOSITORY / "requirements.lock", f"quench-net[experiments] @ {wheel}")
    for arguments in (("install", "--native-tls", *versions), ("uninstall", "quench-net")):
        subprocess.run([*uv, *arguments, "--quiet", "--python", python], check=True, timeout=TIMEOUT_S)
    assert not (made.bin / "quench").exists()
    (made.folder / wheel.name).symlink_to(wheel)
    # Debian's packages are installed already, and another version of one is no business of this test's.
    (made.folder / "apt.conf").write_text('APT::Get::Simulate "true";\n')
    page = (REPOSITORY / "docs" / "how-to" / "install.md").read_text(encoding="utf-8")
    documented = INSTALLATION.search(page)
    assert documented is not None
    done = subprocess.run(
        ["bash", "-euc", documented[1]],
        check=False,
        capture_output=True,
        text=True,
        cwd=made.folder,
        timeout=TIMEOUT_S,
        env={
            "PATH": SYSTEM_PATH,
            "HOME": str(made.folder),
            "LANG": "C.UTF-8",
            "APT_CONFIG": str(made.folder / "apt.conf"),
            "PIP_NO_INDEX": "1",
            "PIP_NO_COMPILE": "1",
        },
    )
    assert done.returncode == 0, f"docs/how-to/install.md: {done.returncode}\n{done.stdout}\n{done.stderr}"
    return made


def test_the_wheel_is_for_every_python_and_one_platform(wheel: Path) -> None:
    assert re.search(r"-cp311-abi3-manylinux_2_\d+_(x86_64|aarch64)\.whl$", wheel.name)
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    assert not [name for name in names if "/tests/" in name or name.endswith((".pyc", ".rs"))]
    assert {name.partition("/")[0] for name in names if ".dist-info" not in name} == {
        *("quench", "quench_experiments", "quench_simulator", "quench_switch", "quench_topologies")
    }


def test_its_libraries_need_no_newer_glibc_than_it_says(wheel: Path, tmp_path: Path) -> None:
    """maturin looks only at the module that it builds itself."""
    (said,) = re.findall(r"-manylinux_2_(\d+)_", wheel.name)
    with zipfile.ZipFile(wheel) as archive:
        modules = [name for name in archive.namelist() if name.endswith("_native.abi3.so")]
        paths = [archive.extract(name, tmp_path) for name in modules]
    assert len(paths) == 2
    for path in paths:
        needed = subprocess.run(["readelf", "--version-info", path], check=True, capture_output=True, text=True).stdout
        assert max(int(minor) for minor in re.findall(r"\bGLIBC_2\.(\d+)", needed)) <= int(said)


def test_the_wheel_names_neither_the_folder_nor_the_time_of_its_build(wheel: Path) -> None:
    """Another build of the commit would differ in these; `make reproduce` compares two whole builds."""
    bill = json.loads(next(wheel.parent.glob("*.cdx.json")).read_text())
    committed = datetime.fromisoformat(bill["metadata"]["timestamp"]).astimezone(UTC)
    # A zip counts in steps of two seconds.
    committed -= timedelta(seconds=committed.second % 2)
    folders = [str(each).encode() for each in (REPOSITORY, Path.home() / ".cargo")]
    with zipfile.ZipFile(wheel) as archive:
        entries = archive.infolist()
        naming = [each.filename for each in entries if any(folder in archive.read(each) for folder in folders)]
    assert naming == []
    assert {each.date_time for each in entries} == {committed.timetuple()[:6]}
    assert {each.external_attr >> 16 & 0o777 for each in entries} == {0o644, 0o755}
    # maturin has an order of its own for the files of .dist-info.
    names = [Path(each.filename).parts for each in entries if ".dist-info/" not in each.filename]
    assert names == sorted(names)


def test_the_loader_needs_no_library(installed: Installed) -> None:
    places = "from quench import places; print(places.HOST_LOADER, places.INSTALLED)"
    path, from_wheel = installed.run("python", "-c", places).split()
    assert from_wheel == "True"
    assert os.access(path, os.X_OK)
    headers = subprocess.run(["readelf", "--program-headers", path], check=True, capture_output=True, text=True).stdout
    assert "INTERP" not in headers
    assert "usage: quench-host" in installed.run("quench", "host", "--help")


def test_the_command_knows_its_version_and_its_parts(installed: Installed) -> None:
    assert re.fullmatch(r"quench \d+\.\d+\.\d+\n", installed.run("quench", "--version"))
    findings = installed.run("quench", "doctor")
    assert "MISSING" not in findings
    assert "quench_switch._native" in findings
    assert "quench_simulator._native" in findings


def test_it_compiles_and_tests_a_program(installed: Installed) -> None:
    programs = REPOSITORY / "softswitch" / "tests" / "programs" / "headers"
    for name in ("checksums.p4", "checksums.stf"):
        (installed.work / name).write_bytes((programs / name).read_bytes())
    installed.run("quench", "compile", "checksums.p4", "-o", "out")
    assert (installed.work / "out" / "checksums.json").is_file()
    assert "PASS" in installed.run("quench", "stf", "checksums.p4")


def test_it_compiles_its_own_sources(installed: Installed) -> None:
    again = """
import subprocess
from quench.places import P4_SOURCES
from quench.targets import EMBEDDED, TNA
for target in (EMBEDDED, TNA):
    compiled = target.program
    arch = target.architecture.arch
    source = P4_SOURCES / compiled.with_suffix(".p4").name
    extended = ["-D", "QUENCH_EXTENDED"] if target is EMBEDDED else []
    subprocess.run(["quench", "compile", "--arch", arch, *extended, str(source), "-o", "again"], check=True)
    name = compiled.with_suffix(".p4info.txtpb").name
    print(target.name, open(f"again/{name}").read() == (compiled.parent / name).read_text())
"""
    assert installed.run("python", "-c", again) == "embedded True\ntna True\n"


def test_a_switch_runs(installed: Installed) -> None:
    script = r"""
ip link add veth0 type veth peer name veth1
quench switch "$(python -c 'from quench.places import PROGRAM; print(PROGRAM)')" -i 1@veth0 2>log &
switch=$!
for _ in $(seq 600); do
    grep --quiet "listening on" log && break
    kill -0 $switch || break
    sleep 0.1
done
kill -INT $switch && wait $switch
status=$?
cat log
exit $status
"""
    assert "listening on 127.0.0.1:9559" in installed.run("bash", "-c", script)


def test_a_simulation_runs(installed: Installed) -> None:
    page = (REPOSITORY / "docs" / "reference" / "simulator.md").read_text(encoding="utf-8")
    example = DOCUMENTED.search(page)
    assert example is not None
    installed.run("python", "-c", example[1])


def test_a_simulation_can_be_watched(installed: Installed) -> None:
    """Its page is served, without Mininet and without root's powers."""
    watch = "setpriv --bounding-set=-all quench live --simulate n1 --listen 127.0.0.1:0 >address & "
    until = "until grep -q ^Open address; do kill -0 $! && sleep 0.1 || exit 1; done; kill $!; wait $! || [ $? = 143 ]"
    installed.run("sh", "-c", watch + until)


def test_experiments_run(installed: Installed) -> None:
    assert "P1.E" in installed.run("quench", "experiment", "list")
    installed.run("quench", "experiment", "run", "P1.E", "--quick", "--seeds", "1")


def test_the_demo_runs(installed: Installed) -> None:
    options = ("--scheme", "ecn", "--pairs", "2", "--flows", "4", "--seconds", "3", "--warmup", "1s")
    assert "utilisation" in installed.run("quench", "demo", *options)
    assert (installed.work / "out" / "demo" / "report.html").is_file()
