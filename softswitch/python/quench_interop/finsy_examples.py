# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The examples of byllyfish/finsy, by their own tests: a controller each, on a Mininet network.

The tests run Mininet without a container where ``mn`` and the container's ``/usr/local/mininet/custom/p4switch.py``
are found. That file appears in the test's own mount namespace only. Both of finsy's kinds of switches, bmv2 and
stratum, are Quench's here: stratum's are those whose examples need neither gNMI nor what only stratum has.
"""

import re
from functools import partial
from pathlib import Path

from quench_interop.sandbox import Example, InteropError, Sandbox

TESTS_S = 240.0
ATTEMPTS = 3
MODULES = {
    "basic": "",
    "l2switch": "",
    "tunnel": "",
    "flowcache": "",
    "hello": "demo0 or demo1",
    "mtls": "",
    "tls_demo": "",
}
"""Their tests, and which of them where not all: hello's others ask a gNMI server for the switch's ports."""
SWITCH_FILE = Path(__file__).with_name("finsy_switch.py")
WITH_SWITCH_FILE = f"""
mkdir -p overlay
mount -t tmpfs none overlay
mkdir overlay/upper overlay/work
mount -t overlay none -o lowerdir=/usr/local,upperdir=overlay/upper,workdir=overlay/work /usr/local
mkdir -p /usr/local/mininet/custom
cp '{SWITCH_FILE}' /usr/local/mininet/custom/p4switch.py
ip route add default dev lo
"""
"""finsy looks up the machine's own address by a route, which the namespace gets on lo."""


def own_tests(sandbox: Sandbox, module: str) -> str:
    """Run one module of ``examples/tests``.

    The tests send packets half a second after they have started a controller. Where its own imports and its connection
    take longer, packets come before it is ready, and the module needs another attempt.
    """
    command = ["python3", "-m", "pytest", "-p", "no:cacheprovider", f"tests/test_{module}.py", "-k", MODULES[module]]
    for attempt in range(1, ATTEMPTS + 1):
        output = sandbox.run(
            command, sandbox.folder / "examples", TESTS_S, prelude=WITH_SWITCH_FILE, ignore_status=True
        )
        result = re.findall(r"^=+ (.*\d+ (?:passed|failed|error).*) in [\d.]+s", output, re.MULTILINE)
        if result and "failed" not in result[-1] and "error" not in result[-1]:
            return f"{result[-1]}, at attempt {attempt}"
    failures = re.findall(r"^(?:FAILED|ERROR) .*", output, re.MULTILINE)
    raise InteropError(" | ".join(failures) or " | ".join(output.splitlines()[-12:]))


EXAMPLES = tuple(Example(f"examples/tests/test_{module}.py", partial(own_tests, module=module)) for module in MODULES)
