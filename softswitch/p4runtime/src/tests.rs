// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use prost::Message;
use quench_dataplane::control::{
    Change, ControlResult, CounterValue, ErrorCode, MatchField, TableAction,
};

use crate::actions::{ActionForm, ProfileForm, Scope, TableForm};
use crate::entries::{Direct, Forms, Server};
use crate::keys::{Field, FieldKind, KeyForm};
use crate::messages::{self as m, ActionType, Kind, MatchType, DELETE, INSERT, MODIFY};
use crate::updates::{split, Given, Updates};
use crate::values::ValueType;

fn value(what: &str, sdn_bits: u32, bits: u32) -> ValueType {
    ValueType {
        what: what.to_owned(),
        sdn_bits,
        bits,
        cpu_port: None,
        strings: None,
    }
}

fn field(id: u32, kind: FieldKind, bits: u32) -> Field {
    Field {
        id,
        kind,
        value: value(&format!("field {id}"), bits, bits),
        position: id as usize - 1,
        is_ternary: false,
    }
}

fn form(fields: Vec<Field>) -> KeyForm {
    let what = "table 't'".to_owned();
    KeyForm { what, fields }
}

fn given(field_id: u32, given: MatchType) -> m::FieldMatch {
    let given = Some(given);
    m::FieldMatch { field_id, given }
}

fn one(bytes: &[u8]) -> m::One {
    m::One {
        value: bytes.to_vec(),
    }
}

fn two(first: &[u8], second: &[u8]) -> m::Two {
    m::Two {
        first: first.to_vec(),
        second: second.to_vec(),
    }
}

fn lpm(value: &[u8], prefix_len: i32) -> m::Lpm {
    let value = value.to_vec();
    m::Lpm { value, prefix_len }
}

/// The code and the text of a refusal.
fn told<T: std::fmt::Debug>(result: ControlResult<T>) -> (ErrorCode, String) {
    let error = result.unwrap_err();
    (error.code, error.message)
}

#[test]
fn values_have_the_bytes_of_their_bits() {
    let nine = value("v", 16, 9);
    assert_eq!(nine.decode(&[0, 0, 1, 0xff]).unwrap(), [1, 0xff]);
    assert_eq!(nine.decode(&[7]).unwrap(), [0, 7]);
    assert_eq!(nine.max(), [1, 0xff]);
    assert_eq!(nine.decode_mask(&[0xff, 0xff]).unwrap(), [1, 0xff]);
    assert!(value("v", 0, 0).decode(&[0]).unwrap().is_empty());
    let refused = [
        (&[][..], "v: an empty byte string is not a value"),
        (&[2, 0], "v: 0x200 does not fit the data plane's 9 bits"),
        (&[1, 0, 0], "v: 0x010000 does not fit in 16 bits"),
        (&[9; 33], "v: a value of 33 bytes does not fit in 16 bits"),
    ];
    for (bytes, message) in refused {
        let want = (ErrorCode::OutOfRange, message.to_owned());
        assert_eq!(told(nine.decode(bytes)), want);
    }
    let port = ValueType {
        cpu_port: Some(510),
        ..value("p", 32, 9)
    };
    assert_eq!(port.decode(&[0xff, 0xff, 0xff, 0xfd]).unwrap(), [1, 0xfe]);
    assert!(port.decode(&[0xff, 0xff, 0xff, 0xfe]).is_err());
    let narrow = ValueType { bits: 8, ..port };
    let message = "p: 0x1fe does not fit the data plane's 8 bits".to_owned();
    let want = (ErrorCode::OutOfRange, message);
    assert_eq!(told(narrow.decode(&[0xff, 0xff, 0xff, 0xfd])), want);
}

#[test]
fn keys_have_the_data_planes_order_and_say_what_is_wrong() {
    let mut fields = vec![
        field(1, FieldKind::Exact, 12),
        field(2, FieldKind::Lpm, 12),
        field(3, FieldKind::Ternary, 12),
        field(4, FieldKind::Range, 12),
        field(5, FieldKind::Optional, 12),
    ];
    fields[4].is_ternary = true;
    let form = form(fields);
    let exact = given(1, MatchType::Exact(one(&[5])));
    let full = [
        given(5, MatchType::Optional(one(&[6]))),
        given(4, MatchType::Range(two(&[1], &[0xf, 0xff]))),
        given(3, MatchType::Ternary(two(&[2], &[2]))),
        given(2, MatchType::Lpm(lpm(&[0xa, 0xb0], 8))),
        exact.clone(),
    ];
    let key = form.decode(&full).unwrap();
    let want = [
        MatchField::Exact(vec![0, 5]),
        MatchField::Lpm(vec![0xa, 0xb0], 8),
        MatchField::Ternary(vec![0, 2], vec![0, 2]),
        MatchField::Range(vec![0, 1], vec![0xf, 0xff]),
        MatchField::Ternary(vec![0, 6], vec![0xf, 0xff]),
    ];
    assert_eq!(key, want);
    let open = form.decode(std::slice::from_ref(&exact)).unwrap();
    assert_eq!(
        open[1..],
        [
            MatchField::DontCare,
            MatchField::DontCare,
            MatchField::DontCare,
            MatchField::DontCare
        ]
    );
    let wrong = [
        (vec![], "field 1 is an exact match and has to be given"),
        (vec![exact.clone(), exact], "field 1 is given twice"),
        (
            vec![given(9, MatchType::Exact(one(&[1])))],
            "table 't' has no match field with id 9",
        ),
        (
            vec![given(1, MatchType::Lpm(lpm(&[1], 1)))],
            "field 1 is matched exact, the request gives lpm",
        ),
        (
            vec![m::FieldMatch {
                field_id: 2,
                given: None,
            }],
            "field 2 is matched lpm, the request gives nothing",
        ),
        (
            vec![given(2, MatchType::Lpm(lpm(&[1], 0)))],
            "field 2: leave a match out instead of giving it a prefix of 0 bits",
        ),
        (
            vec![given(2, MatchType::Lpm(lpm(&[1], -1)))],
            "field 2: a prefix of -1 bits does not fit 12 bits",
        ),
        (
            vec![given(2, MatchType::Lpm(lpm(&[0xa, 0xb8], 8)))],
            "field 2: 0xab8 has bits outside its 8 bit prefix",
        ),
        (
            vec![given(2, MatchType::Lpm(lpm(&[0xa, 0xb8], 2)))],
            "field 2: 0xab8 has bits outside its 2 bit prefix",
        ),
        (
            vec![given(3, MatchType::Ternary(two(&[3], &[2])))],
            "field 3: value 0x3 has bits outside its mask 0x2",
        ),
        (
            vec![given(3, MatchType::Ternary(two(&[0], &[0])))],
            "field 3: leave a match out instead of giving it an empty mask",
        ),
        (
            vec![given(4, MatchType::Range(two(&[3], &[2])))],
            "field 4: range 0x3..0x2 is empty",
        ),
        (
            vec![given(4, MatchType::Range(two(&[0], &[0xf, 0xff])))],
            "field 4: leave a match out instead of giving it the full range",
        ),
    ];
    for (matches, message) in wrong {
        let want = (ErrorCode::InvalidArgument, message.to_owned());
        assert_eq!(told(form.decode(&matches)), want);
    }
}

/// Roles may write all; the counter of an entry is what its message says.
struct Open;

impl Server for Open {
    fn may_write(&self, _: &'static str, table: u32, _: u32) -> ControlResult<()> {
        match table {
            13 => crate::refusal::denied("not the role's"),
            _ => Ok(()),
        }
    }

    fn direct(&self, entry: &[u8]) -> ControlResult<Direct> {
        let entry = m::TableEntry::decode(entry).unwrap();
        let counter = entry.counter_data.map(|data| CounterValue {
            packets: data.packet_count as u64,
            bytes: data.byte_count as u64,
        });
        let rates = None;
        Ok(Direct { counter, rates })
    }
}

fn forms() -> Forms {
    let action = Arc::new(ActionForm {
        name: "out".to_owned(),
        what: "action 'out'".to_owned(),
        params: vec![(1, value("port", 9, 9))],
    });
    let actions = HashMap::from([(7, action)]);
    let profile = Arc::new(ProfileForm {
        id: 3,
        name: "p".to_owned(),
        what: "action profile 'p'".to_owned(),
        actions: actions.clone(),
        with_selector: true,
        weights_disallowed: false,
        max_group_size: 4,
        by_members: false,
        max_member_weight: 0,
    });
    let table = |profile: Option<&Arc<ProfileForm>>| {
        Arc::new(TableForm {
            name: "t".to_owned(),
            key: form(vec![field(1, FieldKind::Exact, 8)]),
            actions: actions.clone(),
            scopes: HashMap::from([(7, Scope::All)]),
            profile: profile.cloned(),
            direct_meter: false,
            idle_timeout: false,
        })
    };
    Forms {
        tables: BTreeMap::from([(1, table(None)), (2, table(Some(&profile)))]),
        removed_tables: HashMap::from([(5, "'gone'".to_owned())]),
        profiles: HashMap::from([(3, profile)]),
        metadata_bytes: 4,
        state_factor: 16,
        state_bytes: 1000,
    }
}

fn call(params: &[(u32, u8)]) -> m::Action {
    let params = params.iter().map(|&(param_id, value)| m::Param {
        param_id,
        value: vec![value],
    });
    m::Action {
        action_id: 7,
        params: params.collect(),
    }
}

fn does(given: ActionType) -> Option<m::TableAction> {
    let given = Some(given);
    Some(m::TableAction { given })
}

fn entry(table_id: u32) -> m::TableEntry {
    m::TableEntry {
        table_id,
        matches: vec![given(1, MatchType::Exact(one(&[9])))],
        action: does(ActionType::Action(call(&[(1, 2)]))),
        ..Default::default()
    }
}

fn update(kind: i32, of: Kind) -> m::Update {
    let entity = Some(m::Entity { kind: Some(of) });
    m::Update { kind, entity }
}

#[test]
fn an_entry_is_one_change_and_one_for_each_direct_resource() {
    let forms = forms();
    let staged = |kind, entry| forms.stage(&Open, &update(kind, Kind::Table(Box::new(entry))), 40);
    let (changes, result) = staged(INSERT, entry(1));
    assert_eq!(result, Ok(()));
    let [Change::RoomCheck {
        coming_bytes: 640,
        most_bytes: 1000,
    }, Change::TableInsert(name, data)] = &changes[..]
    else {
        panic!("{changes:?}");
    };
    assert_eq!(
        (&*name.table, &name.key[..]),
        ("t", &[MatchField::Exact(vec![9])][..])
    );
    assert!(matches!(&data.action, TableAction::Action(call) if call.params == [[0, 2]]));
    let counted = m::TableEntry {
        action: None,
        counter_data: Some(m::CounterData {
            byte_count: 8,
            packet_count: 2,
        }),
        metadata: vec![1],
        ..entry(1)
    };
    let (changes, result) = staged(MODIFY, counted.clone());
    assert_eq!(result, Ok(()));
    let [_, Change::TableKeepAction { metadata, .. }, Change::DirectCounterWrite(_, counter)] =
        &changes[..]
    else {
        panic!("{changes:?}");
    };
    assert_eq!((metadata.len(), counter.packets, counter.bytes), (9, 2, 8));
    let (changes, _) = staged(DELETE, entry(1));
    assert!(matches!(changes[..], [Change::TableDelete(_)]));
    let refused = [
        (staged(4, entry(1)), "update type 4 is not INSERT, MODIFY or DELETE"),
        (staged(INSERT, entry(13)), "not the role's"),
        (staged(INSERT, entry(6)), "no table has id 6"),
        (
            staged(INSERT, entry(5)),
            "table 'gone' is in P4Info, but no packet reaches it: the device config has no such table",
        ),
        (staged(INSERT, counted), "table 't': the entry has no action"),
        (
            staged(INSERT, m::TableEntry { priority: 3, ..entry(1) }),
            "table 't': entries have no priority here, the request gives 3",
        ),
        (
            staged(INSERT, m::TableEntry { metadata: vec![0; 5], ..entry(1) }),
            "5 bytes of metadata, an entry has room for 4",
        ),
        (
            staged(INSERT, m::TableEntry { idle_timeout_ns: 1, ..entry(1) }),
            "table 't' does not support idle timeouts (support_timeout in the program)",
        ),
        (
            staged(INSERT, entry(2)),
            "table 't' uses an action profile: give a member, a group or a one-shot set",
        ),
    ];
    for ((_, result), message) in refused {
        assert_eq!(result.unwrap_err().message, message);
    }
}

#[test]
fn actions_members_and_groups_are_checked() {
    let forms = forms();
    let (plain, shared) = (&forms.tables[&1], &forms.tables[&2]);
    let action = |table: &TableForm, given| table.action(does(given).as_ref(), false);
    let set = |weight, newer: bool| {
        let member = m::SetMember {
            action: Some(call(&[(1, 2)])),
            weight,
            watch: Some(m::Watch::Number(3)),
        };
        let actions = vec![member];
        let mut bytes = m::ActionSet {
            actions,
            mode: 2,
            size_semantics: 0,
        }
        .encode_to_vec();
        if newer {
            bytes.extend([0x20, 1]);
        }
        ActionType::Set(bytes)
    };
    let shot = action(shared, set(4, false)).unwrap();
    let TableAction::OneShot(shot) = shot else {
        panic!("{shot:?}");
    };
    assert_eq!(
        (shot.random, shot.note, shot.members[0].watch_port),
        (true, 0x20, Some(3))
    );
    assert_eq!(
        action(shared, ActionType::Group(4)),
        Ok(TableAction::Group(4))
    );
    let refused = [
        (
            action(shared, set(5, false)),
            "table 't': the one-shot set has size 5, the maximum is 4",
        ),
        (
            action(shared, set(0, false)),
            "action profile 'p': weight 0 is not positive",
        ),
        (
            action(shared, set(1, true)),
            "table 't': the one-shot set has fields newer than P4Runtime 1.4 (group_action?)",
        ),
        (
            action(plain, ActionType::Member(1)),
            "table 't' has no action profile: give an action",
        ),
        (
            action(plain, ActionType::Action(call(&[]))),
            "port (id 1) is missing",
        ),
        (
            action(plain, ActionType::Action(call(&[(1, 2), (1, 2)]))),
            "action 'out': parameter 1 is given twice",
        ),
        (
            action(plain, ActionType::Action(call(&[(1, 2), (4, 2)]))),
            "action 'out' has no parameter with id 4",
        ),
    ];
    for (result, message) in refused {
        assert_eq!(result.unwrap_err().message, message);
    }
    let member = |id, action| {
        Kind::Member(m::Member {
            profile_id: 3,
            member_id: id,
            action,
        })
    };
    let (changes, result) =
        forms.stage(&Open, &update(INSERT, member(1, Some(call(&[(1, 1)])))), 9);
    assert!(result.is_ok() && matches!(changes[1], Change::MemberInsert(_, 1, _)));
    let (_, result) = forms.stage(&Open, &update(INSERT, member(0, None)), 9);
    assert_eq!(
        result.unwrap_err().message,
        "action profile 'p': member ids start at 1"
    );
    let of_group = |member_id, weight| m::GroupMember {
        member_id,
        weight,
        watch: None,
    };
    let group = |members, max_size| m::Group {
        profile_id: 3,
        group_id: 1,
        members,
        max_size,
    };
    let profile = &forms.profiles[&3];
    assert_eq!(
        profile
            .group(&group(vec![of_group(1, 1), of_group(2, 3)], 0))
            .unwrap()
            .len(),
        2
    );
    let (code, message) = told(profile.group(&group(vec![of_group(1, 3)], 2)));
    assert_eq!(code, ErrorCode::ResourceExhausted);
    assert_eq!(
        message,
        "action profile 'p' group 1: size 3 is above its maximum 2"
    );
    let (_, message) = told(profile.group(&group(vec![of_group(1, 1), of_group(1, 1)], 0)));
    assert_eq!(
        message,
        "action profile 'p' group 1: member 1 is given twice"
    );
}

/// A request with a device id, updates and an atomicity.
fn request(updates: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = vec![0x08, 1];
    for update in updates {
        bytes.push(0x22);
        bytes.push(update.len() as u8);
        bytes.extend_from_slice(update);
    }
    bytes.extend([0x28, 1]);
    bytes
}

#[test]
fn a_request_is_split_whatever_its_bytes() {
    let of_table = update(INSERT, Kind::Table(Box::new(entry(1)))).encode_to_vec();
    let default = update(
        MODIFY,
        Kind::Table(Box::new(m::TableEntry {
            is_default_action: true,
            ..entry(1)
        })),
    );
    let counter = update(MODIFY, Kind::Counter(vec![1, 2, 3])).encode_to_vec();
    let whole = request(&[of_table, default.encode_to_vec(), counter, vec![]]);
    let (header, updates) = split(&whole, 4).unwrap();
    assert_eq!(header, [0x08, 1, 0x28, 1]);
    let decoded = |updates: &Updates| -> Vec<bool> {
        let items = updates.items.iter();
        items
            .map(|item| matches!(item.update, Given::Decoded(_)))
            .collect()
    };
    assert_eq!(decoded(&updates), [true, false, false, false]);
    let (_, too_many) = split(&whole, 3).unwrap();
    assert_eq!((too_many.count, too_many.items.len()), (4, 0));
    for end in 0..whole.len() {
        // Each prefix is a request or is refused.
        let _ = split(&whole[..end], 4);
    }
    for place in 0..whole.len() {
        for byte in [0, 0x7f, 0x80, 0xff] {
            let mut broken = whole.clone();
            broken[place] = byte;
            if let Ok((_, updates)) = split(&broken, 4) {
                for item in &updates.items {
                    if let Given::Decoded(update) = &item.update {
                        let _ = forms().stage(&Open, update, item.size_bytes);
                    }
                }
            }
        }
    }
    // A set of actions is decoded with its entry; a known field of another wire type is not for prost to judge.
    let set = does(ActionType::Set(vec![0x0a, 9]));
    let broken = m::TableEntry {
        action: set,
        ..entry(2)
    };
    let broken = update(INSERT, Kind::Table(Box::new(broken))).encode_to_vec();
    let mut updates = Updates::default();
    for bytes in [&broken[..], &[0x0a, 0]] {
        updates.push(bytes);
    }
    assert_eq!(decoded(&updates), [false, false]);
}
