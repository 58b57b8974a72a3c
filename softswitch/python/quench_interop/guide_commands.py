# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The demos of p4-guide whose READMEs have commands for simple_switch_CLI: those commands, and packets."""

import json
import re
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from quench_interop.sandbox import Example, InteropError, Sandbox

DEMO_S = 120.0
COMMAND = re.compile(r"^ {0,4}((?:table_add|table_set_default|mirroring_add|mc_\w+_\w+) [^<\n]*)$", re.MULTILINE)
"""Examples in prose have names in angle brackets."""
PACKETS_OUT = Path(__file__).with_name("packets_out.py")
INTERFACES = " ".join(f"-i {port}@veth{2 * port}" for port in range(8))
START = """
p4c --target bmv2 --arch v1model {program}.p4
simple_switch --log-console --dump-packet-data 10000 {interfaces} {program}.json >switch.log 2>&1 &
tries=0
until ss -ltn | grep -q ':9090 '; do
    tries=$((tries + 1))
    [ $tries -lt 100 ] || {{ cat switch.log; exit 1; }}
    sleep 0.1
done
simple_switch_CLI <commands.txt >commands.log 2>&1
"""


@dataclass(frozen=True)
class Demo:
    """A demo, and the ports on which its README says that packets come out, by address."""

    folder: str
    program: str
    ports: tuple[tuple[str, tuple[int, ...]], ...]


DEMOS = (
    Demo("demo3", "demo3.p4_16", (("10.1.0.200", (1,)), ("10.1.0.1", (2,)), ("10.1.0.34", ()))),
    Demo("demo5", "demo5.p4_16", (("10.1.0.200", (1,)), ("10.1.0.1", (2,)), ("10.1.0.34", ()))),
    Demo("demo6", "demo6.p4_16", (("10.1.0.200", (4,)), ("10.1.0.1", (2,)), ("10.1.0.34", ()))),
    Demo(
        "v1model-special-ops",
        "v1model-special-ops",
        (
            ("10.1.0.101", (2,)),  # resubmitted
            ("10.1.0.201", (2,)),  # recirculated
            ("10.3.0.55", (1, 4)),  # cloned at ingress
            ("10.47.1.1", (0, 5)),  # cloned at egress
            ("225.1.2.3", (0, 1, 2)),  # multicast
        ),
    ),
)


def by_commands(sandbox: Sandbox, demo: Demo) -> str:
    """Compile the demo, type its README's commands, send packets, and compare the ports on which they come out."""
    folder = sandbox.folder / demo.folder
    commands = COMMAND.findall((folder / "README.md").read_text())
    (folder / "commands.txt").write_text("\n".join(dict.fromkeys(commands)) + "\n")
    addresses = [address for address, _ in demo.ports]
    setup = sandbox.folder / "bin" / "veth_setup.sh"
    output = sandbox.run(
        ["python3", str(PACKETS_OUT), *addresses],
        folder,
        DEMO_S,
        prelude=f"{setup}\n{START.format(program=demo.program, interfaces=INTERFACES)}",
    )
    seen = json.loads(output.splitlines()[-1])
    wanted = {f"{number} {address}": list(ports) for number, (address, ports) in enumerate(demo.ports)}
    if seen != wanted:
        raise InteropError(f"expected the ports {wanted}; seen: {seen}; see the commands' answers: {_last(folder)}")
    return f"{len(set(commands))} commands; {len(wanted)} packets come out of the ports that the README names"


def _last(folder: Path) -> str:
    return " | ".join((folder / "commands.log").read_text(errors="replace").splitlines()[-6:])


EXAMPLES = tuple(Example(demo.folder, partial(by_commands, demo=demo)) for demo in DEMOS)
