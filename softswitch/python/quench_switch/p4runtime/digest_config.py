# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``DigestEntry``: which digests are streamed and how they are batched."""

from __future__ import annotations

from collections.abc import Iterator

from quench_switch.messages import p4r

from .errors import Code, RequestError, invalid, not_found
from .state import DELETE, INSERT, State


class Digests:
    """Writes and reads of ``DigestEntry``."""

    def __init__(self, state: State) -> None:
        self._state = state

    def write(self, kind: int, entry: p4r.DigestEntry) -> None:
        """Apply one update."""
        digest = self._state.pipeline.digests.get(entry.digest_id)
        if digest is None:
            raise not_found(f"no digest has id {entry.digest_id}")
        what = f"digest {digest.preamble.name!r}"
        known = self._state.digests
        enabled = known.get(entry.digest_id) is not None
        if kind == INSERT and enabled:
            raise RequestError(Code.ALREADY_EXISTS, f"{what} is enabled already")
        if kind != INSERT and not enabled:
            raise not_found(f"{what} is not enabled")
        if kind == DELETE:
            known.remove(entry.digest_id)
            return
        config = entry.config
        if min(config.max_timeout_ns, config.max_list_size, config.ack_timeout_ns) < 0:
            raise invalid(f"{what}: timeouts and the list size cannot be negative")
        # A copy, as part of a request would keep all of it.
        copy = p4r.DigestEntry.Config(
            max_timeout_ns=config.max_timeout_ns,
            max_list_size=config.max_list_size,
            ack_timeout_ns=config.ack_timeout_ns,
        )
        known.put(entry.digest_id, copy)

    def read(self, entry: p4r.DigestEntry) -> Iterator[p4r.Entity]:
        """Configurations that the request selects; id 0 means all."""
        if entry.digest_id and entry.digest_id not in self._state.pipeline.digests:
            raise not_found(f"no digest has id {entry.digest_id}")
        for digest_id, config in list(self._state.digests.settled.items()):
            if entry.digest_id in (0, digest_id):
                yield p4r.Entity(digest_entry=p4r.DigestEntry(digest_id=digest_id, config=config))
