# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Entries as P4Runtime's ``WriteRequest`` in text form, for a switch in virtual time."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from google.protobuf import text_format

from quench_switch.messages import p4i, p4r
from quench_switch.p4runtime.access import FULL_ACCESS
from quench_switch.p4runtime.entities import Entities
from quench_switch.p4runtime.errors import RequestError, cut
from quench_switch.p4runtime.verify import verify

from .setup import SetupError

if TYPE_CHECKING:
    from quench_switch._native import VirtualSwitch


def write(switch: VirtualSwitch, p4info: bytes, json: str, text: str, path: Path) -> None:
    """Carry the updates of a request out, in their order. Raises :class:`SetupError`."""
    try:
        request = text_format.Parse(text, p4r.WriteRequest())
    except text_format.ParseError as error:
        raise SetupError(cut(f"{path}: neither STF (.stf) nor a p4.v1.WriteRequest in text form: {error}")) from None
    if not p4info:
        raise SetupError(f"{path}: P4Runtime's entries need P4Info: give --p4info")
    config = p4r.ForwardingPipelineConfig(p4_device_config=json.encode(), p4info=p4i.P4Info.FromString(p4info))
    try:
        entities = Entities(verify(config, None, interpreted=True), switch)
    except RequestError as error:
        raise SetupError(f"{path}: {error.message}") from error
    entities.begin(FULL_ACCESS)
    for place, update in enumerate(request.updates, start=1):
        problem = entities.write(update)
        if problem is not None:
            raise SetupError(f"{path}: update {place}: {problem.message}")
