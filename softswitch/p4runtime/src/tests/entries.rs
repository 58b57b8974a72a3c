// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

use super::*;

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
        let mut set = m::RawSet::of(&m::ActionSet {
            actions,
            mode: 2,
            size_semantics: 0,
        });
        if newer {
            set.merge(&[0x20, 1][..]).unwrap();
        }
        ActionType::Set(set)
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
