# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0

import pytest
from quench_switch.stf.names import StfError, action_call, match_field, resolve, resolve_field, table_key
from quench_switch.stf.syntax import Action, Match


def test_names_may_be_a_unique_suffix():
    known = ["Ingress.table", "Egress.other_table", "Egress.t"]
    assert resolve("Ingress.table", known, "table") == "Ingress.table"
    assert resolve("table", known, "table") == "Ingress.table"
    assert resolve("other_table", known, "table") == "Egress.other_table"
    assert resolve("er_table", known, "table") == "Egress.other_table"
    with pytest.raises(StfError, match="ambiguous"):
        resolve("e", [*known, "A.e", "B.e"], "table")
    with pytest.raises(StfError, match=r"no table 'x'; the program has Ingress\.table"):
        resolve("x", known, "table")


def test_fields_have_the_spellings_of_bmv2():
    known = ["hdr.stack[1].f", "hdr.eth.$valid$", "meta.port", "hdr.ip.port"]
    assert resolve_field("stack$1.f", known) == 0
    assert resolve_field("hdr.eth.$valid", known) == 1
    assert resolve_field("eth.valid", known) == 1
    assert resolve_field("meta.port", known) == 2
    with pytest.raises(StfError, match="ambiguous"):
        resolve_field("port", known)
    with pytest.raises(StfError, match="no key field"):
        resolve_field("nothing", known)


@pytest.mark.parametrize(
    ("kind", "bits", "text", "match"),
    [
        ("exact", 16, "0x0800", ("exact", b"\x08\x00")),
        ("exact", 16, "8", ("exact", b"\x00\x08")),
        ("exact", 1, "0b1", ("exact", b"\x01")),
        ("valid", 1, "1", ("exact", b"\x01")),
        ("ternary", 16, "0x12**", ("ternary", b"\x12\x00", b"\xff\x00")),
        ("ternary", 16, "0x*2*4", ("ternary", b"\x02\x04", b"\x0f\x0f")),
        ("ternary", 16, "0x34", ("ternary", b"\x00\x34", b"\x00\xff")),
        ("ternary", 16, "52", ("ternary", b"\x00\x34", b"\xff\xff")),
        ("ternary", 16, "0x1234&&&0xff00", ("ternary", b"\x12\x00", b"\xff\x00")),
        ("ternary", 4, "0b1*0*", ("ternary", b"\x08", b"\x0a")),
        ("ternary", 9, "*", None),
        ("lpm", 32, "0x0a000001/8", ("lpm", b"\x0a\0\0\0", 8)),
        ("lpm", 32, "0x0a0000**", ("lpm", b"\x0a\0\0\0", 24)),
        ("lpm", 32, "0x0a000001", ("lpm", b"\x0a\0\0\1", 32)),
        ("lpm", 32, "7", ("lpm", b"\0\0\0\7", 32)),
        ("range", 8, "3..0x10", ("range", b"\x03", b"\x10")),
        ("range", 8, "3", ("range", b"\x03", b"\x03")),
        ("optional", 8, "3", ("optional", b"\x03")),
        ("optional", 8, "*", None),
    ],
)
def test_values(kind, bits, text, match):
    assert match_field(kind, bits, text, "f") == match


@pytest.mark.parametrize(
    ("kind", "text"), [("exact", "*"), ("exact", "0x100"), ("lpm", "1/33"), ("exact", "1..2"), ("range", "1..256")]
)
def test_values_that_do_not_fit_are_refused(kind, text):
    with pytest.raises(StfError):
        match_field(kind, 8, text, "f")


def test_keys_have_the_tables_order_and_defaults():
    table = {
        "key": [
            {"name": "h.a", "match": "exact", "bits": 8},
            {"name": "h.b", "match": "ternary", "bits": 8},
            {"name": "h.c", "match": "exact", "bits": 8},
        ]
    }
    assert table_key(table, [Match("c", "3")]) == [("exact", b"\0"), None, ("exact", b"\x03")]


def test_arguments_are_given_by_name():
    actions = {"c.a": {"params": [{"name": "x", "bits": 9}, {"name": "y", "bits": 8}]}}
    assert action_call(actions, ["c.a"], Action("a", (("y", "2"), ("x", "257")))) == ("c.a", [b"\x01\x01", b"\x02"])
    for args, message in [
        ((("x", "1"),), "'y' is missing"),
        ((("x", "1"), ("y", "1"), ("z", "1")), "no argument 'z'"),
        ((("x", "1"), ("x", "1"), ("y", "1")), "twice"),
        ((("x", "512"), ("y", "1")), "does not fit in 9 bits"),
    ]:
        with pytest.raises(StfError, match=message):
            action_call(actions, ["c.a"], Action("a", args))
