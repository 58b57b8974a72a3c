# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Statements of an STF file. One statement a line, ``#`` starts a comment, keywords in any case."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, Literal


class StfSyntaxError(ValueError):
    """A line that is not STF; the message starts with ``file:line:column``."""


@dataclass(frozen=True, slots=True)
class Match:
    """``field:value`` of an ``add``; the value's meaning depends on the match kind of the field."""

    field: str
    value: str


@dataclass(frozen=True, slots=True)
class Action:
    """``name(arg:value, ...)``."""

    name: str
    args: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Add:
    """Insert an entry; the larger priority wins; ``handle`` names it for later statements."""

    table: str
    priority: int | None
    matches: tuple[Match, ...]
    action: Action
    handle: str | None


@dataclass(frozen=True, slots=True)
class SetDefault:
    """Set the default action of a table."""

    table: str
    action: Action


@dataclass(frozen=True, slots=True)
class Remove:
    """Remove one entry, by handle or by match, or all entries of all tables."""

    table: str | None = None
    priority: int | None = None
    matches: tuple[Match, ...] = ()
    handle: str | None = None


@dataclass(frozen=True, slots=True)
class Packet:
    """Send a packet into a port."""

    port: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Expect:
    """The next packet out of a port; ``pattern`` is upper-case hex with ``*`` digits, None for any packets."""

    port: int
    pattern: str | None
    exact_length: bool


@dataclass(frozen=True, slots=True)
class NoPacket:
    """Nothing beyond what was expected so far has come out."""


@dataclass(frozen=True, slots=True)
class Wait:
    """Let the switch finish, and a second pass."""


Comparison = Literal["==", "!=", "<", "<=", ">", ">="]


@dataclass(frozen=True, slots=True)
class CheckCounter:
    """Compare a counter: of an array by index, of an entry by the entry's handle."""

    counter: str
    index: int | str
    unit: Literal["packets", "bytes"] | None
    comparison: Comparison
    value: int


@dataclass(frozen=True, slots=True)
class Command:
    """A command of BMv2's runtime CLI, with its arguments as they stand."""

    name: str
    args: tuple[str, ...]


Body = Add | SetDefault | Remove | Packet | Expect | NoPacket | Wait | CheckCounter | Command


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement and the line it stands on."""

    line: int
    body: Body


COMMANDS: Final = {
    "mirroring_add": (2, 2),
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
    "counter_read": (2, 2),
    "counter_write": (4, 4),
    "counter_reset": (1, 1),
    "register_read": (1, 2),
    "register_write": (3, 3),
    "register_reset": (1, 1),
    "meter_get_rates": (2, 2),
    "meter_set_rates": (4, 4),
    "meter_array_set_rates": (3, 3),
}
"""Fewest and most arguments of each command; None is no limit."""

_NUMBER = r"0[xX][0-9a-fA-F*]+|0[bB][01*]+|0[oO][0-7*]+|[0-9]+"
_NAME = r"[A-Za-z_$][A-Za-z_$0-9]*"
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
        match = re.match(r"\s*([A-Za-z_]+)(?=\s|$|\()", self._text)
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
        text = self._take("a number", "number")
        if "*" in text:
            raise self.error("'*' stands in match values only")
        return int(text, 0) if not text.isdigit() else int(text)

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
            args.append((arg, str(self.number())))
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
    return int(match[1]), re.sub(r"\s+", "", rest[match.end() :]).upper()


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


def _add(line: _Line) -> Add:
    return Add(line.name(), line.priority(), line.matches(), line.action(), line.handle())


def _set_default(line: _Line) -> SetDefault:
    return SetDefault(line.name(), line.action())


def _remove(line: _Line) -> Remove:
    name = line.name()
    if line.at_end():
        return Remove() if name.lower() == "all" else Remove(handle=name.removeprefix("$"))
    return Remove(name, line.priority(), line.matches())


_PRODUCTIONS: Final[dict[str, Callable[[_Line], Body]]] = {
    "add": _add,
    "setdefault": _set_default,
    "remove": _remove,
    "check_counter": _Line.check_counter,
    "no_packet": lambda _: NoPacket(),
    "wait": lambda _: Wait(),
}


def _statement(line: _Line) -> Body:
    keyword, rest, start = line.keyword()
    if keyword == "packet":
        return _packet(line, rest, start)
    if keyword == "expect":
        return _expect(line, rest, start)
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
    for number, full in enumerate(text.splitlines(), start=1):
        content = full.split("#", 1)[0].rstrip()
        if content.strip():
            yield Statement(number, _statement(_Line(content, number, file)))
