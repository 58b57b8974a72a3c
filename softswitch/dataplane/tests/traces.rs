// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Traces: what they say, how packets and their copies hang together, and that they are bounded.

use crate::common::router::{self, Copy, BUSY_PORT, CPU_PORT};
use crate::common::*;
use prost::Message;
use quench_dataplane::control::{CloneSession, PortOptions, Replica};
use quench_dataplane::trace::message::{
    CopyKind, Event, Outcome, PacketTrace, PrimitiveEvent, TableEvent,
};
use quench_dataplane::trace::{Filter, Session};
use quench_dataplane::{Output, Switch, SwitchConfig};
use serde_json::json;

const PACKET: [u8; 6] = [1, 2, 3, 4, 0xaa, 0xbb];

pub fn taken(session: &Session) -> Vec<PacketTrace> {
    let traces = session.take(usize::MAX);
    let decoded = traces
        .iter()
        .map(|trace| PacketTrace::decode(&trace[..]).expect("a trace"));
    decoded.collect()
}

fn events(trace: &PacketTrace) -> Vec<&Event> {
    let root = trace.root.as_ref().expect("a tree");
    root.events
        .iter()
        .filter_map(|event| event.event.as_ref())
        .collect()
}

fn primitives<'a>(trace: &'a PacketTrace, name: &str) -> Vec<&'a PrimitiveEvent> {
    let all = events(trace).into_iter();
    let primitives = all.filter_map(|event| match event {
        Event::Primitive(primitive) if primitive.name == name => Some(primitive),
        _ => None,
    });
    primitives.collect()
}

fn outcome(trace: &PacketTrace) -> &Outcome {
    let root = trace.root.as_ref().expect("a tree");
    root.outcome.as_ref().expect("an outcome")
}

fn dropped(trace: &PacketTrace) -> &str {
    match outcome(trace) {
        Outcome::Drop(drop) => &drop.reason,
        Outcome::Transmit(_) => panic!("it was sent"),
    }
}

fn input(trace: &PacketTrace) -> (u64, u64, CopyKind) {
    let input = trace.input.as_ref().expect("an input");
    (input.packet_id, input.parent_packet_id, input.copy_kind())
}

#[test]
fn values_stand_before_and_after() {
    let mut program = Program::new();
    program.push(
        "register_arrays",
        json!({"name": "r", "id": 0, "size": 4, "bitwidth": 16}),
    );
    let register = json!({"type": "register_array", "value": "r"});
    program.ingress(vec![
        forward(5),
        prim(
            "register_write",
            vec![register.clone(), hex(2), field("h", "c")],
        ),
        prim(
            "register_read",
            vec![field("meta", "y"), register.clone(), hex(2)],
        ),
        prim("register_read", vec![field("meta", "y"), register, hex(9)]),
        prim(
            "modify_field_rng_uniform",
            vec![field("h", "a"), hex(7), hex(7)],
        ),
    ]);
    let mut switch = program.switch();
    let session = switch.trace(Filter::default()).expect("a session");
    send(&mut switch, &PACKET);
    let traces = taken(&session);
    let [trace] = &traces[..] else {
        panic!("{} traces", traces.len());
    };
    let write = primitives(trace, "register_write")[0];
    let array = write.array.as_ref().expect("a cell");
    assert_eq!(
        (
            &array.name[..],
            array.index,
            &array.before[..],
            &array.after[..]
        ),
        ("r", 2, "0x0", "0x304")
    );
    let reads = primitives(trace, "register_read");
    assert_eq!(reads[0].changes[0].name, "meta.y");
    assert_eq!(reads[0].changes[0].after, "0x304");
    assert!(reads[1].array.as_ref().expect("a cell").out_of_range);
    assert_eq!(
        stat(&switch, "register_index_out_of_range"),
        1,
        "looking counts nothing"
    );
    let draw = primitives(trace, "modify_field_rng_uniform")[0];
    assert_eq!(draw.changes[0].before, "0x1");
    assert_eq!(draw.changes[0].after, "0x7");
    assert!(matches!(outcome(trace), Outcome::Transmit(sent) if sent.egress_port == 5));
}

#[test]
fn the_functions_of_the_extension_show_what_they_were_asked_and_all_that_they_wrote() {
    let mut program = Program::new();
    let queue = [hex(5), hex(1), field("meta", "x"), field("h", "c")];
    let entry = [field("meta", "y"), field("h", "a"), field("h", "c")];
    program
        .ingress(vec![
            assign(std("egress_spec"), field("h", "a")),
            prim("queue_depth", queue.to_vec()),
        ])
        .egress(vec![
            prim("time_ns", vec![field("meta", "y")]),
            prim("enqueued", entry.to_vec()),
        ]);
    let mut switch = program.switch();
    let hold = PortOptions {
        queues: Some(2),
        hold: Some(true),
        ..PortOptions::default()
    };
    switch.port_set(1, &hold, 0).expect("options of a port");
    let session = switch.trace(Filter::default()).expect("a session");
    for at_ns in [100, 200] {
        switch.receive(at_ns, 1, &PACKET[..]);
    }
    let hold = PortOptions {
        hold: Some(false),
        ..PortOptions::default()
    };
    switch.port_set(1, &hold, 300).expect("options of a port");
    packets(&mut switch, 1000);
    let traces = taken(&session);
    let changes = |name: &str| {
        let event = primitives(&traces[1], name)[0];
        let changes = event.changes.iter();
        let changes = changes.map(|change| format!("{} {}", change.name, change.after));
        changes.collect::<Vec<_>>()
    };
    // The queue that is asked about does not exist.
    assert_eq!(changes("queue_depth"), ["meta.x 0x0", "h.c 0x0"]);
    assert_eq!(changes("time_ns"), ["meta.y 0x12c"]);
    assert_eq!(changes("enqueued"), ["meta.y 0xc8", "h.a 0x1", "h.c 0x6"]);
}

#[test]
fn a_table_shows_the_row_and_the_parameters() {
    let mut program = Program::new();
    let action = program.action(
        "out",
        &[("port", 9)],
        vec![assign(std("egress_spec"), param(0))],
    );
    program.table(
        "t",
        "ternary",
        &[("range", field("h", "c")), ("ternary", field("h", "a"))],
        &[action],
        json!({}),
    );
    let mut switch = program.switch();
    let key = [
        quench_dataplane::control::MatchField::Range(vec![3, 0], vec![3, 255]),
        quench_dataplane::control::MatchField::DontCare,
    ];
    let action =
        quench_dataplane::control::TableAction::Action(quench_dataplane::control::ActionCall {
            name: "out".to_owned(),
            params: vec![vec![6]],
        });
    switch
        .table_insert("t", &key, 8, action.into(), 0)
        .expect("an entry");
    let session = switch.trace(Filter::default()).expect("a session");
    send(&mut switch, &PACKET);
    send(&mut switch, &[0; 6]);
    let traces = taken(&session);
    let table = |trace: &PacketTrace| -> TableEvent {
        let all = events(trace).into_iter();
        let mut tables = all.filter_map(|event| match event {
            Event::Table(table) => Some(table.clone()),
            _ => None,
        });
        tables.next().expect("a table")
    };
    let hit = table(&traces[0]);
    assert!(hit.hit);
    assert_eq!(hit.entry.as_ref().expect("an entry").priority, 8);
    assert_eq!(hit.key[0].value, "0x304");
    assert_eq!(hit.key[0].row, "0x300..0x3ff");
    assert_eq!(hit.key[1].row, "*");
    assert_eq!(
        (&hit.action[..], &hit.parameters[0].value[..]),
        ("out", "0x6")
    );
    let assign = primitives(&traces[0], "assign")[0];
    assert_eq!(assign.operands[0].name, "port");
    let miss = table(&traces[1]);
    assert!(!miss.hit && miss.entry.is_none());
}

#[test]
fn a_masked_key_has_the_bits_that_count() {
    let mut program = Program::new();
    let out = program.action("out", &[], vec![forward(6)]);
    let key = [("exact", field("h", "c"))];
    program.table("t", "exact", &key, &[out], json!({}));
    program.json["pipelines"][0]["tables"][0]["key"][0]["mask"] = json!("0x0ff0");
    let mut switch = program.switch();
    let session = switch.trace(Filter::default()).expect("a session");
    send(&mut switch, &PACKET);
    let traces = taken(&session);
    let tables: Vec<_> = events(&traces[0])
        .into_iter()
        .filter_map(|event| match event {
            Event::Table(table) => Some(&table.key[0].value[..]),
            _ => None,
        })
        .collect();
    assert_eq!(tables, ["0x300"]);
}

#[test]
fn copies_name_their_parents() {
    let mut program = Program::new();
    program.ingress(vec![
        prim("clone_ingress_pkt_to_egress", vec![hex(3), hex(0)]),
        assign(std("mcast_grp"), hex(1)),
    ]);
    let mut switch = program.switch();
    let replica = |port| Replica { port, rid: 0 };
    let session = CloneSession {
        replicas: vec![replica(7)],
        ..CloneSession::default()
    };
    switch.clone_session_set(3, session).expect("a session");
    switch
        .multicast_group_set(1, vec![replica(1), replica(2)])
        .expect("a group");
    let session = switch.trace(Filter::default()).expect("a session");
    send(&mut switch, &PACKET);
    let mut traces = taken(&session);
    traces.sort_by_key(|trace| input(trace).0);
    let inputs: Vec<_> = traces.iter().map(input).collect();
    assert_eq!(
        inputs,
        [
            (1, 0, CopyKind::None),
            (2, 1, CopyKind::CloneIngress),
            (3, 1, CopyKind::Replica)
        ]
    );
    let copies = events(&traces[0]).into_iter();
    let copies = copies.filter_map(|event| match event {
        Event::Copy(copy) => Some((copy.packet_id, copy.target)),
        _ => None,
    });
    assert_eq!(copies.collect::<Vec<_>>(), [(2, 3), (3, 1), (1, 2)]);
    let ports = traces.iter().map(|trace| match outcome(trace) {
        Outcome::Transmit(sent) => sent.egress_port,
        Outcome::Drop(_) => 0,
    });
    assert_eq!(ports.collect::<Vec<_>>(), [2, 7, 1]);
}

#[test]
fn a_drop_has_its_reason() {
    let mut program = Program::new();
    program.ingress(vec![assign(std("egress_spec"), field("h", "c"))]);
    let mut switch = program.switch();
    let full = PortOptions {
        hold: Some(true),
        capacity_pkts: Some(1),
        ..PortOptions::default()
    };
    switch.port_set(9, &full, 0).expect("a port");
    let session = switch.trace(Filter::default()).expect("a session");
    send(&mut switch, &[0, 0, 1, 255]);
    send(&mut switch, &[0, 0, 0, 9]);
    send(&mut switch, &[0, 0, 0, 9]);
    switch
        .load_json(&Program::new().json.to_string())
        .expect("it loads");
    let reasons = taken(&session);
    let reasons: Vec<&str> = reasons.iter().map(dropped).collect();
    assert_eq!(
        reasons,
        [
            "ingress chose the drop port",
            "the queue is full",
            "the switch's state was cleared"
        ]
    );
}

#[test]
fn sessions_are_few_and_end_with_their_consumers() {
    let mut switch = Program::new().switch();
    let sessions: Vec<_> = (0..8)
        .map(|_| switch.trace(Filter::default()).expect("a session"))
        .collect();
    assert!(switch.trace(Filter::default()).is_err());
    drop(sessions);
    assert!(switch.trace(Filter::default()).is_ok());
}

/// A router under load: as machine code, and with every packet traced and so interpreted.
#[test]
fn tracing_changes_nothing() {
    let run = |traced: bool| {
        let mut switch = Switch::new(SwitchConfig {
            cpu_port: Some(CPU_PORT),
            ..SwitchConfig::default()
        });
        router::fill(&mut switch, Copy::Answer);
        let session = traced.then(|| switch.trace(Filter::default()).expect("a session"));
        let mut out: Vec<Output> = Vec::new();
        for number in 0..200u64 {
            let now_ns = 1_000_000_000 + number * 50_000;
            if number % 20 == 0 {
                let average = ((2 + number / 10) << 16).to_be_bytes();
                let index = u64::from(BUSY_PORT) * 8;
                let written = switch.register_write("Before.Decide.averages", index, &average);
                written.expect("a register");
            }
            let packet = router::narrow(1, (number % 4) as u8, 0, 1000);
            switch.receive(now_ns, 3, &packet);
            switch.advance(now_ns, &mut |output| out.push(output));
        }
        switch.advance(2_000_000_000, &mut |output| out.push(output));
        let traces = session.map(|session| (taken(&session), session.lost()));
        (out, Switch::stats(&switch), traces)
    };
    let (want, want_stats, _) = run(false);
    let (got, got_stats, traces) = run(true);
    assert_eq!(got, want);
    assert_eq!(got_stats, want_stats);
    let (traces, lost) = traces.expect("traces");
    assert_eq!(lost, 0);
    assert!(traces.len() >= 200, "{} traces", traces.len());
    assert!(traces.iter().all(|trace| trace.omitted_events == 0));
}
