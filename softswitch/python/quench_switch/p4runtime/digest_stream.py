# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Digest lists: batching, suppression of duplicates, acknowledgements (specification, "DigestEntry")."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from quench_switch.messages import p4r

from .errors import invalid
from .limits import DIGEST_KNOWN_BYTES, DIGEST_LIST_BYTES, MESSAGE_OVERHEAD_BYTES
from .p4data import encode_fields
from .state import State

DEFAULT_LIST_SIZE = 1024
"""The size of a list if max_list_size is 0, when the server may choose."""

Message = tuple[bytes, ...]


def _size_bytes(message: Message) -> int:
    return MESSAGE_OVERHEAD_BYTES + sum(MESSAGE_OVERHEAD_BYTES + len(field) for field in message)


@dataclass(slots=True)
class _Stream:
    """The messages of one digest that wait, and those that were sent and not acknowledged."""

    buffer: list[Message] = field(default_factory=list)
    buffer_bytes: int = 0
    first_ns: int = 0
    sent: dict[int, tuple[int, list[Message]]] = field(default_factory=dict)
    """The time and the messages of each list that was sent, by list id, in order of time."""
    known: set[Message] = field(default_factory=set)
    """Messages in the buffer or in a list that was sent. No message is in two of them."""
    known_bytes: int = 0

    def add(self, message: Message, now_ns: int) -> bool:
        """Take a new message; False if there is no room."""
        size_bytes = _size_bytes(message)
        if self.known_bytes + size_bytes > DIGEST_KNOWN_BYTES:
            return False
        if not self.buffer:
            self.first_ns = now_ns
        self.buffer.append(message)
        self.buffer_bytes += size_bytes
        self.known.add(message)
        self.known_bytes += size_bytes
        return True

    def take(self) -> list[Message]:
        """The messages that wait. They stay known."""
        messages, self.buffer, self.buffer_bytes = self.buffer, [], 0
        return messages

    def forget(self, messages: list[Message]) -> None:
        """They are new if they come again."""
        self.known.difference_update(messages)
        self.known_bytes -= sum(map(_size_bytes, messages))


class DigestStreams:
    """Turns what the data plane learns into ``DigestList`` messages. Times are monotonic, in ns."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._streams: dict[int, _Stream] = {}
        self._list_ids = itertools.count(1)
        self.dropped = 0
        """Messages for which there was no room: nobody acknowledges, or too slowly."""

    def learn(self, native_id: int, messages: Sequence[Sequence[bytes]], now_ns: int) -> Iterator[p4r.DigestList]:
        """Take digest messages of the data plane; lists that are full come out."""
        digest_id = self._state.pipeline.digest_ids.get(native_id)
        config = self._state.digests.settled.get(digest_id) if digest_id is not None else None
        if digest_id is None or config is None:
            return
        stream = self._streams.setdefault(digest_id, _Stream())
        self._forget(stream, config, now_ns)
        size = config.max_list_size or DEFAULT_LIST_SIZE
        for fields in messages:
            message = tuple(fields)
            if message in stream.known:
                continue
            if not stream.add(message, now_ns):
                self.dropped += 1
                continue
            is_full = len(stream.buffer) >= size or stream.buffer_bytes >= DIGEST_LIST_BYTES
            if is_full or config.max_timeout_ns == 0:
                yield self._flush(digest_id, stream, config, now_ns)

    def due(self, now_ns: int) -> Iterator[p4r.DigestList]:
        """Lists whose oldest message has waited long enough."""
        for digest_id, stream in list(self._streams.items()):
            config = self._state.digests.settled.get(digest_id)
            if config is None:
                del self._streams[digest_id]
                continue
            self._forget(stream, config, now_ns)
            if stream.buffer and now_ns - stream.first_ns >= config.max_timeout_ns:
                yield self._flush(digest_id, stream, config, now_ns)

    def acknowledge(self, ack: p4r.DigestListAck) -> None:
        """Forget an acknowledged list, so that the same data is reported again."""
        if ack.digest_id not in self._state.pipeline.digests:
            raise invalid(f"no digest has id {ack.digest_id}")
        stream = self._streams.get(ack.digest_id)
        if stream is not None and ack.list_id in stream.sent:
            stream.forget(stream.sent.pop(ack.list_id)[1])

    @staticmethod
    def _forget(stream: _Stream, config: p4r.DigestEntry.Config, now_ns: int) -> None:
        while stream.sent:
            list_id, (sent_ns, messages) = next(iter(stream.sent.items()))
            if now_ns - sent_ns < config.ack_timeout_ns:
                return
            del stream.sent[list_id]
            stream.forget(messages)

    def _flush(self, digest_id: int, stream: _Stream, config: p4r.DigestEntry.Config, now_ns: int) -> p4r.DigestList:
        digest = self._state.pipeline.digests[digest_id]
        what = f"digest {digest.preamble.name!r}"
        message = p4r.DigestList(digest_id=digest_id, list_id=next(self._list_ids))
        messages = stream.take()
        for fields in messages:
            data = encode_fields(digest.type_spec, self._state.pipeline.types, iter(fields), what)
            message.data.append(data)
        if config.ack_timeout_ns:
            stream.sent[message.list_id] = (now_ns, messages)
        else:
            stream.forget(messages)
        return message
