# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""P4Info of quench_tna.p4, in both forms of p4c's Tofino back end."""

from functools import cache
from pathlib import Path

from finsy.proto import p4i
from google.protobuf import text_format
from quench_switch._native import compile_p4
from quench_switch.tna.p4info import standard, without_pipe

PROGRAM = Path(__file__).resolve().parents[2] / "p4src" / "quench_tna.p4"


@cache
def p4info() -> p4i.P4Info:
    """The P4Info as the compiler writes it. Not to be changed."""
    return text_format.Parse(compile_p4(str(PROGRAM), arch="tna").p4info_text, p4i.P4Info())


def standard_p4info() -> p4i.P4Info:
    """As with ``--p4runtime-force-std-externs``: without the pipe's name and without externs, filters among them."""
    made = p4i.P4Info()
    made.CopyFrom(without_pipe(standard(p4info())))
    del made.externs[:]
    return made
