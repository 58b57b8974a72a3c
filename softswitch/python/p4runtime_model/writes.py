# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""One update of any kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from finsy import GRPCStatusCode as Code
from finsy.proto import p4r

from .arrays import judge_counter_entry, judge_meter_entry, judge_register_entry
from .engines import judge_digest, judge_replication, judge_value_set
from .profiles import judge_group, judge_member
from .state import State
from .tables import (
    DELETE,
    INSERT,
    MODIFY,
    Effect,
    judge_direct_counter,
    judge_direct_meter,
    judge_entry,
    nothing,
)
from .verdict import Verdict

LARGE_BYTES = 3 << 10
"""Updates beyond it may be refused for their size."""

_JUDGES: dict[str, Callable[[State, int, Any, Verdict], Effect]] = {
    "table_entry": judge_entry,
    "direct_counter_entry": judge_direct_counter,
    "direct_meter_entry": judge_direct_meter,
    "action_profile_member": judge_member,
    "action_profile_group": judge_group,
    "counter_entry": judge_counter_entry,
    "meter_entry": judge_meter_entry,
    "register_entry": judge_register_entry,
    "packet_replication_engine_entry": judge_replication,
    "value_set_entry": judge_value_set,
    "digest_entry": judge_digest,
}


def judge_update(state: State, update: p4r.Update) -> tuple[Verdict, Effect]:
    """The right answer to an update in a state, and its effect if it is accepted."""
    verdict = Verdict()
    if update.ByteSize() > LARGE_BYTES:
        verdict.may_refuse(Code.RESOURCE_EXHAUSTED, "a server may limit sizes")
    if update.type not in (INSERT, MODIFY, DELETE):
        verdict.invalid(f"update type {update.type}")
    kind = update.entity.WhichOneof("entity")
    if kind is None:
        verdict.invalid("no entity")
    elif kind not in _JUDGES:
        verdict.refuse(Code.UNIMPLEMENTED, kind)
    elif verdict.accepts:
        return verdict, _JUDGES[kind](state, update.type, getattr(update.entity, kind), verdict)
    return verdict, nothing
