# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0

import pytest
from hypothesis import given
from hypothesis import strategies as st
from quench_switch.stf.syntax import (
    Action,
    Add,
    CheckCounter,
    Command,
    Expect,
    Match,
    NoPacket,
    Packet,
    Remove,
    SetDefault,
    StfSyntaxError,
    Wait,
    parse,
)


def one(text):
    (statement,) = parse(text, "t.stf")
    return statement.body


@pytest.mark.parametrize(
    ("text", "body"),
    [
        ("packet 0 01 02 aB", Packet(0, b"\x01\x02\xab")),
        ("PACKET 12 00", Packet(12, b"\0")),
        ("expect 1 01** $", Expect(1, "01**", True)),
        ("expect 1 01 0*", Expect(1, "010*", False)),
        ("expect 3", Expect(3, None, False)),
        ("expect 3 $", Expect(3, "", True)),
        ("no_packet", NoPacket()),
        ("wait", Wait()),
        ("add t f:1 a()", Add("t", None, (Match("f", "1"),), Action("a", ()), None)),
        (
            "ADD c.t 10 h.f[0].x:0x12** h.$valid:0b1 k$1.y:10..20 c.act(p:0x7F, q:2) = entry_1",
            Add(
                "c.t",
                10,
                (Match("h.f[0].x", "0x12**"), Match("h.$valid", "0b1"), Match("k$1.y", "10..20")),
                Action("c.act", (("p", "0x7F"), ("q", "2"))),
                "entry_1",
            ),
        ),
        ("add t f:10/8 g:3&&&1 h:1->4 i:* a()", None),
        ('add "odd name" f:1 a()', Add("odd name", None, (Match("f", "1"),), Action("a", ()), None)),
        ("add t a()", Add("t", None, (), Action("a", ()), None)),
        ("setdefault t a(p:1)", SetDefault("t", Action("a", (("p", "1"),)))),
        ("remove all", Remove()),
        ("remove $e", Remove(handle="e")),
        ("remove t 3 f:1", Remove("t", 3, (Match("f", "1"),))),
        ("check_counter c(3) packets >= 2", CheckCounter("c", 3, "packets", ">=", 2)),
        ("check_counter c($e) bytes == 0x10", CheckCounter("c", "e", "bytes", "==", 16)),
        ("check_counter c(3)", CheckCounter("c", 3, None, "==", 0)),
        ("mirroring_add 5 0x3", Command("mirroring_add", ("5", "0x3"))),
        ("mc_node_create 7 1 2 3", Command("mc_node_create", ("7", "1", "2", "3"))),
        ("meter_set_rates m 1 0.5:2 1:3", Command("meter_set_rates", ("m", "1", "0.5:2", "1:3"))),
    ],
)
def test_statements(text, body):
    parsed = one(text)
    if body is None:
        assert [match.value for match in parsed.matches] == ["10/8", "3&&&1", "1..4", "*"]
    else:
        assert parsed == body


def test_comments_and_empty_lines_are_skipped_and_lines_are_counted():
    text = "# a comment\n\n  packet 0 00 # another\n\twait\n"
    assert [statement.line for statement in parse(text, "t.stf")] == [3, 4]


@pytest.mark.parametrize(
    "text",
    ['add "a#b" "f #":1 "x"()', 'add "a#b" "f #":1 "x"() # a comment', 'add "a#b" "f #":1 "x"() # with one "'],
)
def test_quoted_names_have_any_characters(text):
    assert one(text) == Add("a#b", None, (Match("f #", "1"),), Action("x", ()), None)


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("pakcet 0 00", "t.stf:1:1: unknown statement"),
        ("packet 0 0", "t.stf:1:7: 1 hex digits"),
        ("packet 0 0g", "t.stf:1:7: expected the packet"),
        ("packet", "t.stf:1:7: expected a port"),
        ("packet x 00", "t.stf:1:7: expected a port"),
        ("expect 1 0$0", "t.stf:1:7: expected hex"),
        ("add t f:1", "t.stf:1:10: expected a name"),
        ("add t f 1 a()", "t.stf:1:9: expected ':'"),
        ("add t f:1 a(", "t.stf:1:13: expected a name"),
        ("add t f:1 a(p:1 q:2)", "t.stf:1:17: expected ','"),
        ("add t f:1 a() b", "t.stf:1:15: unexpected text"),
        ("add t f:1 a(p:0x*)", "t.stf:1:18: '*' stands"),
        ("wait 3", "t.stf:1:6: unexpected text"),
        ("check_counter c(1) frames == 2", "t.stf:1:20: expected 'packets' or 'bytes'"),
        ("mirroring_add 5", "t.stf:1:14: mirroring_add takes 2"),
        ("add t f:@ a()", "t.stf:1:9: unexpected"),
        ("42", "t.stf:1:1: a statement starts"),
    ],
)
def test_errors_say_where(text, where):
    with pytest.raises(StfSyntaxError) as caught:
        one(text)
    assert str(caught.value).startswith(where)


KEYWORDS = ["add", "setdefault", "remove", "check_counter", "packet", "expect", "no_packet", "wait", "mc_node_create"]
PIECES = [
    "all",
    "t",
    "t[1].f",
    "$e",
    "0x1*",
    "12",
    "1/2",
    "1..3",
    "1&&&2",
    ":",
    "(",
    ")",
    "=",
    ",",
    "*",
    "a(p:1)",
    "f:1",
]
WORDS = st.sampled_from([*KEYWORDS, *PIECES])


@given(st.lists(st.one_of(WORDS, st.text(max_size=4)), max_size=8).map(" ".join))
def test_any_text_is_parsed_or_refused_with_its_place(text):
    try:
        list(parse(text, "t.stf"))
    except StfSyntaxError as error:
        assert str(error).startswith("t.stf:")
