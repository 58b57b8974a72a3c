# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Where a P4Runtime server is if no option and no file says it: the same for switch, controller and clients."""

from typing import Final

DEFAULT_ADDRESS: Final = "127.0.0.1:9559"
"""HOST:PORT; the port is P4Runtime's (IANA), the address loopback."""
DEFAULT_DEVICE_ID: Final = 0
"""As simple_switch_grpc's."""
