// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Traces are bounded: their time, their number, and the memory of those that wait.

use crate::common::*;
use crate::traces::taken;
use prost::Message;
use quench_dataplane::control::PortOptions;
use quench_dataplane::trace::message::PacketTrace;
use quench_dataplane::trace::{Filter, Session};
use quench_dataplane::{Switch, SwitchConfig};

const PACKET: [u8; 6] = [1, 2, 3, 4, 0xaa, 0xbb];

#[test]
fn a_session_gets_what_it_asked_for_and_no_more_than_its_memory() {
    let mut program = Program::new();
    program.ingress(vec![forward(5)]);
    let mut switch = program.switch();
    let few = Filter {
        port: Some(1),
        packets: 2,
        ..Filter::default()
    };
    let few = switch.trace(few).expect("a session");
    let small = Filter {
        trace_bytes: 300,
        waiting_bytes: 200,
        ..Filter::default()
    };
    let small = switch.trace(small).expect("a session");
    for port in [1, 2, 1, 1] {
        switch.receive(MS, port, &PACKET);
        switch.advance(MS, &mut |_| ());
    }
    assert!(!few.is_done());
    let traces = taken(&few);
    let ids = traces
        .iter()
        .map(|trace| trace.input.as_ref().expect("an input").packet_id);
    assert_eq!(ids.collect::<Vec<_>>(), [1, 3]);
    assert!(traces.iter().all(|trace| trace.omitted_events == 0));
    assert!(few.is_done());
    assert!(small.lost() > 0, "four traces do not fit into 200 bytes");
    for trace in small.take(usize::MAX) {
        assert!(trace.len() <= 300, "{} bytes", trace.len());
        let trace = PacketTrace::decode(&trace[..]).expect("a trace");
        assert!(trace.omitted_events > 0);
    }
}

fn limited() -> Switch {
    let mut program = Program::new();
    program.ingress(vec![forward(5)]);
    program.switch_with(SwitchConfig {
        traced_percent: Some(10),
        ..SwitchConfig::default()
    })
}

fn pass(switch: &mut Switch, now_ns: u64, port: u32) {
    switch.receive(now_ns, port, &PACKET);
    switch.advance(now_ns, &mut |_| ());
}

/// Keeps packets in the queue of port 5, which takes any number, or lets them go.
fn hold(switch: &mut Switch, holds: bool, now_ns: u64) {
    let options = PortOptions {
        hold: Some(holds),
        capacity_pkts: Some(0),
        ..PortOptions::default()
    };
    switch.port_set(5, &options, now_ns).expect("a port");
}

/// Passes packets while the clock stands still, until the session has no time left; how many it traced.
fn use_up(switch: &mut Switch, now_ns: u64, port: u32, session: &Session) -> usize {
    let (lost, mut traced) = (session.lost(), 0);
    for _ in 0..1_000_000 {
        pass(switch, now_ns, port);
        traced += taken(session).len();
        if session.lost() > lost {
            return traced;
        }
    }
    panic!("traces have all the time");
}

#[test]
fn traces_take_their_part_of_the_time_at_most() {
    let mut switch = limited();
    let session = switch.trace(Filter::default()).expect("a session");
    assert!(use_up(&mut switch, MS, 1, &session) > 0);
    let lost = session.lost();
    for _ in 0..1000 {
        pass(&mut switch, MS, 1);
    }
    assert_eq!(session.lost(), lost + 1000, "no time has passed");
    assert!(taken(&session).is_empty());
    // A tenth of 10 s is more than any packet takes.
    let later_ns = 10_000 * MS;
    assert!(use_up(&mut switch, later_ns, 1, &session) > 0);
    pass(&mut switch, later_ns + 10_000 * MS, 1);
    assert_eq!(taken(&session).len(), 1);
}

#[test]
fn a_session_that_asks_for_everything_leaves_the_others_their_part() {
    let mut switch = limited();
    let greedy = switch.trace(Filter::default()).expect("a session");
    let modest = Filter {
        port: Some(2),
        ..Filter::default()
    };
    let modest = switch.trace(modest).expect("a session");
    for round in 1..20 {
        let now_ns = round * 1000 * MS;
        use_up(&mut switch, now_ns, 1, &greedy);
        pass(&mut switch, now_ns, 2);
        assert_eq!(taken(&modest).len(), 1, "round {round}");
    }
    assert_eq!(modest.lost(), 0);
}

#[test]
fn sessions_that_come_and_go_have_no_more_time_than_one_that_stays() {
    let mut switch = limited();
    // The sessions take the most that all may take at once.
    for _ in 0..8 {
        let session = switch.trace(Filter::default()).expect("a session");
        use_up(&mut switch, MS, 1, &session);
    }
    for _ in 0..100 {
        let next = switch.trace(Filter::default()).expect("a session");
        pass(&mut switch, MS, 1);
        assert!(taken(&next).is_empty());
        assert_eq!(next.lost(), 1);
    }
}

#[test]
fn a_consumer_that_is_gone_keeps_no_place_while_its_packets_wait() {
    let mut program = Program::new();
    program.ingress(vec![forward(5)]);
    let mut switch = program.switch();
    hold(&mut switch, true, 0);
    for _ in 0..20 {
        let _gone = switch.trace(Filter::default()).expect("a place");
        switch.receive(MS, 1, &PACKET);
    }
    let session = switch.trace(Filter::default()).expect("a place");
    hold(&mut switch, false, MS);
    pass(&mut switch, 2 * MS, 1);
    assert_eq!(taken(&session).len(), 1);
}

#[test]
fn packets_are_not_traced_where_there_is_no_room_for_it() {
    let mut program = Program::new();
    program.ingress(vec![forward(5)]);
    let mut switch = program.switch();
    let filter = Filter {
        trace_bytes: 1000,
        waiting_bytes: 3000,
        ..Filter::default()
    };
    let session = switch.trace(filter).expect("a session");
    for _ in 0..500 {
        pass(&mut switch, MS, 1);
    }
    let lost = session.lost();
    assert!(lost > 0);
    hold(&mut switch, true, MS);
    for more in 1..=10 {
        pass(&mut switch, MS, 1);
        // The trace of a packet that waits in a queue would be lost only when it leaves.
        assert_eq!(session.lost(), lost + more);
    }
    assert_eq!(taken(&session).len() as u64, 500 - lost);
}

#[test]
fn few_traced_packets_are_under_way_at_a_time() {
    let mut program = Program::new();
    program.ingress(vec![forward(5)]);
    let mut switch = program.switch();
    hold(&mut switch, true, 0);
    let session = switch.trace(Filter::default()).expect("a session");
    for _ in 0..300 {
        switch.receive(MS, 1, &PACKET);
    }
    assert_eq!(session.lost(), 44);
    hold(&mut switch, false, MS);
    switch.advance(2 * MS, &mut |_| ());
    assert_eq!(taken(&session).len(), 256);
}
