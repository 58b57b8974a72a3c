# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Messages as they are sent and kept: a sequence of steps that can be replayed without its generator."""

from __future__ import annotations

import base64
import hashlib
import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from finsy.proto import p4r
from google.protobuf import text_format
from google.protobuf.message import DecodeError, Message

from .device import Quality

Kind = Literal["open", "close", "arbitrate", "send", "config", "get_config", "write", "read", "raw"]

MESSAGES: dict[str, type[Message]] = {
    "arbitrate": p4r.StreamMessageRequest,
    "send": p4r.StreamMessageRequest,
    "config": p4r.SetForwardingPipelineConfigRequest,
    "get_config": p4r.GetForwardingPipelineConfigRequest,
    "write": p4r.WriteRequest,
    "read": p4r.ReadRequest,
}


@dataclass(frozen=True)
class Step:
    """One thing that a client does."""

    kind: Kind
    message: bytes = b""
    stream: int = 0
    """Number of the stream that is meant, for those kinds that have one."""
    method: str = ""
    """The method of raw bytes."""
    quality: Quality = "good"
    """The quality of a config."""

    def __str__(self) -> str:
        what = f"{self.kind} {self.stream or ''}{self.method}".strip()
        if self.kind not in MESSAGES:
            return f"{what}: {self.message.hex()}" if self.message else what
        try:
            message: Any = MESSAGES[self.kind].FromString(self.message)
        except DecodeError:
            return f"{what}: {self.message.hex()}"
        if self.kind == "config" and message.HasField("config"):
            size = len(message.config.p4_device_config)
            message.config.ClearField("p4info")
            message.config.p4_device_config = f"{size} bytes, {self.quality}".encode()
        return f"{what}:\n{text_format.MessageToString(message)}"


def save(path: Path, steps: Sequence[Step], note: str) -> None:
    """Keep a sequence, and beside it a text for people."""
    blobs: dict[str, str] = {}
    entries = []
    for step in steps:
        digest = hashlib.sha256(step.message).hexdigest()[:16]
        blobs[digest] = base64.b64encode(zlib.compress(step.message)).decode()
        entries.append([step.kind, digest, step.stream, step.method, step.quality])
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"note": note, "steps": entries, "blobs": blobs}))
    path.with_suffix(".txt").write_text("\n\n".join([note, *map(str, steps)]) + "\n")


def load(path: Path) -> list[Step]:
    """A sequence that was kept."""
    content = json.loads(path.read_text())
    blobs = {name: zlib.decompress(base64.b64decode(text)) for name, text in content["blobs"].items()}
    return [
        Step(kind, blobs[digest], stream, method, quality) for kind, digest, stream, method, quality in content["steps"]
    ]


def step(kind: Kind, message: Message, stream: int = 0, quality: Quality = "good") -> Step:
    """A step with a message."""
    return Step(kind, message.SerializeToString(), stream, quality=quality)
