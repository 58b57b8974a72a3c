# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""All that the model knows about one switch: arbitration, configs and entities."""

from __future__ import annotations

import copy
from collections.abc import Sequence

from finsy import GRPCStatusCode as Code
from finsy.proto import p4r

from .device import DeviceModel, Quality
from .reads import judge_read
from .render import canonical_bytes
from .roles import RolesModel
from .state import State
from .tables import Effect, nothing
from .values import Width
from .verdict import Verdict, refusal, union
from .writes import judge_update

MAX_PAYLOAD_BYTES = 65535
LARGE_REQUEST_BYTES = 60 << 10
"""Requests beyond it may be refused for their size."""
ATOMICITIES = tuple(p4r.WriteRequest.Atomicity.values())
MANY_UPDATES = 100
"""The number of updates from which a status may lack codes: gRPC's clients limit metadata."""


class Model:
    """The oracle of one switch."""

    def __init__(self, device_id: int) -> None:
        self.device = DeviceModel()
        self.roles = RolesModel(device_id)

    def judge_config(self, request: p4r.SetForwardingPipelineConfigRequest, quality: Quality) -> tuple[Verdict, Effect]:
        """A ``SetForwardingPipelineConfig``."""
        verdict = self.roles.judge_request(
            request.device_id, request.role, request.election_id if request.HasField("election_id") else None
        )
        return verdict, self.device.judge_config(request, quality, verdict) if verdict.accepts else nothing

    def judge_write(self, request: p4r.WriteRequest) -> Verdict:
        """A ``Write`` as a whole; its updates are judged one after the other, each in the state that it finds."""
        verdict = self.roles.judge_request(
            request.device_id, request.role, request.election_id if request.HasField("election_id") else None
        )
        if verdict.accepts and self.device.target is None:
            verdict.refuse(Code.FAILED_PRECONDITION, "no config is set")
        if verdict.accepts and request.atomicity not in ATOMICITIES:
            verdict.invalid("atomicity")
        if request.ByteSize() > LARGE_REQUEST_BYTES:
            verdict.may_refuse(Code.RESOURCE_EXHAUSTED, "a server may limit sizes")
        return verdict

    def check_updates(self, request: p4r.WriteRequest, codes: list[int]) -> str | None:
        """Follow a Write's answer; the first update that was answered wrongly, None if all are right."""
        updates = list(request.updates)
        state = self._target
        if request.atomicity != p4r.WriteRequest.CONTINUE_ON_ERROR and any(codes):
            failed = [place for place, code in enumerate(codes) if code != Code.ABORTED]
            if len(failed) != 1:
                return f"{len(failed)} updates have a code of their own in a batch that was taken back"
            updates, codes = updates[: failed[0] + 1], [Code.OK] * failed[0] + [codes[failed[0]]]
            state = _copy(state)
        for place, (update, code) in enumerate(zip(updates, codes, strict=True)):
            verdict, effect = judge_update(state, update)
            wrong = verdict.disagreement(code)
            if wrong is not None:
                return f"update {place + 1} of {len(updates)}: {wrong}\n{update}"
            if code == Code.OK:
                effect()
        return None

    def follow_updates(self, request: p4r.WriteRequest) -> str | None:
        """Follow a Write that failed without the codes of its updates: return the fault of the answer, or None."""
        updates = request.updates
        if len(updates) < MANY_UPDATES:
            return f"no codes for {len(updates)} updates"
        takes_back = request.atomicity != p4r.WriteRequest.CONTINUE_ON_ERROR
        state = _copy(self._target) if takes_back else self._target
        accepted = 0
        for update in updates:
            verdict, effect = judge_update(state, update)
            if verdict.accepts:
                accepted += 1
                effect()
        return "the Write fails, the model accepts all updates" if accepted == len(updates) else None

    @property
    def _target(self) -> State:
        state = self.device.target
        assert state is not None
        return state

    def judge_read(self, request: p4r.ReadRequest) -> tuple[Verdict, list[bytes]]:
        """A ``Read``: what breaks it, and the entities that it answers, in canonical form and order."""
        if request.device_id != self.roles.device_id:
            return refusal(Code.NOT_FOUND, "another device"), []
        if self.device.target is None:
            return refusal(Code.FAILED_PRECONDITION, "no config is set"), []
        verdicts: list[Verdict] = []
        if request.ByteSize() > LARGE_REQUEST_BYTES:
            verdicts.append(Verdict())
            verdicts[0].may_refuse(Code.RESOURCE_EXHAUSTED, "a server may limit sizes")
        found: list[bytes] = []
        for entity in request.entities:
            verdict = Verdict()
            found.extend(self.canonical(answer) for answer in judge_read(self.device.target, entity, verdict))
            verdicts.append(verdict)
        return union(verdicts), sorted(found)

    def canonical(self, entity: p4r.Entity) -> bytes:
        """An entity to be compared, without what packets and time change."""
        entity.DiscardUnknownFields()
        kind = entity.WhichOneof("entity")
        if kind == "table_entry" and entity.table_entry.HasField("time_since_last_hit"):
            entity.table_entry.time_since_last_hit.ClearField("elapsed_ns")
        state = self.device.target
        if state is not None and state.packets_ran:
            if kind in ("counter_entry", "register_entry", "direct_counter_entry"):
                getattr(entity, kind).ClearField("data")
            elif kind == "table_entry":
                entity.table_entry.ClearField("counter_data")
        return canonical_bytes(entity)

    def judge_stream_message(self, stream: int, message: p4r.StreamMessageRequest) -> tuple[Verdict, str]:
        """Any message but arbitration, and the kind of error that reports its refusal."""
        verdict = Verdict()
        kind = message.WhichOneof("update")
        if kind not in ("packet", "digest_ack"):
            verdict.refuse(Code.UNIMPLEMENTED, "a stream message of no known kind")
            return verdict, "other"
        if not self.roles.is_primary(stream):
            verdict.refuse(Code.PERMISSION_DENIED, "not the primary")
        running = self.device.running
        if running is None:
            verdict.refuse(Code.FAILED_PRECONDITION, "no config is set")
            verdict.invalid("no config is set")
        elif kind == "digest_ack":
            if message.digest_ack.digest_id not in running.program.digests:
                verdict.invalid("a digest that does not exist")
        else:
            _judge_packet(running.program.packet_out, message.packet, verdict)
        return verdict, "packet_out" if kind == "packet" else "digest_list_ack"


def _copy(state: State) -> State:
    """A copy of the state, with its own instance of all that a batch may change."""
    return copy.deepcopy(state, {id(state.program): state.program})


def _judge_packet(header: Sequence[tuple[int, Width, bool]] | None, packet: p4r.PacketOut, verdict: Verdict) -> None:
    if len(packet.payload) > MAX_PAYLOAD_BYTES:
        verdict.invalid("the packet is too long")
    fields = {number: (width, padding) for number, width, padding in header or ()}
    seen: set[int] = set()
    for item in packet.metadata:
        if item.metadata_id not in fields or item.metadata_id in seen:
            verdict.invalid(f"metadata {item.metadata_id} is unknown or given twice")
            continue
        seen.add(item.metadata_id)
        wrong = Verdict()
        if fields[item.metadata_id][0].parse(item.value, "metadata", wrong) is None:
            verdict.invalid("a metadata value that does not fit")
    if any(number not in seen and not padding for number, (_, padding) in fields.items()):
        verdict.invalid("metadata is missing")
