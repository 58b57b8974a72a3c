# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Limits on the memory and the work that a client can cause. softswitch/docs/p4runtime.md lists the same.

Everything that a client can grow has its limit here. Beyond it a request is refused, or a message is lost and counted.
"""

from __future__ import annotations

from typing import Final

# -- Connections and calls ------------------------------------------------------------------------------------

CONNECTIONS: Final = 128
"""Those of clients that showed a certificate have as many places of their own."""
CONNECTIONS_OF_PEER: Final = 64
"""The largest number of connections of one user of this machine, or of one address. Where there is no room, an idle
connection makes some."""
FIRST_CALL_MS: Final = 5_000
"""Time in which a new connection must finish TLS and begin a call."""
KEEPALIVE_MS: Final = 20_000
"""Time between two probes of a connection: a controller whose host vanished has to lose its primary role."""
KEEPALIVE_ANSWER_MS: Final = 10_000
CALLS_PER_CONNECTION: Final = 32
CALLS: Final = 256
CALLS_OF_PEER: Final = 128
"""A call counts until the system has its whole answer for the client."""
STREAMS: Final = 24
"""Streams at a time: each may have one message half sent, one being sent, and an outbox."""
STREAMS_OF_PEER: Final = 16
STREAM_WINDOW_BYTES: Final = 64 << 10
"""The bytes that a client may send of a call before the switch reads it: a request without a turn stays with the
client."""
CONNECTION_WINDOW_BYTES: Final = CALLS_PER_CONNECTION * STREAM_WINDOW_BYTES
"""The same of all calls of a connection: calls that wait for their turn do not stop its stream."""
METADATA_BYTES: Final = 16 << 10
"""Largest metadata of one call."""
MESSAGE_BYTES: Final = 4 << 20
"""Largest message. A program is sent in one: BMv2 JSON of large programs has 1 to 3 MB."""
SMALL_REQUEST_BYTES: Final = 64 << 10
"""Largest request that is neither ``Write`` nor ``SetForwardingPipelineConfig``."""

LARGE_TURNS: Final = 4
"""Calls of ``Write``, ``SetForwardingPipelineConfig`` and ``GetForwardingPipelineConfig`` at a time."""
SMALL_TURNS: Final = 8
"""Other calls at a time. A ``Read`` counts only until its request has arrived."""
PATIENCE_S: Final = 1.0
"""Time that a call may wait for its client, to send or to fetch, before it gives up its turn to others."""
CLIENT_S: Final = 30.0
"""Time that a call waits for its client if no other call wants its turn."""
TURN_S: Final = 10.0
"""Time that a call waits for its turn."""

# -- Streams --------------------------------------------------------------------------------------------------

STREAM_MESSAGE_BYTES: Final = 128 << 10
"""Largest message on a stream. A packet-out may have 65535 bytes."""
QUOTE_BYTES: Final = 1024
"""Most bytes of a message that a StreamError quotes. A longer packet is cut to a quarter of it."""
OUTBOX_BYTES: Final = 2 << 20
"""Most bytes that wait to go out on one stream. Packet-ins, digests and errors beyond it are lost and counted."""
OUTBOX_ARBITRATION_BYTES: Final = 64 << 10
"""Most bytes of arbitration updates that wait. They must not be lost: the stream ends beyond it."""
MESSAGE_OVERHEAD_BYTES: Final = 128
"""Memory of a waiting message beside its own bytes."""
ROLE_NAME_BYTES: Final = 256
ROLES: Final = 64
"""Most roles that are remembered. The role without a controller for longest is forgotten first."""
CONTROLLERS_PER_ROLE: Final = 64

# -- Digests and timeouts -------------------------------------------------------------------------------------

DIGEST_LIST_BYTES: Final = 256 << 10
"""Size at which a list is sent, even if its config allows more."""
DIGEST_KNOWN_BYTES: Final = 4 << 20
"""Most bytes of one digest's messages that wait, or were sent and not acknowledged. Others are lost and counted."""
NOTIFICATION_ENTRIES: Final = 64
"""Most entries in one IdleTimeoutNotification. Others wait for the next."""

# -- Requests and state ---------------------------------------------------------------------------------------

ERROR_BYTES: Final = 1024
"""Longest message of an error. A longer one is cut."""
STATUS_BYTES: Final = 7_900
"""The largest size of the message and the status of a refused Write, as HTTP/2 carries them: gRPC's clients take 8192
bytes of metadata by default. Beyond it texts are left out, and then codes."""
CODES_BYTES: Final = 512
"""The largest size of the codes in the message of a Write whose status has no room for them."""
UPDATES: Final = 16_384
"""Most updates in one Write."""
CELLS: Final = 1 << 24
"""Most cells that one Write may set by updates without an index."""
ATOMIC_CELLS: Final = 1 << 18
"""The same of a Write that is applied whole or not at all: no packet passes meanwhile, and old cells are kept."""
WRITE_SLICE: Final = 64
"""Updates of a Write after which other calls get their turn."""
READ_ENTITIES: Final = 1024
"""Most entities in one ReadRequest."""
READ_CHUNK: Final = 64
"""Most entities in one ReadResponse."""
READ_CHUNK_BYTES: Final = 64 << 10
PAGE: Final = 64
"""Entries, or cells, that are read of the data plane at a time."""
ENTRY_METADATA_BYTES: Final = 4096
"""Largest metadata of one entry."""
STRING_BYTES: Final = 256
"""Longest string of a type that is translated to strings."""
STRINGS_BYTES: Final = 8 << 20
"""Memory of all such strings that a pipeline config has met."""
STRING_OVERHEAD_BYTES: Final = 384
"""Memory of such a string beside its own bytes: it is found by its text and by its number."""
GROUP_REPLICAS: Final = 1024
"""Most replicas of a multicast group or clone session."""
STATE_BYTES: Final = 48 << 20
"""Most memory of the state that clients wrote into one pipeline, as the data plane counts it."""
STATE_FACTOR: Final = 16
"""Most memory of an update, in multiples of its length; the memory is known only after the update."""
