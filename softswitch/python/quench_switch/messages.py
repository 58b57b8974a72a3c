# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The messages of P4Runtime as finsy has them, under finsy's names.

The packages ``finsy`` and ``finsy.proto`` also import a client, gRPC and gNMI, for which a switch has no use: that is
half of the time until it listens. So their modules of messages are imported here without them. Whoever imports the
packages later gets them whole, with the same modules.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec, module_from_spec


@contextmanager
def _empty(*packages: str) -> Iterator[None]:
    """Let packages that nobody has imported be empty ones, but for their modules, while the block runs."""
    absent = []
    try:
        for name in packages:
            if name not in sys.modules and (spec := find_spec(name)) is not None:
                sys.modules[name] = module_from_spec(spec)
                absent.append(name)
        yield
    finally:
        for name in absent:
            del sys.modules[name]


with _empty("finsy", "finsy.proto"):
    from finsy.proto.google.rpc import code_pb2 as rpc_code
    from finsy.proto.google.rpc import status_pb2 as rpc_status
    from finsy.proto.p4.config.v1 import p4info_pb2 as p4i
    from finsy.proto.p4.config.v1 import p4types_pb2 as p4t
    from finsy.proto.p4.v1 import p4data_pb2 as p4d
    from finsy.proto.p4.v1 import p4runtime_pb2 as p4r
    from finsy.proto.stratum1 import p4_role_config_pb2 as stratum

__all__ = ["p4d", "p4i", "p4r", "p4t", "rpc_code", "rpc_status", "stratum"]
