# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Digest lists: batching, suppression of duplicates, acknowledgements (specification, "DigestEntry")."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from finsy.proto import p4r

from .errors import invalid
from .p4data import encode_fields
from .state import State

DEFAULT_LIST_SIZE = 1024
"""Where max_list_size is 0 the server may choose."""

Message = tuple[bytes, ...]


@dataclass(slots=True)
class _Stream:
    """What waits for one digest, and what was sent and not acknowledged."""

    buffer: dict[Message, None] = field(default_factory=dict)
    first_ns: int = 0
    sent: dict[int, tuple[int, frozenset[Message]]] = field(default_factory=dict)

    def is_known(self, message: Message) -> bool:
        return message in self.buffer or any(message in messages for _, messages in self.sent.values())


class DigestStreams:
    """Turns what the data plane learns into ``DigestList`` messages. Times are monotonic, in ns."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._streams: dict[int, _Stream] = {}
        self._list_ids = itertools.count(1)

    def learn(self, native_id: int, messages: Sequence[Sequence[bytes]], now_ns: int) -> Iterator[p4r.DigestList]:
        """Take digest messages of the data plane; lists that are full come out."""
        digest_id = self._state.pipeline.digest_ids.get(native_id)
        config = self._state.digests.get(digest_id) if digest_id is not None else None
        if digest_id is None or config is None:
            return
        stream = self._streams.setdefault(digest_id, _Stream())
        self._forget(stream, config, now_ns)
        size = config.max_list_size or DEFAULT_LIST_SIZE
        for fields in messages:
            message = tuple(fields)
            if stream.is_known(message):
                continue
            if not stream.buffer:
                stream.first_ns = now_ns
            stream.buffer[message] = None
            if len(stream.buffer) >= size or config.max_timeout_ns == 0:
                yield self._flush(digest_id, stream, config, now_ns)

    def due(self, now_ns: int) -> Iterator[p4r.DigestList]:
        """Lists whose oldest message has waited long enough."""
        for digest_id, stream in self._streams.items():
            config = self._state.digests.get(digest_id)
            if config is None:
                stream.buffer.clear()
                stream.sent.clear()
                continue
            self._forget(stream, config, now_ns)
            if stream.buffer and now_ns - stream.first_ns >= config.max_timeout_ns:
                yield self._flush(digest_id, stream, config, now_ns)

    def acknowledge(self, ack: p4r.DigestListAck) -> None:
        """Forget an acknowledged list, so that the same data is reported again."""
        if ack.digest_id not in self._state.pipeline.digests:
            raise invalid(f"no digest has id {ack.digest_id}")
        stream = self._streams.get(ack.digest_id)
        if stream is not None:
            stream.sent.pop(ack.list_id, None)

    @staticmethod
    def _forget(stream: _Stream, config: p4r.DigestEntry.Config, now_ns: int) -> None:
        for list_id, (sent_ns, _) in list(stream.sent.items()):
            if now_ns - sent_ns >= config.ack_timeout_ns:
                del stream.sent[list_id]

    def _flush(self, digest_id: int, stream: _Stream, config: p4r.DigestEntry.Config, now_ns: int) -> p4r.DigestList:
        digest = self._state.pipeline.digests[digest_id]
        what = f"digest {digest.preamble.name!r}"
        message = p4r.DigestList(digest_id=digest_id, list_id=next(self._list_ids))
        for fields in stream.buffer:
            data = encode_fields(digest.type_spec, self._state.pipeline.type_info, iter(fields), what)
            message.data.append(data)
        if config.ack_timeout_ns:
            stream.sent[message.list_id] = (now_ns, frozenset(stream.buffer))
        stream.buffer.clear()
        return message
