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
    "initial-table-entries/no-entries-runptf.sh",
    "initial-table-entries/init-entries-runptf.sh",
    "initial-table-entries/const-entries-runptf.sh",
    "ptf-tests/idletimeout/runptf.sh",
    "ptf-tests/matchkinds/runptf.sh",
    "ptf-tests/packetinout/runptf.sh",
    "ptf-tests/registeraccess/runptf.sh",
)


WORDED = {"ptf-tests/idletimeout/runptf.sh": "idletimeout.ServerDetectsBadTableEntryOptionsTest"}
"""Tests that ask for the words of an error message of BMv2's server, by the script that runs them."""


def own_ptf(sandbox: Sandbox, script: str) -> str:
    """Run a demo's script beside the interfaces that p4-guide's READMEs ask for."""
    path = sandbox.folder / script
    setup = sandbox.folder / "bin" / "veth_setup.sh"
    output = sandbox.run([f"./{path.name}"], path.parent, SCRIPT_S, prelude=str(setup), ignore_status=True)
    count = re.search(r"^Ran (\d+) tests?", output, re.MULTILINE)
    failed = re.findall(r"^(?:FAIL|ERROR): (\S+)", output, re.MULTILINE)
    if not count or failed not in ([], [WORDED.get(script)]):
        raise InteropError(" | ".join(failed) or " | ".join(output.splitlines()[-12:]))
    words = f"; {failed[0]} asks for the words of BMv2's message" if failed else ""
    return f"PTF: {int(count[1]) - len(failed)} of {count[1]}{words}"


EXAMPLES = tuple(Example(script, partial(own_ptf, script=script)) for script in SCRIPTS)
