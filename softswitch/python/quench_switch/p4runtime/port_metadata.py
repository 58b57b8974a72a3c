# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Entries of the metadata of ports: the 64 bits that ingress's parser finds before the packets of a port.

They are text in hexadecimal digits, because a number of a ``Struct`` has 53 bits.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from .errors import invalid
from .extern_places import PORT
from .pipeline import ExternSpec

if TYPE_CHECKING:
    from quench_switch._native import Control

DATA: Final = "data"
PORTS: Final = 512
_HEX: Final = re.compile(r"0x[0-9a-fA-F]{1,16}", re.ASCII)


class _PortMetadata:
    place = PORT
    numbers: frozenset[str] = frozenset()
    texts = frozenset((DATA,))

    def set(
        self,
        changes: Control,
        spec: ExternSpec,  # noqa: ARG002 - there is one
        place: int,
        fields: Mapping[str, float | str],
        what: str,
    ) -> None:
        data = str(fields[DATA])
        if not _HEX.fullmatch(data):
            raise invalid(f"{what}: {DATA} is not 0x and 1 to 16 hexadecimal digits")
        changes.set_port_metadata(place, int(data, 16))

    def get(self, control: Control, spec: ExternSpec, place: int) -> dict[str, Any]:  # noqa: ARG002 - there is one
        bits = control.port_metadata(place)
        return {DATA: f"{bits:#018x}"} if bits else {}


PORT_METADATA: Final = _PortMetadata()
