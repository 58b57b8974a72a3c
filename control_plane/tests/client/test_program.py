# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0

from collections.abc import Callable
from pathlib import Path

import finsy as fy
import pytest
from finsy.proto import p4i
from google.protobuf import text_format
from quench.client import entries
from quench.client.pipelines import V1MODEL
from quench.client.program import ForeignProgramError, check_program
from quench.client.session import Session, Target

P4INFO = Path(__file__).resolve().parents[3] / "build" / "quench.p4info.txtpb"


def info() -> p4i.P4Info:
    return text_format.Parse(P4INFO.read_text(), p4i.P4Info())


def test_quenchs_program_is_known() -> None:
    check_program(fy.P4Schema(info()))


def _without_counters(program: p4i.P4Info) -> None:
    del program.counters[:]


def _without_meters(program: p4i.P4Info) -> None:
    del program.meters[:]


def _with_narrow_profiles(program: p4i.P4Info) -> None:
    for table in program.tables:
        for field in table.match_fields:
            if field.name == "profile":
                field.bitwidth = 8


def _without_a_parameter(program: p4i.P4Info) -> None:
    for action in program.actions:
        if action.preamble.name == "QuenchIngress.profile.set_parameters":
            del action.params[0]


def _without_anything(program: p4i.P4Info) -> None:
    program.Clear()


@pytest.mark.parametrize(
    "change",
    [_without_counters, _without_meters, _with_narrow_profiles, _without_a_parameter, _without_anything],
)
def test_another_program_is_refused(change: Callable[[p4i.P4Info], None]) -> None:
    program = info()
    change(program)
    with pytest.raises(ForeignProgramError, match="it is not Quench's program: "):
        check_program(fy.P4Schema(program))


async def test_an_entry_that_does_not_fit_is_no_fault_of_the_switch() -> None:
    session = Session(Target("127.0.0.1:1", 1), fy.P4Schema(info()), 1)
    too_large = V1MODEL.pointer(1, 0, entries.MAX_PROFILE_ID + 1)
    with pytest.raises(ValueError, match="profile"):
        await session.write([+too_large])
