# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Plays steps on a switch and on the model, and compares."""

from __future__ import annotations

import time
from collections import Counter
from typing import Any, Final

from finsy import GRPCStatusCode as Code
from finsy.proto import p4r
from google.protobuf.message import DecodeError

from .connection import Answer, Connection, Stream
from .model import Model
from .process import DEVICE_ID
from .roles import Notifications
from .steps import MESSAGES, Step
from .verdict import Verdict

_RAW_CODES: Final = (Code.UNKNOWN, Code.INTERNAL, Code.INVALID_ARGUMENT)
"""Bytes that are no message are refused by gRPC itself, before the server sees them."""
_LEFT_S: Final = 0.02
"""A stream that the switch ends leaves arbitration just after its end was sent."""


class Disagreement(Exception):  # noqa: N818 - it is the finding that is looked for
    """The switch and the model differ."""


class Player:
    """One switch, and the model of it."""

    def __init__(self, address: str) -> None:
        self.model = Model(DEVICE_ID)
        self.connection = Connection(address)
        self.streams: dict[int, Stream] = {}
        self.counts: Counter[str] = Counter()

    def close(self) -> None:
        """End streams and calls."""
        for stream in self.streams.values():
            stream.close()
        self.connection.close()

    def play(self, step: Step) -> None:
        """Raises :class:`Disagreement`."""
        if step.kind not in ("open", "close"):
            self.counts["messages"] += 1
        message: Any = None
        if step.kind in MESSAGES:
            message = MESSAGES[step.kind].FromString(step.message)
        if step.stream and step.kind != "open" and step.stream not in self.streams:
            return  # a minimised sequence can lack the step that opened it
        match step.kind:
            case "open":
                self.streams[step.stream] = self.connection.stream()
            case "close":
                self._close(step.stream)
            case "arbitrate":
                self._arbitrate(step.stream, message)
            case "send":
                self._send(step.stream, message)
            case "config":
                self._config(step, message)
            case "get_config":
                self._get_config(message)
            case "write":
                self._write(message)
            case "read":
                self._read(message)
            case "raw":
                self._raw(step)

    def _check(self, verdict: Verdict, code: Code, text: str) -> None:
        self.counts["accepted" if code == Code.OK else "refused"] += 1
        wrong = verdict.disagreement(code)
        if wrong is not None:
            raise Disagreement(f"{wrong} ({text})" if text else wrong)

    # -- Streams ------------------------------------------------------------------------------------------

    def _close(self, number: int) -> None:
        end = self.streams.pop(number).close()
        if end != Code.OK:
            raise Disagreement(f"stream {number} was closed and ends with {end}")
        self._expect(self.model.roles.leave(number))

    def _arbitrate(self, number: int, message: p4r.StreamMessageRequest) -> None:
        stream = self.streams[number]
        verdict, notifications = self.model.roles.judge(number, message.arbitration)
        stream.send(message)
        if not verdict.accepts:
            end = stream.wait_end()
            del self.streams[number]
            if end is None:
                raise Disagreement(f"stream {number} does not end: {verdict.broken}")
            self._check(verdict, end, "")
            time.sleep(_LEFT_S)
        else:
            self.counts["accepted"] += 1
        self._expect(notifications)
        if number in self.streams and stream.arrived["error"]:
            raise Disagreement(f"an error for a message that the model accepts: {stream.arrived['error'].popleft()}")

    def _expect(self, notifications: Notifications) -> None:
        for number, wanted in notifications.items():
            got = self.streams[number].take("arbitration")
            if got is None:
                raise Disagreement(f"stream {number} gets no arbitration message, wanted:\n{wanted}")
            got.status.ClearField("message")
            if got != wanted:
                raise Disagreement(f"stream {number} gets\n{got}wanted:\n{wanted}")

    def _send(self, number: int, message: p4r.StreamMessageRequest) -> None:
        stream = self.streams[number]
        verdict, kind = self.model.judge_stream_message(number, message)
        stream.send(message)
        if verdict.accepts:
            self.counts["accepted"] += 1
            running = self.model.device.running
            if message.HasField("packet") and running is not None:
                running.packets_ran = True
            return
        error = stream.take("error")
        if error is None:
            raise Disagreement(f"stream {number} gets no error, wanted {verdict.broken}")
        if error.WhichOneof("details") != kind:
            raise Disagreement(f"the error is about {error.WhichOneof('details')}, wanted {kind}:\n{error}")
        self._check(verdict, Code(error.canonical_code), error.message)

    # -- Calls --------------------------------------------------------------------------------------------

    def _config(self, step: Step, message: p4r.SetForwardingPipelineConfigRequest) -> None:
        verdict, effect = self.model.judge_config(message, step.quality)
        try:
            self.connection.config(message)
        except Answer as answer:
            self._check(verdict, answer.code, answer.message)
        else:
            self._check(verdict, Code.OK, "")
            effect()

    def _get_config(self, message: p4r.GetForwardingPipelineConfigRequest) -> None:
        verdict = Verdict()
        if message.device_id != DEVICE_ID:
            verdict.refuse(Code.NOT_FOUND, "another device")
        try:
            got = self.connection.get_config(message)
        except Answer as answer:
            self._check(verdict, answer.code, answer.message)
            return
        self._check(verdict, Code.OK, "")
        if message.response_type <= 3 and got != self.model.device.config_response(message.response_type):
            raise Disagreement("the config is not the one that was set")

    def _write(self, message: p4r.WriteRequest) -> None:
        verdict = self.model.judge_write(message)
        try:
            codes = self.connection.write(message)
        except Answer as answer:
            if verdict.accepts and answer.code == Code.UNKNOWN:
                wrong = self.model.follow_updates(message)
                if wrong is not None:
                    raise Disagreement(f"{wrong} ({answer.message})") from answer
                return
            self._check(verdict, answer.code, answer.message)
            return
        self._check(verdict, Code.OK, "")
        if len(codes) != len(message.updates):
            raise Disagreement(f"{len(codes)} codes for {len(message.updates)} updates")
        self.counts["updates"] += len(codes)
        accepted = codes.count(Code.OK)
        if message.atomicity != p4r.WriteRequest.CONTINUE_ON_ERROR and codes:
            self.counts["batches taken back" if accepted < len(codes) else "batches accepted whole"] += 1
        self.counts["updates accepted"] += accepted
        self.counts["updates refused"] += len(codes) - accepted
        for code in codes:
            self.counts[f"code {Code(code).name}"] += 1
        wrong = self.model.check_updates(message, codes)
        if wrong is not None:
            raise Disagreement(wrong)

    def _read(self, message: p4r.ReadRequest) -> None:
        verdict, wanted = self.model.judge_read(message)
        try:
            entities = self.connection.read(message)
        except Answer as answer:
            self._check(verdict, answer.code, answer.message)
            return
        self._check(verdict, Code.OK, "")
        self.counts["entities read"] += len(entities)
        got = sorted(map(self.model.canonical, entities))
        if got != wanted:
            raise Disagreement(_difference(got, wanted))

    def _raw(self, step: Step) -> None:
        code = self.connection.raw(step.method, step.message)
        self.counts["refused"] += 1
        if code not in _RAW_CODES:
            raise Disagreement(f"bytes that are no message end {step.method} with {code.name}")


def _difference(got: list[bytes], wanted: list[bytes]) -> str:
    extra, missing = list(Counter(got) - Counter(wanted)), list(Counter(wanted) - Counter(got))
    lines = [f"the switch holds {len(got)} entities, the model {len(wanted)}"]
    for what, entities in (("only the switch has", extra), ("only the model has", missing)):
        for raw in entities[:3]:
            try:
                lines.append(f"{what}:\n{p4r.Entity.FromString(raw)}")
            except DecodeError:
                lines.append(f"{what}: {raw.hex()}")
    return "\n".join(lines)
