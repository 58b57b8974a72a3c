// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Selectors of Tofino.

use quench_dataplane::control::{ErrorCode, Group, GroupMember, TableAction};
use quench_dataplane::SwitchConfig;
use serde_json::Value;

use super::*;

/// A group of a selector, with what the program says of it.
fn selector(mode: &str, extra: Value) -> Program {
    let mut program = Program::new();
    let go = program.action(
        "go",
        &[("port", 9)],
        vec![assign(std("egress_spec"), param(0))],
    );
    let mut profile = json!({"name": "p", "id": 1, "max_size": 16, "selector": {"algo": "crc", "bits": 51,
        "mode": mode, "input": [{"type": "field", "value": ["h", "c"]}],
        "crc": {"width": 32, "coeff": "0x04c11db7", "reversed": true, "extended": true,
                "init": "0xffffffff", "xor": "0xffffffff"}}});
    for (attribute, value) in extra.as_object().expect("an object") {
        profile[attribute] = value.clone();
    }
    program.json["pipelines"][0]["action_profiles"] = json!([profile]);
    let key = [("exact", field("h", "a"))];
    let extra = json!({"type": "indirect_ws", "action_profile": "p"});
    program.table("t", "exact", &key, &[go], extra);
    program
}

fn group(weights: &[u32]) -> Group {
    let members = weights.iter().zip(1..);
    let members = members.map(|(&weight, member)| GroupMember {
        member,
        weight,
        watch_port: Some(member),
    });
    Group {
        id: 1,
        members: members.collect(),
        max_size: 0,
    }
}

#[test]
fn selectors_of_tofino_share_packets() {
    for mode in ["fair", "resilient"] {
        let mut switch = selector(mode, json!({"max_group_size": 8})).switch();
        for member in 1..=3 {
            let call = action("go", &[member]);
            switch
                .member_insert("p", member as u32, call)
                .expect("a member");
        }
        let large = switch.group_insert("p", group(&[4, 4, 1]));
        assert_eq!(
            large.expect_err("9 in all").code,
            ErrorCode::ResourceExhausted
        );
        switch
            .group_insert("p", group(&[1, 1, 1]))
            .expect("a group");
        let to_group = EntryData::from(TableAction::Group(1));
        switch
            .table_insert("t", &[exact(1)], 0, to_group, 0)
            .expect("an entry");
        let ports = |switch: &mut Switch| -> Vec<u32> {
            (0..600u16)
                .map(|c| send(switch, &[1, 0, (c >> 8) as u8, c as u8])[0].0)
                .collect()
        };
        let before = ports(&mut switch);
        for port in 1..=3 {
            // 200 expected, with a standard deviation of 12.
            let share = before.iter().filter(|&&taken| taken == port).count();
            assert!(share.abs_diff(200) < 60, "{mode}: {share}");
        }
        switch.set_port_up(2, false, 0);
        let after = ports(&mut switch);
        assert!(after.iter().all(|&port| port != 2));
        let moved = before
            .iter()
            .zip(&after)
            .filter(|(old, new)| old != new && **old != 2);
        // A fair selector counts its members anew.
        assert_eq!(moved.count() == 0, mode == "resilient");
    }
}

#[test]
fn selectors_have_limits() {
    let mut switch = selector("fair", json!({"num_groups": 1})).switch();
    switch
        .member_insert("p", 1, action("go", &[1]))
        .expect("a member");
    switch.group_insert("p", group(&[120])).expect("a group");
    let second = Group {
        id: 2,
        ..group(&[1])
    };
    let full = switch.group_insert("p", second).expect_err("one group");
    assert_eq!(full.code, ErrorCode::ResourceExhausted);
    let mut program = selector("fair", json!({}));
    let profile = &mut program.json["pipelines"][0]["action_profiles"][0];
    profile["selector"]["up"] = json!("r");
    let loaded = Switch::new(SwitchConfig::default()).load_json(&program.json.to_string());
    let message = loaded.expect_err("no such selectors").message;
    assert!(message.contains("register 'r'"), "{message}");
    for (mode, extra, why) in [
        ("odd", json!({}), "selector mode 'odd'"),
        (
            "fair",
            json!({"max_group_size": 1 << 20}),
            "members of a group",
        ),
        (
            "fair",
            json!({"max_group_size": 0}),
            "groups without members",
        ),
    ] {
        let program = selector(mode, extra).json.to_string();
        let loaded = Switch::new(SwitchConfig::default()).load_json(&program);
        let message = loaded.expect_err(why).message;
        assert!(
            message.contains(why) && message.contains("'p'"),
            "{message}"
        );
    }
}
