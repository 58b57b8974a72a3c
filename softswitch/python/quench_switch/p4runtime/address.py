# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Addresses of P4Runtime servers: the same defaults for switch, controller and clients."""

from typing import Final

DEFAULT_ADDRESS: Final = "127.0.0.1:9559"
"""HOST:PORT; the port is P4Runtime's (IANA), the address loopback."""
DEFAULT_DEVICE_ID: Final = 0
"""The device id of a switch that is given none, as simple_switch_grpc's."""
MAX_DEVICE_ID: Final = 2**64 - 1
"""Largest id of a device: P4Runtime's field has 64 bits."""


def options_of(address: str) -> list[tuple[str, str]]:
    """The options of a gRPC channel to an address: for ``unix:PATH`` a host that HTTP/2's servers take.

    gRPC's core sends the path with percent signs, which not all servers take in a name (RFC 3986, section 3.2.2).
    """
    return [("grpc.default_authority", "localhost")] if address.startswith("unix:") else []
