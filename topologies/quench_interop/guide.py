# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The demos of jafingerhut/p4-guide that bring PTF tests: their own scripts compile, start a switch and test."""

import re
from functools import partial

from quench_interop.sandbox import Example, InteropError, Sandbox

SCRIPT_S = 180.0
SCRIPTS = (
    "demo1/runptf.sh",
    "demo1-bitselect-key/runptf.sh",
    "demo2/runptf.sh",
    "demo7/runptf.sh",
    "lpmtester/runptf.sh",
    "lpmtester/lpmwidth20bits/runptf.sh",
    "initial-table-entries/no-entries-runptf.sh",
    "initial-table-entries/init-entries-runptf.sh",
    "initial-table-entries/const-entries-runptf.sh",
    "ptf-tests/duplicatekeys/runptf.sh",
    "ptf-tests/idletimeout/runptf.sh",
    "ptf-tests/matchkinds/runptf.sh",
    "ptf-tests/packetinout/runptf.sh",
    "ptf-tests/registeraccess/runptf.sh",
)


def own_ptf(sandbox: Sandbox, script: str) -> str:
    """Run a demo's script beside the interfaces that p4-guide's READMEs tell their reader to make first."""
    path = sandbox.folder / script
    setup = sandbox.folder / "bin" / "veth_setup.sh"
    output = sandbox.run(["sh", "-c", f"{setup} && ./{path.name}"], path.parent, SCRIPT_S)
    count = re.search(r"^Ran (\d+) tests?", output, re.MULTILINE)
    if not count or not re.search(r"^OK$", output, re.MULTILINE):
        failures = re.findall(r"^(?:FAIL|ERROR): .*|^\w*Error: .*", output, re.MULTILINE)
        raise InteropError(" | ".join(failures) or " | ".join(output.splitlines()[-12:]))
    return f"PTF: {count[1]} of {count[1]}"


EXAMPLES = tuple(Example(script, partial(own_ptf, script=script)) for script in SCRIPTS)
