# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Messages of ``log_msg`` and digests against those that were expected. Both are compared as text."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from .compare import Difference
from .names import StfError, resolve
from .statements import ExpectDigest


@dataclass(slots=True)
class Messages:
    """Expected and received messages of one kind, in order. Where none is expected, none is kept."""

    kind: str
    expected: list[tuple[int, str]] = field(default_factory=list)
    received: list[str] = field(default_factory=list)

    def difference(self, last_line: int) -> Difference | None:
        """The first message that is not as expected, is missing, or was not expected."""
        for place, (line, wanted) in enumerate(self.expected):
            if place >= len(self.received):
                return Difference(line, f"{self.kind}: expected {wanted!r}, nothing more came")
            if self.received[place] != wanted:
                return Difference(line, f"{self.kind}: expected {wanted!r}, received {self.received[place]!r}")
        if self.expected and len(self.received) > len(self.expected):
            return Difference(last_line, f"{self.kind}: {self.received[len(self.expected)]!r} was not expected")
        return None


def expected_digest(expected: ExpectDigest, known: Iterable[Mapping[str, Any]]) -> str:
    """The text of an expected digest message. Raises :class:`StfError` if the program has none like it."""
    digests = {digest["name"]: digest for digest in known}
    digest = digests[resolve(expected.digest, digests, "digest")]
    name, fields = digest["name"], digest["fields"]
    if len(expected.values) != len(fields):
        raise StfError(f"digest {name!r} has {len(fields)} fields, not {len(expected.values)}")
    for member, value in zip(fields, expected.values, strict=True):
        if value >> member["bits"]:
            raise StfError(f"{value:#x} does not fit in the {member['bits']} bits of {member['name']!r}")
    return _text(name, expected.values)


def received_digests(
    lists: Iterable[tuple[int, Sequence[Sequence[bytes]], int]], program: Mapping[str, Any]
) -> list[str]:
    """The texts of the digest messages that a switch gave."""
    names = {digest["id"]: digest["name"] for digest in program["digests"]}
    return [
        _text(names[digest_id], (int.from_bytes(value, "big") for value in values))
        for digest_id, messages, _ in lists
        for values in messages
    ]


def _text(name: str, values: Iterable[int]) -> str:
    return " ".join([name, *(f"{value:#x}" for value in values)])


@contextmanager
def program_log(keep: Callable[[str], None]) -> Iterator[None]:
    """Hand over each message of ``log_msg``, which the data plane logs by the logger ``p4`` at INFO.

    Other handlers get the messages only where they would have got them anyway.
    """

    class Handler(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            keep(record.getMessage())

    logger, handler = logging.getLogger("p4"), Handler()
    level, propagates = logger.level, logger.propagate
    logger.propagate = propagates and logger.isEnabledFor(logging.INFO)
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.setLevel(level)
        logger.propagate = propagates
        logger.removeHandler(handler)
