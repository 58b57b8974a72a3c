// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Members and groups of action profiles.

use quench_dataplane::control::{
    ErrorCode, Group, GroupMember, OneShotMember, OneShotSet, TableAction,
};
use quench_dataplane::Switch;
use serde_json::json;

use super::{forwarding, port};
use crate::common::*;

fn selector() -> Program {
    let mut program = forwarding(
        "exact",
        &[("exact", "a")],
        json!({"type": "indirect_ws", "action_profile": "p"}),
    );
    program.json["pipelines"][0]["action_profiles"] = json!([{"name": "p", "id": 1, "max_size": 4, "selector": {
        "algo": "identity", "input": [{"type": "field", "value": ["h", "b"]}]}}]);
    program
}

#[test]
fn groups_choose_by_hash_weight_and_live_ports() {
    let mut switch = selector().switch();
    for (member, port) in [(1, 11), (2, 12), (3, 13)] {
        switch
            .member_insert("p", member, action("out", &[port]))
            .unwrap();
    }
    let member = |member, weight, watch_port| GroupMember {
        member,
        weight,
        watch_port,
    };
    let group = Group {
        id: 5,
        members: vec![member(2, 2, Some(40)), member(1, 1, None)],
        max_size: 3,
    };
    switch.group_insert("p", group.clone()).unwrap();
    switch
        .table_insert("t", &[exact(1)], 0, TableAction::Group(5).into(), 0)
        .unwrap();
    let ports = |switch: &mut Switch| {
        (0..6)
            .map(|b| port(switch, [1, b, 0, 0]))
            .collect::<Vec<_>>()
    };
    assert_eq!(ports(&mut switch), [11, 12, 12, 11, 12, 12]);
    switch.set_port_up(40, false, 0);
    assert_eq!(ports(&mut switch), [11; 6]);
    switch.set_port_up(40, true, 0);
    switch.member_modify("p", 1, action("out", &[21])).unwrap();
    assert_eq!(ports(&mut switch), [21, 12, 12, 21, 12, 12]);
    let busy = [switch.member_delete("p", 1), switch.group_delete("p", 5)];
    assert!(busy
        .into_iter()
        .all(|result| result.unwrap_err().code == ErrorCode::FailedPrecondition));
    let large = Group {
        members: vec![member(3, 4, None)],
        ..group.clone()
    };
    assert_eq!(
        switch.group_modify("p", large).unwrap_err().code,
        ErrorCode::ResourceExhausted
    );
    assert_eq!(switch.groups("p").unwrap(), [group]);
    switch
        .group_modify(
            "p",
            Group {
                id: 5,
                members: vec![],
                max_size: 0,
            },
        )
        .unwrap();
    assert_eq!(ports(&mut switch), [0; 6]);
    switch.member_delete("p", 1).unwrap();
    switch.table_delete("t", &[exact(1)], 0).unwrap();
    switch.group_delete("p", 5).unwrap();
}

#[test]
fn one_shot_sets_and_single_members() {
    let mut switch = selector().switch();
    let one = |port, weight| OneShotMember {
        action: action("out", &[port]),
        weight,
        watch_port: Some(port as u32),
    };
    let set = TableAction::OneShot(OneShotSet {
        members: vec![one(31, 1), one(32, 1)],
        ..OneShotSet::default()
    });
    switch
        .table_insert("t", &[exact(1)], 0, set.clone().into(), 0)
        .unwrap();
    assert_eq!(
        [
            port(&mut switch, [1, 0, 0, 0]),
            port(&mut switch, [1, 1, 0, 0])
        ],
        [31, 32]
    );
    switch.set_port_up(32, false, 0);
    assert_eq!(port(&mut switch, [1, 1, 0, 0]), 31);
    let read = switch
        .table_get("t", &[exact(1)], 0, 0)
        .unwrap()
        .unwrap()
        .action;
    let TableAction::OneShot(read) = read else {
        panic!("{read:?}")
    };
    assert_eq!(read.members.len(), 2);
    // There are either such sets or members.
    let mixed = switch.member_insert("p", 9, action("other", &[]));
    assert_eq!(mixed.unwrap_err().code, ErrorCode::InvalidArgument);
    switch.table_delete("t", &[exact(1)], 0).unwrap();
    switch.member_insert("p", 9, action("other", &[])).unwrap();
    let mixed = switch.table_insert("t", &[exact(1)], 0, set.into(), 0);
    assert_eq!(mixed.unwrap_err().code, ErrorCode::InvalidArgument);
    switch
        .table_insert("t", &[exact(1)], 0, TableAction::Member(9).into(), 0)
        .unwrap();
    assert_eq!(port(&mut switch, [1, 0, 0, 0]), 100);
    let missing = switch.table_modify("t", &[exact(1)], 0, TableAction::Member(8).into(), 0);
    assert_eq!(missing.unwrap_err().code, ErrorCode::NotFound);
}

/// The hash is the same for all packets: what differs is drawn, by weight, and the same again from the same seed.
#[test]
fn a_random_set_selects_by_a_draw_for_each_packet() {
    let one = |port, weight| OneShotMember {
        action: action("out", &[port]),
        weight,
        watch_port: None,
    };
    let set = TableAction::OneShot(OneShotSet {
        members: vec![one(31, 1), one(32, 3)],
        random: true,
        note: 7,
    });
    let run = || -> Vec<u32> {
        let mut switch = selector().switch();
        let data = set.clone().into();
        switch.table_insert("t", &[exact(1)], 0, data, 0).unwrap();
        let entry = switch.table_get("t", &[exact(1)], 0, 0).unwrap().unwrap();
        assert_eq!(entry.action, set);
        (0..400).map(|_| port(&mut switch, [1, 0, 0, 0])).collect()
    };
    let ports = run();
    let rare = ports.iter().filter(|&&port| port == 31).count();
    assert!((60..140).contains(&rare), "{rare} of 400");
    assert!(ports.iter().all(|&port| port == 31 || port == 32));
    assert_eq!(run(), ports);
}
