# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Runs the PTF tests in parts: those in real time each on a switch in a network namespace of its own.

``python ptf_tests/run.py [--target embedded|bmv2|tna] [--jobs N] [--real-time] [test names] [ptf options]``. Ends with
PTF's status, the highest of all parts.
"""

import argparse
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from quench.targets import EMBEDDED, TARGETS
from support.network import PORTS, Namespace
from support.targets import PROCESSES, SEED, TargetError

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
VIRTUAL, REAL = "virtual", "real"
"""The beginnings of parts' names: which time they run in."""


@contextmanager
def _signals_unwind() -> Iterator[None]:
    """SIGTERM unwinds as SIGINT does, so that every process and namespace is ended."""

    def stop(number: int, _: object) -> None:
        raise KeyboardInterrupt(number)

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _ptf_command(*options: str) -> list[str]:
    return [
        *(str(Path(sys.executable).with_name("ptf")), "--test-dir", str(HERE / "tests"), "--pypath", str(HERE)),
        *options,
    ]


def _run(options: argparse.Namespace, part: str, names: list[str], ptf_options: list[str]) -> int:
    """Run PTF on these tests, with a switch that is started and ended, or in virtual time."""
    logs = _logs(options) / f"part-{part}"
    logs.mkdir(parents=True, exist_ok=True)
    row = TARGETS[options.target]
    build = (options.build or row.program.parent).resolve()
    parameters = f"target='{options.target}';build='{build}';seed={options.seed}"
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    log_options = ("--log-dir", str(logs), "--log-file", str(logs / "ptf.log"))
    if part.startswith(VIRTUAL):
        command = _ptf_command("--allow-user", "--platform", "dummy", *log_options, "--test-params", parameters)
        return subprocess.run([*command, *ptf_options, *names], check=False, env=environment).returncode
    with ExitStack() as stack:
        namespace = stack.enter_context(Namespace())
        target = stack.enter_context(PROCESSES[row.command](row, namespace, logs, options.seed))
        interfaces = [item for port in PORTS for item in ("-i", f"{port}@{namespace.tester_interface(port)}")]
        parameters += f";grpc='{target.grpc_address}';ports='{target.ports_address}'"
        command = _ptf_command(
            *("--qlen", "20000", "--disable-ipv6", *log_options), *interfaces, *("--test-params", parameters)
        )
        return namespace.run([*command, *ptf_options, *names], env=environment)


def _logs(options: argparse.Namespace) -> Path:
    return ROOT / "out" / "ptf" / str(options.target)


def _names(specifications: list[str], logs: Path) -> list[str]:
    """The tests that PTF would run, as ``file.Class``."""
    logs.mkdir(parents=True, exist_ok=True)
    command = _ptf_command("--list-test-names", "--log-file", str(logs / "list.log"), *specifications)
    listed = subprocess.run(command, check=True, capture_output=True, text=True, cwd=logs).stdout
    return [line for line in listed.splitlines() if line.count(".") == 1 and " " not in line]


def _parts(options: argparse.Namespace) -> dict[str, list[str]]:
    """The names of each part's tests."""
    logs = _logs(options)
    names = _names(options.tests, logs)
    virtual: list[str] = []
    if TARGETS[options.target].has_virtual_time and not options.real_time:
        in_real_time = frozenset(_names(["real_time"], logs))
        virtual = [name for name in names if name not in in_real_time]
    jobs = max(options.jobs, 1)
    real = [name for name in names if name not in virtual]
    parts = {
        f"{kind}-{part}": tests[part::jobs]
        for kind, tests in ((VIRTUAL, virtual), (REAL, real))
        for part in range(jobs)
    }
    return {part: chosen for part, chosen in parts.items() if chosen}


@contextmanager
def _ended(child: "subprocess.Popen[bytes]") -> Iterator[None]:
    """A child that is asked to end, and awaited, however the block is left."""
    try:
        yield
    finally:
        if child.poll() is None:
            child.terminate()
        child.wait()


def _run_parts(options: argparse.Namespace, parts: dict[str, list[str]], ptf_options: list[str]) -> int:
    """Run the parts beside each other, each in a process of its own, and print what each says at its end."""
    own = ["--target", options.target, "--seed", str(options.seed)]
    if options.build:
        own += ["--build", str(options.build)]
    status = 0
    with ExitStack() as stack:
        children = []
        for part, names in parts.items():
            output = stack.enter_context((_logs(options) / f"part-{part}.txt").open("w+b"))
            command = [sys.executable, __file__, *own, "--part", part, *ptf_options, *names]
            child = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)
            stack.enter_context(_ended(child))
            children.append((child, output))
        for child, output in children:
            status = max(status, abs(child.wait()))
            output.seek(0)
            sys.stdout.write(output.read().decode(errors="replace"))
    return status


def main() -> int:
    """Run the tests in one or several parts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tests", nargs="*", help="files or file.Class; other options are PTF's, as --option=value")
    parser.add_argument("--target", choices=sorted(TARGETS), default=EMBEDDED.name)
    parser.add_argument("--build", type=Path, help="folder of quench.json and quench.p4info.txtpb")
    parser.add_argument("--real-time", action="store_true", help="run all tests in real time, as on BMv2")
    parser.add_argument(
        "--jobs", type=int, default=len(os.sched_getaffinity(0)), help="parts in each time that run beside each other"
    )
    parser.add_argument("--seed", type=int, default=SEED, help="of the embedded switch (default: %(default)s)")
    parser.add_argument("--part", help=argparse.SUPPRESS)
    options, ptf_options = parser.parse_known_args()
    try:
        with _signals_unwind():
            parts = {options.part: options.tests} if options.part else _parts(options)
            if len(parts) != 1:
                return _run_parts(options, parts, ptf_options)
            ((part, names),) = parts.items()
            return _run(options, part, names, ptf_options)
    except TargetError as error:
        sys.stderr.write(f"ptf: {error}\n")
        return 1
    except KeyboardInterrupt:
        return 130
    except subprocess.CalledProcessError as error:
        sys.stderr.write(f"ptf: {' '.join(error.cmd)}: {(error.stderr or '').strip()}\n")
        return 1


if __name__ == "__main__":
    sys.exit(main())
