# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Runs the PTF tests on a switch in a network namespace of their own.

``python ptf_tests/run.py [--target embedded|bmv2] [ptf options and test names]``. Ends with PTF's status.
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


def main() -> int:
    """Start the switch, run PTF, end everything."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--target", choices=sorted(TARGETS), default="embedded")
    parser.add_argument("--build", type=Path, help="folder of quench.json and quench.p4info.txtpb")
    options, ptf_options = parser.parse_known_args()
    logs = ROOT / "out" / "ptf" / options.target
    logs.mkdir(parents=True, exist_ok=True)
    try:
        with _signals_unwind(), ExitStack() as stack:
            namespace = stack.enter_context(Namespace())
            target = TARGETS[options.target](namespace, logs)
            build = (options.build or ROOT / target.build_folder).resolve()
            stack.enter_context(target)
            interfaces = [item for port in PORTS for item in ("-i", f"{port}@{namespace.tester_interface(port)}")]
            parameters = (
                f"target='{options.target}';build='{build}';grpc='{target.grpc_address}';ports='{target.ports_address}'"
            )
            command = [
                str(Path(sys.executable).with_name("ptf")),
                *("--test-dir", str(HERE / "tests"), "--pypath", str(HERE)),
                *("--qlen", "20000", "--disable-ipv6", "--log-dir", str(logs), "--log-file", str(logs / "ptf.log")),
                *interfaces,
                *("--test-params", parameters),
                *ptf_options,
            ]
            return namespace.run(command, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})
    except TargetError as error:
        sys.stderr.write(f"ptf: {error}\n")
        return 1
    except KeyboardInterrupt:
        return 130
    except subprocess.CalledProcessError as error:
        sys.stderr.write(f"ptf: {' '.join(error.cmd)}: {error.stderr.strip()}\n")
        return 1


if __name__ == "__main__":
    sys.exit(main())
