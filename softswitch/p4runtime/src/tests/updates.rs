// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

use super::*;

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
    let mut set = m::RawSet::default();
    set.merge(&[0x08, 1][..]).unwrap();
    let set = does(ActionType::Set(set));
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

/// Protobuf merges a message of a oneof that comes again, and another member replaces it.
#[test]
fn a_oneof_that_comes_twice_is_what_protobuf_says() {
    let set = |weight| {
        let action = Some(call(&[(1, 2)]));
        let watch = None;
        let actions = vec![m::SetMember {
            action,
            weight,
            watch,
        }];
        let set = m::ActionSet {
            actions,
            mode: 1,
            size_semantics: 0,
        };
        does(ActionType::Set(m::RawSet::of(&set)))
            .unwrap()
            .encode_to_vec()
    };
    let one = |given| does(given).unwrap().encode_to_vec();
    let decoded = |parts: &[Vec<u8>]| {
        let action = m::TableAction::decode(&*parts.concat()).unwrap();
        action.given.unwrap()
    };
    let ActionType::Set(both) = decoded(&[set(1), set(2)]) else {
        panic!("the last one is a set");
    };
    let both: m::ActionSet = both.decode_set().unwrap();
    let weights: Vec<i32> = both.actions.iter().map(|action| action.weight).collect();
    assert_eq!((weights, both.mode), (vec![1, 2], 1));
    let merged = decoded(&[
        one(ActionType::Action(call(&[(1, 2)]))),
        one(ActionType::Action(call(&[(2, 3)]))),
    ]);
    assert_eq!(merged, ActionType::Action(call(&[(1, 2), (2, 3)])));
    let last = decoded(&[set(1), one(ActionType::Member(4))]);
    assert_eq!(last, ActionType::Member(4));
    let ActionType::Set(last) = decoded(&[set(1), one(ActionType::Group(4)), set(2)]) else {
        panic!("the last one is a set");
    };
    let last: m::ActionSet = last.decode_set().unwrap();
    assert_eq!(last.actions[0].weight, 2);
}

/// Fields of all wire types, some cut off.
#[test]
fn a_set_keeps_its_fields_as_they_came() {
    let fields: [&[u8]; 5] = [
        &[0x20, 0x96, 0x01],
        &[0x29, 1, 2, 3, 4, 5, 6, 7, 8],
        &[0x32, 2, 7, 7],
        &[0x3b, 0x08, 1, 0x3c],
        &[0x45, 1, 2, 3, 4],
    ];
    for field in fields {
        let set = m::RawSet::decode(field).unwrap();
        assert!(set.has_newer_fields());
        assert_eq!(set.decode_set(), Some(m::ActionSet::default()));
        for end in 1..field.len() {
            assert!(m::RawSet::decode(&field[..end]).is_err());
        }
    }
    assert!(!m::RawSet::decode(&[0x10, 1][..])
        .unwrap()
        .has_newer_fields());
    assert!(m::RawSet::decode(&[0x0c][..]).is_err());
}
