# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""P4Info of p4c's Tofino back end in P4Runtime's own messages."""

import pytest
from finsy.proto import p4i
from google.protobuf import text_format
from quench_switch.tna.p4info import ExternError, described, standard, with_standard_ids, without_pipe

HEAD = 'pkg_info { arch: "tna" } '
SNAPSHOT = """
externs { extern_type_id: 145 extern_type_name: "Snapshot" instances {
  preamble { id: 6 name: "pipe.A.A" alias: "A" } info { [type.googleapis.com/barefoot.Snapshot] { pipe: "pipe" } } } }
"""


def parsed(text: str) -> p4i.P4Info:
    return text_format.Parse(HEAD + text, p4i.P4Info())


def extern(kind: str, content: str, name: str = "pipe.A.x") -> str:
    return f"""externs {{ extern_type_id: 129 extern_type_name: "{kind}" instances {{
      preamble {{ id: 5 name: "{name}" alias: "x" }}
      info {{ [type.googleapis.com/barefoot.{kind}] {{ {content} }} }} }} }}"""


@pytest.mark.parametrize(
    ("kind", "content", "expected"),
    [
        ("Counter", "spec { unit: PACKETS_AND_BYTES } size: 9", "counters { spec { unit: BOTH } size: 9"),
        (
            "DirectCounter",
            "spec { unit: BYTES } direct_table_id: 3",
            "direct_counters { spec { unit: BYTES } direct_table_id: 3",
        ),
        ("Meter", "spec { unit: PACKETS } size: 9", "meters { spec { unit: PACKETS } size: 9"),
        (
            "DirectMeter",
            "spec { unit: BYTES } direct_table_id: 3",
            "direct_meters { spec { unit: BYTES } direct_table_id: 3",
        ),
        ("ActionProfile", "table_ids: 3 size: 9", "action_profiles { table_ids: 3 size: 9"),
        (
            "RegisterParam",
            "type_spec { bool {} } table_id: 3 initial_value: 1",
            "registers { type_spec { bool {} } size: 1",
        ),
        (
            "ValueSet",
            "type_spec { bitstring { bit { bitwidth: 16 } } } size: 4",
            "value_sets { match { id: 1 bitwidth: 16 match_type: EXACT } size: 4",
        ),
    ],
)
def test_an_extern_becomes_what_p4runtime_has_for_it(kind: str, content: str, expected: str) -> None:
    preamble = 'preamble { id: 5 name: "pipe.A.x" alias: "x" } }'
    assert standard(parsed(extern(kind, content))) == parsed(f"{expected} {preamble}")


def test_a_selector_and_its_profile_become_one_object_whatever_their_order() -> None:
    selector = extern("ActionSelector", "max_group_size: 4 num_groups: 2 action_profile_id: 5", "pipe.A.y")
    selector = selector.replace("id: 5 name", "id: 8 name")
    profile = extern("ActionProfile", "table_ids: 3 size: 9")
    table = 'tables { preamble { id: 3 name: "pipe.A.t" alias: "t" } implementation_id: %d } '
    expected = """action_profiles { preamble { id: 5 name: "pipe.A.x" alias: "x" }
      table_ids: 3 with_selector: true size: 9 max_group_size: 4 }"""
    for both in (profile + selector, selector + profile):
        assert standard(parsed(table % 8 + both)) == parsed(table % 5 + expected)
    with pytest.raises(ExternError, match=r"'pipe.A.y' is a selector without an action profile"):
        standard(parsed(selector))


def test_a_value_set_of_structs_has_a_field_for_each_member() -> None:
    member = "type_spec { bitstring { bit { bitwidth: %d } } }"
    struct = 'structs { key: "s" value { members { name: "a" %s } members { name: "b" %s } } }'
    types = f"type_info {{ {struct} }} " % (member % 9, member % 16)
    found = standard(parsed(types + extern("ValueSet", 'type_spec { struct { name: "s" } } size: 4'))).value_sets[0]
    assert [(field.id, field.name, field.bitwidth) for field in found.match] == [(1, "a", 9), (2, "b", 16)]
    with pytest.raises(ExternError, match=r"'pipe.A.x' is a value set of other than"):
        standard(parsed(extern("ValueSet", 'type_spec { struct { name: "s" } } size: 4')))


def test_tables_refer_to_ids_of_p4runtime_and_to_nothing_else() -> None:
    tables = """tables { preamble { id: 3 } implementation_id: 0x81000005 direct_resource_ids: 0x8a000001
      direct_resource_ids: 0x84000006 } tables { preamble { id: 4 } }"""
    objects = """action_profiles { preamble { id: 0x%s000005 } } direct_counters { preamble { id: 0x%s000006 } }"""
    expected = """tables { preamble { id: 3 } implementation_id: 0x11000005 direct_resource_ids: 0x13000006 }
      tables { preamble { id: 4 } }"""
    found = with_standard_ids(parsed(tables + objects % (81, 84)))
    assert found == parsed(expected + objects % (11, 13))


def test_names_begin_with_the_control() -> None:
    table = 'tables { preamble { id: 1 name: "pipe.A.t" alias: "t" } } actions { preamble { id: 2 name: "pipe.b" } }'
    found = without_pipe(parsed(table + extern("Lpf", "size: 1") + SNAPSHOT))
    assert found.tables[0].preamble.name == "A.t"
    assert found.externs[0].instances[0].preamble.name == "A.x"
    # Actions have no pipe: this one's control has that name.
    assert found.actions[0].preamble.name == "pipe.b"


def test_the_other_form_has_no_pipe() -> None:
    info = parsed('tables { preamble { id: 1 name: "pipe.t" alias: "t" } }')
    assert without_pipe(standard(info)) == info


def test_other_architectures_stay() -> None:
    info = parsed(extern("Counter", "size: 1"))
    info.pkg_info.arch = "v1model"
    assert with_standard_ids(without_pipe(standard(info))) is info


def test_a_description_that_cannot_be_read_is_refused() -> None:
    for info in (parsed(extern("Lpf", "size: 1")), parsed(extern("Counter", "size: 1"))):
        info.externs[0].extern_type_name = "Counter"
        info.externs[0].instances[0].info.value = b"\xff"
        with pytest.raises(ExternError, match=r"'pipe.A.x' is not described as a Counter"):
            standard(info)


def test_a_number_that_p4runtime_has_no_room_for_is_refused() -> None:
    selector = extern("ActionSelector", "max_group_size: 4294967295 action_profile_id: 5")
    for text in (extern("Register", "size: 4294967295"), extern("ActionProfile", "size: 9") + selector):
        with pytest.raises(ExternError, match=r"'pipe.A.x' has a number that is too large"):
            standard(parsed(text))


def test_as_many_selectors_as_fit_into_a_message_take_no_minutes() -> None:
    """Each was looked for among all profiles and all tables: 20 000 took two minutes, and the switch waited."""
    info = parsed(extern("ActionProfile", "size: 9") + extern("ActionSelector", "max_group_size: 4"))
    profiles, selectors = (each.instances for each in info.externs)
    profile, selector = profiles.pop(), selectors.pop()
    found = described(selector, "ActionSelector")
    for id_ in range(1, 20_001):
        found.action_profile_id = id_
        profiles.add(preamble=p4i.Preamble(id=id_), info=profile.info)
        selectors.add(preamble=p4i.Preamble(id=id_)).info.Pack(found)
    assert all(profile.with_selector for profile in standard(info).action_profiles)
