# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Runs the PTF tests, each part of them on a switch in a network namespace of its own.

``python ptf_tests/run.py [--target embedded|bmv2|tna] [--jobs N] [ptf options and test names]``. Ends with PTF's
status.
"""

import argparse
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from support.network import PORTS, Namespace
from support.targets import TARGETS, TargetError

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent


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


def _run(target_name: str, build: Path | None, logs: Path, ptf_options: list[str]) -> int:
    """Start the switch, run PTF, end everything."""
    logs.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        namespace = stack.enter_context(Namespace())
        target = TARGETS[target_name](namespace, logs)
        folder = (build or ROOT / target.build_folder).resolve()
        stack.enter_context(target)
        interfaces = [item for port in PORTS for item in ("-i", f"{port}@{namespace.tester_interface(port)}")]
        parameters = (
            f"target='{target_name}';build='{folder}';grpc='{target.grpc_address}';ports='{target.ports_address}'"
        )
        command = _ptf_command(
            *("--qlen", "20000", "--disable-ipv6", "--log-dir", str(logs), "--log-file", str(logs / "ptf.log")),
            *interfaces,
            *("--test-params", parameters),
            *ptf_options,
        )
        return namespace.run(command, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})


def _names(ptf_options: list[str], logs: Path) -> list[str]:
    """The tests that PTF would run, as ``file.Class``."""
    logs.mkdir(parents=True, exist_ok=True)
    command = _ptf_command("--list-test-names", "--log-file", str(logs / "list.log"), *ptf_options)
    listed = subprocess.run(command, check=True, capture_output=True, text=True, cwd=logs).stdout
    return [line for line in listed.splitlines() if line.count(".") == 1 and " " not in line]


@contextmanager
def _ended(child: "subprocess.Popen[bytes]") -> Iterator[None]:
    """A child that is asked to end, and awaited, however the block is left."""
    try:
        yield
    finally:
        if child.poll() is None:
            child.terminate()
        child.wait()


def _run_parts(jobs: int, names: list[str], options: list[str], logs: Path) -> int:
    """Run the tests in as many processes: most of their time, packets wait in a queue that sends one a second."""
    logs.mkdir(parents=True, exist_ok=True)
    status = 0
    with ExitStack() as stack:
        parts = []
        for part in range(jobs):
            output = stack.enter_context((logs / f"part-{part}.txt").open("w+b"))
            command = [sys.executable, __file__, *options, "--jobs", "1", "--part", str(part), *names[part::jobs]]
            child = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)
            stack.enter_context(_ended(child))
            parts.append((child, output))
        for child, output in parts:
            status = max(status, abs(child.wait()))
            output.seek(0)
            sys.stdout.write(output.read().decode(errors="replace"))
    return status


def main() -> int:
    """Run the tests in one or several parts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--target", choices=sorted(TARGETS), default="embedded")
    parser.add_argument("--build", type=Path, help="folder of quench.json and quench.p4info.txtpb")
    parser.add_argument(
        "--jobs",
        type=int,
        default=len(os.sched_getaffinity(0)),
        help="switches that run at a time; one with options of PTF",
    )
    parser.add_argument("--part", type=int, default=0, help=argparse.SUPPRESS)
    options, ptf_options = parser.parse_known_args()
    logs = ROOT / "out" / "ptf" / options.target
    try:
        with _signals_unwind():
            # PTF's own options may name files that two processes would both write.
            divisible = options.jobs > 1 and not any(option.startswith("-") for option in ptf_options)
            names = _names(ptf_options, logs) if divisible else []
            jobs = min(options.jobs, len(names))
            if jobs > 1:
                own = ["--target", options.target, *(("--build", str(options.build)) if options.build else ())]
                return _run_parts(jobs, names, own, logs)
            return _run(options.target, options.build, logs / f"part-{options.part}", ptf_options)
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
