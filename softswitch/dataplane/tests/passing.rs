// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! A packet in one call against the same in three: everything comes out alike, and at the same time.

mod common;

use common::*;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use quench_dataplane::control::{CloneSession, Control, PortOptions, Replica};
use quench_dataplane::{Output, Switch, SwitchConfig};
use serde_json::json;

/// The first byte of a packet says what becomes of it in ingress, the third what does in egress. What egress sees of
/// queue and time is written into the packet.
fn program() -> Program {
    let mut program = Program::new();
    program.push(
        "field_lists",
        json!({"id": 1, "name": "kept", "elements": [{"type": "field", "value": ["meta", "x"]}]}),
    );
    program.push(
        "learn_lists",
        json!({"id": 1, "name": "learn", "elements": [{"type": "field", "value": ["h", "c"]}]}),
    );
    let again = assign(field("meta", "x"), hex(1));
    let first: Vec<(&str, Vec<serde_json::Value>)> = vec![
        (
            "clone",
            vec![prim("clone_ingress_pkt_to_egress", vec![hex(9), hex(1)])],
        ),
        ("group", vec![assign(std("mcast_grp"), hex(4))]),
        ("drop", vec![forward(511)]),
        ("again", vec![again.clone(), prim("resubmit", vec![hex(1)])]),
        ("learn", vec![prim("generate_digest", vec![hex(0), hex(1)])]),
        ("urgent", vec![assign(std("priority"), hex(1))]),
        ("nowhere", vec![assign(std("priority"), hex(7))]),
    ];
    let forwarding = assign(std("egress_spec"), field("h", "b"));
    program.ingress(vec![forwarding]);
    let actions: Vec<u32> = first
        .into_iter()
        .map(|(name, primitives)| program.action(name, &[], primitives))
        .collect();
    let key = [("exact", field("h", "a")), ("exact", field("meta", "x"))];
    program.table("kind", "exact", &key, &actions, json!({}));
    let depth = expr(
        "+",
        std("enq_qdepth"),
        expr("<<", std("deq_qdepth"), hex(8)),
    );
    program.egress(vec![
        assign(field("h", "c"), depth),
        assign(field("h", "a"), std("deq_timedelta")),
    ]);
    program
}

const KINDS: [&str; 7] = [
    "clone", "group", "drop", "again", "learn", "urgent", "nowhere",
];

fn replica(port: u32) -> Replica {
    Replica { port, rid: 0 }
}

/// Port 2 is slow and has two queues, port 3 has a delay, port 4 is idle all the time, port 5 is held.
fn switch(program: &Program) -> Switch {
    let mut switch = program.switch_with(SwitchConfig {
        seed: 3,
        ..SwitchConfig::default()
    });
    for (at, kind) in (0..).zip(KINDS) {
        let key = [exact(at), exact(0)];
        let done = switch.table_insert("kind", &key, 0, call(kind, &[]).into(), 0);
        done.expect("a valid entry");
    }
    let slow = PortOptions {
        rate_bps: Some(80_000_000),
        queues: Some(2),
        ..PortOptions::default()
    };
    let far = PortOptions {
        rate_bps: Some(1_000_000_000),
        delay_ns: Some(5_000),
        loss: Some(0.1),
        ..PortOptions::default()
    };
    let held = PortOptions {
        hold: Some(true),
        ..PortOptions::default()
    };
    for (port, options) in [(2, slow), (3, far), (5, held)] {
        switch.port_set(port, &options, 0).expect("valid options");
    }
    let session = CloneSession {
        replicas: vec![replica(2), replica(4)],
        ..CloneSession::default()
    };
    switch.clone_session_set(9, session).expect("valid");
    switch
        .multicast_group_set(4, vec![replica(4), replica(3), replica(2)])
        .expect("valid");
    switch
}

fn arrivals() -> impl Strategy<Value = Vec<(u64, Vec<u8>)>> {
    let packet = (0u8..14, 2u8..6, 0usize..300)
        .prop_map(|(kind, port, length)| [vec![kind, port, 0, 0], vec![7; length]].concat());
    prop::collection::vec((0u64..30_000, packet), 1..150)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, rng_seed: RngSeed::Fixed(1), ..ProptestConfig::default() })]

    #[test]
    fn one_call_does_what_three_do(arrivals in arrivals()) {
        let program = program();
        let (mut three, mut one) = (switch(&program), switch(&program));
        let (mut want, mut got): (Vec<Output>, Vec<Output>) = Default::default();
        let mut now_ns = 0;
        for (gap_ns, packet) in arrivals {
            now_ns += gap_ns;
            three.receive(now_ns, 1, &packet);
            three.advance(now_ns, &mut |output| want.push(output));
            let next_ns = one.pass(now_ns, 1, packet, &mut |output| got.push(output));
            prop_assert_eq!(next_ns, three.next_event_ns());
            prop_assert_eq!(&got, &want);
            prop_assert_eq!(Control::stats(&one), Control::stats(&three));
        }
        for (switch, out) in [(&mut three, &mut want), (&mut one, &mut got)] {
            prop_assert_eq!(switch.advance(now_ns + MS, &mut |output| out.push(output)), None);
        }
        prop_assert_eq!(got, want);
        for port in 2..6 {
            let (one, three) = (one.port_get(port, now_ns + MS), three.port_get(port, now_ns + MS));
            prop_assert_eq!(format!("{one:?}"), format!("{three:?}"));
        }
    }
}
