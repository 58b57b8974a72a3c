# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Types that controllers write as strings: ``@p4runtime_translation(URI, string)``.

The specification ("Translation of Port Numbers", "User-Defined Types") leaves the numbers behind the strings to the
target. Here a type's ``@p4runtime_translation_mappings`` come first, a decimal number is itself, and any other string
gets the largest number that is free. It keeps that number as long as the pipeline config runs.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable, Mapping

from .errors import cut, exhausted, invalid
from .limits import STRING_BYTES, STRING_OVERHEAD_BYTES, STRINGS_BYTES

_PAIR = re.compile(r'\{\s*"((?:[^"\\]|\\.)*)"\s*,\s*(\d+)\s*,?\s*\}')
_DECIMAL = re.compile(r"0|[1-9][0-9]*")
_MAPPINGS = "@p4runtime_translation_mappings"


def given_numbers(annotations: Iterable[str]) -> dict[str, int]:
    """Strings and numbers that a type's annotations in P4Info pair."""
    found = [_PAIR.findall(text) for text in annotations if text.startswith(_MAPPINGS)]
    return {re.sub(r"\\(.)", r"\1", text): int(number) for pairs in found for text, number in pairs}


class Room:
    """The memory that all types of a pipeline config share."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self._left_bytes = STRINGS_BYTES

    def take(self, text: str, what: str) -> None:
        """Room for one more string, while the lock is held."""
        size_bytes = len(text.encode())
        if size_bytes > STRING_BYTES:
            raise invalid(f"{what}: a string of {size_bytes} bytes, at most {STRING_BYTES} are allowed")
        size_bytes += STRING_OVERHEAD_BYTES
        if size_bytes > self._left_bytes:
            raise exhausted(f"{what}: no room for another string: the config's take {STRINGS_BYTES} bytes")
        self._left_bytes -= size_bytes


class Strings:
    """The strings of one type and the data plane's numbers of ``bits`` bits behind them."""

    def __init__(self, bits: int, given: Mapping[str, int], what: str, room: Room) -> None:
        self._what = what
        self._end = 1 << bits
        self._room = room
        self._numbers: dict[str, int] = {}
        self._strings: dict[int, str] = {}
        for text, number in given.items():
            if number >= self._end or number in self._strings:
                raise invalid(f"P4Info: {what} maps {cut(text)!r} to {number}, which is no free number of {bits} bits")
            self._add(text, number)
        self._next = self._end - 1

    def number(self, raw: bytes) -> int:
        """The number behind a controller's string; a new string gets one."""
        try:
            text = raw.decode("utf-8")
        except UnicodeDecodeError as error:
            raise invalid(f"{self._what}: the string is not UTF-8") from error
        with self._room.lock:
            number = self._numbers.get(text)
            if number is None:
                number = self._choose(text)
                self._add(text, number)
            return number

    def string(self, number: int) -> bytes:
        """The controller's string for a number: the decimal number where no string was given."""
        text = self._strings.get(number)
        return str(number).encode() if text is None else text.encode()

    def _add(self, text: str, number: int) -> None:
        self._room.take(text, self._what)
        self._numbers[text] = number
        self._strings[number] = text

    def _choose(self, text: str) -> int:
        if _DECIMAL.fullmatch(text) and len(text) <= len(str(self._end)) and int(text) < self._end:
            if int(text) in self._strings:
                taken = cut(self._strings[int(text)])
                raise invalid(f"{self._what}: the number {text} stands for {taken!r} already")
            return int(text)
        while self._next in self._strings:
            self._next -= 1
        if self._next < 0:
            raise exhausted(f"{self._what}: all {self._end} numbers behind its strings are in use")
        return self._next
