// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! A packet in one call against the same in three, and with its last bytes implied: everything comes out alike, and at
//! the same time.

use crate::common::*;
use proptest::prelude::*;
use quench_dataplane::control::{CloneSession, PortOptions, Replica};
use quench_dataplane::{Output, PacketBytes, Switch, SwitchConfig};
use serde_json::json;

/// The first byte of a packet says what becomes of it in ingress, the third what does in egress: once, as `x` says of
/// those that come again. Egress writes its queue metadata and times into the packet.
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
    let arriving = vec![
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
    let departing = vec![
        (
            "copy",
            vec![
                again.clone(),
                prim("clone_egress_pkt_to_egress", vec![hex(9), hex(1)]),
            ],
        ),
        ("back", vec![again, prim("recirculate", vec![hex(1)])]),
        ("lose", vec![forward(511)]),
        ("cut", vec![prim("truncate", vec![hex(5)])]),
    ];
    let forwarding = assign(std("egress_spec"), field("h", "b"));
    program.ingress(vec![forwarding]);
    for (pipeline, kinds, at) in [(0, arriving, "a"), (1, departing, "c")] {
        let actions: Vec<u32> = kinds
            .into_iter()
            .map(|(name, primitives)| program.action(name, &[], primitives))
            .collect();
        let key = [("exact", field("h", at)), ("exact", field("meta", "x"))];
        let name = TABLES[pipeline].0;
        program.table_of(pipeline, name, "exact", &key, &actions, json!({}));
    }
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

/// The table of each pipeline and its actions.
const TABLES: [(&str, &[&str]); 2] = [
    (
        "arriving",
        &[
            "clone", "group", "drop", "again", "learn", "urgent", "nowhere",
        ],
    ),
    ("departing", &["copy", "back", "lose", "cut"]),
];

/// The last port that leads anywhere.
const LAST_PORT: u32 = 7;

fn replica(port: u32) -> Replica {
    Replica { port, rid: 0 }
}

/// Port 2 is slow and has two queues, port 3 has a delay, port 4 is idle all the time, port 5 is held, port 6 counts
/// packets, and port 7 has little room.
fn switch(program: &Program) -> Switch {
    let mut switch = program.switch_with(SwitchConfig {
        seed: 3,
        ..SwitchConfig::default()
    });
    for (table, kinds) in TABLES {
        for (at, kind) in (0..).zip(kinds) {
            let key = [exact(at), exact(0)];
            let done = switch.table_insert(table, &key, 0, call(kind, &[]).into(), 0);
            done.expect("a valid entry");
        }
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
    let counting = PortOptions {
        rate_pps: Some(100_000),
        ..PortOptions::default()
    };
    let narrow = PortOptions {
        rate_bps: Some(500_000_000),
        capacity_pkts: Some(2),
        capacity_bytes: Some(200),
        ..PortOptions::default()
    };
    let ports = [
        (2, slow),
        (3, far),
        (5, held),
        (6, counting),
        (LAST_PORT, narrow),
    ];
    for (port, options) in ports {
        switch.port_set(port, &options, 0).expect("valid options");
    }
    let session = CloneSession {
        replicas: [2, 4, 6, LAST_PORT].map(replica).to_vec(),
        ..CloneSession::default()
    };
    switch.clone_session_set(9, session).expect("valid");
    switch
        .multicast_group_set(4, vec![replica(4), replica(3), replica(2)])
        .expect("valid");
    switch
}

/// Gaps and packets, each with the zeros behind it.
fn arrivals() -> impl Strategy<Value = Vec<(u64, (Vec<u8>, usize))>> {
    let packet = (
        0u8..14,
        2..=LAST_PORT as u8,
        0u8..8,
        0usize..300,
        0usize..6,
        0usize..2,
    );
    let packet = packet.prop_map(|(arriving, port, departing, length, real, payload)| {
        let header = [arriving, port, departing, 0];
        match payload {
            // A part of the header is implied.
            0 if departing == 0 => (header[..real.clamp(2, 4)].to_vec(), length),
            0 => ([&header[..], &vec![7; real]].concat(), length),
            _ => ([&header[..], &vec![7; length]].concat(), 0),
        }
    });
    prop::collection::vec((0u64..30_000, packet), 1..150)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn one_call_does_what_three_do(arrivals in arrivals()) {
        let program = program();
        let (mut three, mut one) = (switch(&program), switch(&program));
        let (mut want, mut got): (Vec<Output>, Vec<Output>) = Default::default();
        let mut now_ns = 0;
        for (gap_ns, (real, zeros)) in arrivals {
            now_ns += gap_ns;
            let packet = PacketBytes::new(real, zeros);
            three.receive(now_ns, 1, &*packet.all());
            three.advance(now_ns, &mut |output| want.push(output));
            let next_ns = one.pass(now_ns, 1, packet, &mut |output| got.push(output));
            prop_assert_eq!(next_ns, three.next_event_ns());
            prop_assert_eq!(&got, &want);
            prop_assert_eq!(Switch::stats(&one), Switch::stats(&three));
        }
        for (switch, out) in [(&mut three, &mut want), (&mut one, &mut got)] {
            prop_assert_eq!(switch.advance(now_ns + 100 * MS, &mut |output| out.push(output)), None);
        }
        prop_assert_eq!(got, want);
        for port in 2..=LAST_PORT {
            let end_ns = now_ns + 100 * MS;
            let (one, three) = (one.port_get(port, end_ns), three.port_get(port, end_ns));
            prop_assert_eq!(format!("{one:?}"), format!("{three:?}"));
        }
    }
}
