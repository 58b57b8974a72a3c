# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""What a client may make the server keep, and how much of it; docs/reference/p4runtime.md lists the same.

Everything that a client can grow has its limit here. Beyond it a request is refused, or a message is lost and counted.
"""

from __future__ import annotations

from typing import Final

# -- Connections and calls ------------------------------------------------------------------------------------

CONNECTIONS: Final = 128
HANDSHAKE_MS: Final = 5_000
"""In which a new connection must be through with TLS, and must have acknowledged HTTP/2's settings."""
CALLS_PER_CONNECTION: Final = 32
CALLS: Final = 256
STREAMS: Final = 24
"""Streams at a time: each may have one message half sent, one being sent, and an outbox."""
METADATA_BYTES: Final = 16 << 10
"""gRPC's metadata of one call."""
MESSAGE_BYTES: Final = 4 << 20
"""One message. Programs are sent in one: BMv2 JSON of large programs has 1 to 3 MB."""
SMALL_REQUEST_BYTES: Final = 64 << 10
"""A request that is neither ``Write`` nor ``SetForwardingPipelineConfig``."""

LARGE_TURNS: Final = 4
"""``Write``, ``SetForwardingPipelineConfig`` and ``GetForwardingPipelineConfig`` at a time, in the house."""
SMALL_TURNS: Final = 8
"""Other calls at a time; a ``Read`` only until its request is here."""
PATIENCE_S: Final = 1.0
"""What waits so long for its client, to send or to fetch, gives up its turn if others want it."""
CLIENT_S: Final = 30.0
"""How long a call waits for its client even if nobody else wants its turn."""
TURN_S: Final = 10.0
"""How long a call waits for its turn."""

# -- Streams --------------------------------------------------------------------------------------------------

STREAM_MESSAGE_BYTES: Final = 128 << 10
"""A message on a stream. A packet-out may have 65535 bytes."""
QUOTE_BYTES: Final = 1024
"""Of a message that a StreamError quotes; a longer packet is cut to a quarter of it."""
OUTBOX_BYTES: Final = 2 << 20
"""What waits to go out on one stream; packet-ins, digests and errors beyond it are lost and counted."""
OUTBOX_ARBITRATION_BYTES: Final = 64 << 10
"""The same for arbitration updates, which must not be lost: the stream ends beyond it."""
MESSAGE_OVERHEAD_BYTES: Final = 128
"""What a waiting message is counted for beside its own bytes."""
ROLE_NAME_BYTES: Final = 256
ROLES: Final = 64
"""Roles that are remembered; the one that has had no controller for longest is forgotten first."""
CONTROLLERS_PER_ROLE: Final = 64

# -- Digests and timeouts -------------------------------------------------------------------------------------

DIGEST_LIST_BYTES: Final = 256 << 10
"""A list is sent when it has so much, whatever its config says."""
DIGEST_KNOWN_BYTES: Final = 4 << 20
"""Messages of one digest that wait, or were sent and not acknowledged; further ones are lost and counted."""
NOTIFICATION_ENTRIES: Final = 64
"""Entries in one IdleTimeoutNotification; others wait for the next."""

# -- Requests and state ---------------------------------------------------------------------------------------

ERROR_BYTES: Final = 1024
"""An error's message; it is cut."""
STATUS_BYTES: Final = 7 << 10
"""Of a Write's status: gRPC's clients take 8 KB unless told otherwise. Beyond it messages are left out, not codes."""
STATUS_MOST_BYTES: Final = 56 << 10
"""Of a Write's status with codes alone; beyond it there are none."""
UPDATES: Final = 16_384
"""In one Write."""
CELLS: Final = 1 << 24
"""That one Write may set by updates without an index."""
WRITE_SLICE: Final = 64
"""Updates of a Write after which others get their turn."""
READ_ENTITIES: Final = 1024
"""In one ReadRequest."""
READ_CHUNK: Final = 256
"""Entities in one ReadResponse."""
READ_CHUNK_BYTES: Final = 64 << 10
PAGE: Final = 64
"""Entries, or cells, that are read of the data plane at a time."""
ENTRY_METADATA_BYTES: Final = 4096
"""Metadata of one entry."""
GROUP_REPLICAS: Final = 1024
"""Of a multicast group or clone session."""
STATE_BYTES: Final = 48 << 20
"""All that the control plane wrote into one pipeline, as the data plane counts it."""
STATE_FACTOR: Final = 16
"""What an update may need at most, in times of its length: known only when it is done."""
