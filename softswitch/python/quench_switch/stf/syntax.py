# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Statements of an STF file. One statement a line, ``#`` starts a comment, keywords in any case.

Written by hand. An LALR grammar of lark took four times as long for an ``add`` (0.54 ms instead of 0.13 ms), words its
errors as sets of terminals, and needs a lexer of its own for packets and commands, whose rest of the line is no token.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from .statements import (
    Action,
    Add,
    AddMember,
    Body,
    CheckCounter,
    Command,
    Expect,
    ExpectDigest,
    ExpectLog,
    Match,
    NoPacket,
    Packet,
    Remove,
    SetDefault,
    Statement,
    Wait,
)

MAX_STATEMENTS: Final = 100_000
MAX_LINE_CHARACTERS: Final = 1 << 20
MAX_TOKENS: Final = 20_000
"""The largest number of tokens of a statement."""
MAX_NUMBER_CHARACTERS: Final = 65_538
"""The widest field in binary. Decimal numbers end where Python's do, at 4300 digits."""


class StfSyntaxError(ValueError):
    """A line that is not STF; the message starts with ``file:line:column``."""


COMMANDS: Final = {
    "mirroring_add": (2, 3),
    "mirroring_add_mc": (2, 2),
    "mirroring_delete": (1, 1),
    "mirroring_get": (1, 1),
    "mc_mgrp_create": (1, 1),
    "mc_mgrp_destroy": (1, 1),
    "mc_node_create": (1, None),
    "mc_node_update": (1, None),
    "mc_node_destroy": (1, 1),
    "mc_node_associate": (2, 2),
    "mc_node_dissociate": (2, 2),
    "mc_exclude_node": (2, 3),
    "mc_exclude_ports": (1, None),
    "port_metadata": (2, 2),
    "generate": (2, 9),
    "port_down": (1, 1),
    "port_up": (1, 1),
    "port_clear": (1, 1),
    "filter_set": (6, 7),
    "group_add": (2, None),
    "value_set_add": (2, None),
    "counter_read": (2, 2),
    "counter_write": (4, 4),
    "counter_reset": (1, 1),
    "register_read": (1, 2),
    "register_write": (3, 3),
    "register_reset": (1, 1),
    "meter_get_rates": (2, 2),
    "meter_set_rates": (4, 4),
    "meter_array_set_rates": (3, 3),
    "set_queue_rate": (2, 3),
    "set_crc16_parameters": (6, 6),
    "set_crc32_parameters": (6, 6),
}
"""Fewest and most arguments of each command; None is no limit."""

_TOO_LONG = "the number is too long"
_NUMBER = r"0[xX][0-9a-fA-F*]+|0[bB][01*]+|0[oO][0-7*]+|[0-9]+"
_NAME = r"[A-Za-z_$][A-Za-z_$0-9]*"
_CODE: Final = re.compile(r'(?:[^"#]+|"[^"]*"|")*')
"""A line up to its comment. Names of P4 may have any characters."""
_TOKEN: Final = re.compile(
    rf"\s*(?:(?P<number>{_NUMBER})(?![A-Za-z0-9_])|(?P<name>{_NAME})|\"(?P<quoted>[^\"]+)\""
    r"|(?P<symbol>&&&|\.\.|->|==|!=|<=|>=|[<>=:,.()\[\]/*]))"
)


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    column: int


class _Line:
    """Tokens of one line and the productions over them."""

    def __init__(self, text: str, number: int, file: str) -> None:
        self._text = text
        self._number = number
        self._file = file
        self._tokens: list[_Token] = []
        self._place = 0

    def error(self, message: str, column: int | None = None) -> StfSyntaxError:
        if column is None:
            token = self._peek()
            column = token.column if token is not None else len(self._text) + 1
        return StfSyntaxError(f"{self._file}:{self._number}:{column}: {message}")

    def keyword(self) -> tuple[str, str, int]:
        """First word in lower case, the text after it and where that starts."""
        match = re.match(r"\s*([A-Za-z_][A-Za-z_0-9]*)(?=\s|$|\()", self._text)
        if match is None:
            raise self.error("a statement starts with a keyword", 1)
        return match[1].lower(), self._text[match.end() :], match.end()

    def tokenize(self, start: int) -> None:
        """Prepare the productions; ``start`` is where the text after the keyword begins."""
        place = start
        end = len(self._text.rstrip())
        while place < end:
            match = _TOKEN.match(self._text, place)
            if match is None or match.lastgroup is None:
                raise self.error(f"unexpected {self._text[place:].strip()[:10]!r}", place + 1)
            kind = match.lastgroup
            self._tokens.append(_Token("name" if kind == "quoted" else kind, match[kind], match.start(kind) + 1))
            place = match.end()
            if len(self._tokens) > MAX_TOKENS:
                raise self.error(f"more than {MAX_TOKENS} words and symbols in a statement", place)
            if match.lastgroup == "number" and len(match["number"]) > MAX_NUMBER_CHARACTERS:
                raise self.error(_TOO_LONG, match.start("number") + 1)

    def _peek(self, ahead: int = 0) -> _Token | None:
        place = self._place + ahead
        return self._tokens[place] if place < len(self._tokens) else None

    def _next_is(self, *symbols: str, ahead: int = 0) -> bool:
        token = self._peek(ahead)
        return token is not None and token.kind == "symbol" and token.text in symbols

    def _take(self, what: str, kind: str, *texts: str) -> str:
        token = self._peek()
        if token is None or token.kind != kind or (texts and token.text not in texts):
            raise self.error(f"expected {what}, found {'the end' if token is None else repr(token.text)}")
        self._place += 1
        return token.text

    def _symbol(self, *symbols: str) -> str:
        return self._take(" or ".join(repr(symbol) for symbol in symbols), "symbol", *symbols)

    def end(self) -> None:
        if self._peek() is not None:
            raise self.error("unexpected text after the statement")

    def at_end(self) -> bool:
        return self._peek() is None

    def name(self) -> str:
        """A dotted name, indices included: ``hdr.stack[0].f``."""
        text = self._take("a name", "name")
        while True:
            if self._next_is("."):
                self._place += 1
                text += "." + self._take("a name", "name")
            elif self._next_is("["):
                self._place += 1
                text += f"[{self._take('an index', 'number')}]"
                self._symbol("]")
            else:
                return text

    def number(self) -> int:
        return int(text) if (text := self._number_text()).isdigit() else int(text, 0)

    def _number_text(self) -> str:
        token = self._peek()
        text = self._take("a number", "number")
        if "*" in text:
            raise self.error("'*' stands in match values only")
        self.integer(text, token.column if token is not None else None)
        return text

    def integer(self, text: str, column: int | None) -> int:
        """The number that the digits are. Raises StfSyntaxError."""
        try:
            return int(text) if text.isdigit() else int(text, 0)
        except ValueError as error:
            raise self.error(_TOO_LONG, column) from error

    def _value(self) -> str:
        """``number``, ``*``, ``value/prefix``, ``value&&&mask`` or ``low..high``."""
        if self._next_is("*"):
            self._place += 1
            return "*"
        text = self._take("a value", "number")
        if self._next_is("/", "&&&", "..", "->"):
            symbol = self._symbol("/", "&&&", "..", "->")
            text += (".." if symbol == "->" else symbol) + self._take("a number", "number")
        return text

    def priority(self) -> int | None:
        token = self._peek()
        return self.number() if token is not None and token.kind == "number" else None

    def matches(self) -> tuple[Match, ...]:
        """Matches up to the action, which is the name that a parenthesis follows."""
        found = []
        while not self.at_end() and not self._at_action():
            field = self.name()
            self._symbol(":")
            found.append(Match(field, self._value()))
        return tuple(found)

    def _at_action(self) -> bool:
        ahead = 0
        while (token := self._peek(ahead)) is not None and (token.kind == "name" or token.text in ".[]"):
            ahead += 1
            if token.text == "[":
                ahead += 1
        return ahead > 0 and self._next_is("(", ahead=ahead)

    def action(self) -> Action:
        name = self.name()
        self._symbol("(")
        args: list[tuple[str, str]] = []
        while not self._next_is(")"):
            if args:
                self._symbol(",")
            arg = self.name()
            self._symbol(":")
            args.append((arg, self._number_text()))
        self._symbol(")")
        return Action(name, tuple(args))

    def handle(self) -> str | None:
        if not self._next_is("="):
            return None
        self._place += 1
        return self._take("a name", "name")

    def check_counter(self) -> CheckCounter:
        counter = self.name()
        self._symbol("(")
        token = self._peek()
        index: int | str
        if token is not None and token.kind == "name":
            index = self._take("a name", "name").removeprefix("$")
        else:
            index = self.number()
        self._symbol(")")
        if self.at_end():
            return CheckCounter(counter, index, None, "==", 0)
        unit = self._take("'packets' or 'bytes'", "name", "packets", "bytes")
        comparison = self._symbol("==", "!=", "<=", ">=", "<", ">")
        return CheckCounter(counter, index, unit, comparison, self.number())  # type: ignore[arg-type]


def _packet_port(line: _Line, rest: str, start: int) -> tuple[int, str]:
    match = re.match(r"\s*([0-9]+)(?:\s+|$)", rest)
    if match is None:
        raise line.error("expected a port number", start + 1)
    return line.integer(match[1], start + 1), re.sub(r"\s+", "", rest[match.end() :]).upper()


def _packet(line: _Line, rest: str, start: int) -> Packet:
    port, data = _packet_port(line, rest, start)
    if not data or re.fullmatch(r"[0-9A-F]+", data) is None:
        raise line.error("expected the packet in hex digits", start + 1)
    if len(data) % 2:
        raise line.error(f"{len(data)} hex digits are not a whole number of bytes", start + 1)
    return Packet(port, bytes.fromhex(data))


def _expect(line: _Line, rest: str, start: int) -> Expect:
    port, data = _packet_port(line, rest, start)
    if re.fullmatch(r"[0-9A-F*]*\$?", data) is None:
        raise line.error("expected hex digits, '*' for any digit and '$' for the end", start + 1)
    exact = data.endswith("$")
    return Expect(port, data.removesuffix("$") or ("" if exact else None), exact)


def _expect_digest(line: _Line) -> ExpectDigest:
    name, values = line.name(), []
    while not line.at_end():
        values.append(line.number())
    return ExpectDigest(name, tuple(values))


def _add(line: _Line) -> Add:
    return Add(line.name(), line.priority(), line.matches(), line.action(), line.handle())


def _set_default(line: _Line) -> SetDefault:
    return SetDefault(line.name(), line.action())


def _remove(line: _Line) -> Remove:
    name = line.name()
    if line.at_end():
        return Remove() if name.lower() == "all" else Remove(handle=name.removeprefix("$"))
    return Remove(name, line.priority(), line.matches())


def _member_add(line: _Line) -> AddMember:
    return AddMember(line.name(), line.number(), line.action())


_PRODUCTIONS: Final[dict[str, Callable[[_Line], Body]]] = {
    "add": _add,
    "setdefault": _set_default,
    "remove": _remove,
    "member_add": _member_add,
    "check_counter": _Line.check_counter,
    "expect_digest": _expect_digest,
    "no_packet": lambda _: NoPacket(),
    "wait": lambda _: Wait(),
}


def _statement(line: _Line) -> Body:
    keyword, rest, start = line.keyword()
    if keyword == "packet":
        return _packet(line, rest, start)
    if keyword == "expect":
        return _expect(line, rest, start)
    if keyword == "expect_log":
        return ExpectLog(rest.strip())
    if keyword in COMMANDS:
        args = tuple(rest.split())
        low, high = COMMANDS[keyword]
        if len(args) < low or (high is not None and len(args) > high):
            wanted = f"{low}" if low == high else f"{low} or more" if high is None else f"{low} to {high}"
            raise line.error(f"{keyword} takes {wanted} arguments, not {len(args)}", start + 1)
        return Command(keyword, args)
    production = _PRODUCTIONS.get(keyword)
    if production is None:
        raise line.error(f"unknown statement {keyword!r}", 1)
    line.tokenize(start)
    body = production(line)
    line.end()
    return body


def parse(text: str, file: str) -> Iterator[Statement]:
    """Statements of a file. Raises :class:`StfSyntaxError` at the first line that is not one."""
    count = 0
    for number, full in enumerate(text.splitlines(), start=1):
        code = _CODE.match(full)
        content = code[0].rstrip() if code is not None else ""
        if content.strip():
            count += 1
            if count > MAX_STATEMENTS:
                raise StfSyntaxError(f"{file}:{number}:1: more than {MAX_STATEMENTS} statements")
            if len(content) > MAX_LINE_CHARACTERS:
                raise StfSyntaxError(f"{file}:{number}:1: the line has more than {MAX_LINE_CHARACTERS} characters")
            yield Statement(number, _statement(_Line(content, number, file)))
