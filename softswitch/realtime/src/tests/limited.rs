// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Interfaces that a queueing discipline of the kernel limits, as Mininet's `bw=` does.

use std::time::{Duration, Instant};

use quench_dataplane::control::{PortOptions, PortState};

use super::bench::{frame, ip, run, Bench, PATIENCE};
use super::{bytes, port, set, IPV4};
use crate::line::TOGETHER_PKTS;

/// With the Ethernet header, as the kernel counts. At 2 Mb/s it takes 4 ms.
const LEN_BYTES: usize = 1000;
const PKTS: u8 = 200;
const HTB: [&str; 2] = [
    "tc qdisc add dev s2 root handle 5:0 htb default 1",
    "tc class add dev s2 parent 5:0 classid 5:1 htb rate 2mbit burst 1600",
];
const TBF: [&str; 1] = ["tc qdisc add dev s2 root tbf rate 2mbit burst 1600 limit 1000000"];
/// One packet in 8 s, and one at once.
const STUCK: &str = "tc qdisc add dev s2 root tbf rate 1kbit burst 1600 limit 1000000";

fn send(bench: &Bench, pkts: u8) {
    (0..pkts).for_each(|i| bench.h1.send(&frame(IPV4, LEN_BYTES, i)));
}

/// Send more than the queue of port 2 takes, whose interface is stuck.
fn fill(bench: &mut Bench) -> PortState {
    send(bench, PKTS);
    bench.eventually("all packets are in", |bench| {
        port(bench, 1).rx_pkts >= u64::from(PKTS)
    });
    port(bench, 2)
}

/// Packets that were to be sent together with the first one that found no room: one went, and three are in the kernel.
fn waiting_pkts(stuck: &PortState) -> u64 {
    let waiting_pkts = stuck.stats.tx_pkts - 4;
    assert!(
        (1..=TOGETHER_PKTS as u64).contains(&waiting_pkts),
        "{waiting_pkts}"
    );
    waiting_pkts
}

fn a_limit_is_felt(limit: &[&str]) {
    let Some(mut bench) = Bench::new() else {
        return;
    };
    limit.iter().copied().for_each(run);
    let began = Instant::now();
    send(&bench, PKTS);
    let first = bench.h2.receive(1);
    bench.eventually("all packets are in", |bench| {
        port(bench, 1).rx_pkts == u64::from(PKTS)
    });
    bench.eventually("the queue is empty", |bench| {
        port(bench, 2).per_queue[0].depth.pkts == 0
    });
    let state = port(&bench, 2).stats;
    let sent = state.enqueued_pkts;
    let rest = bench.h2.receive(sent as usize - first.len());
    let took = rest.last().expect("there are many").1 - began;

    // Every packet was sent or dropped by the switch's own queue, which is as long as configured.
    assert_eq!(sent + state.dropped_full_pkts, u64::from(PKTS));
    assert_eq!(state.max_depth.pkts, 64);
    assert_eq!(first.len() + rest.len(), sent as usize);
    for name in ["tx_no_buffer_pkts", "tx_socket_full_pkts"] {
        assert_eq!(bench.stat(name), 0, "{name}");
    }
    assert_eq!(bench.stat("dropped_queue_full"), state.dropped_full_pkts);
    // The limit's burst goes first, and the packets in it need not wait.
    let at_least = Duration::from_millis(4 * (sent - 4));
    assert!(took >= at_least, "{took:?} for {sent} packets");
    let order: Vec<u8> = bytes(rest).iter().map(|packet| packet[20]).collect();
    assert!(order.is_sorted(), "{order:?}");
}

#[test]
fn a_limit_by_htb_is_felt() {
    a_limit_is_felt(&HTB);
}

#[test]
fn a_limit_by_tbf_is_felt() {
    a_limit_is_felt(&TBF);
}

#[test]
fn a_port_that_is_stuck_keeps_its_queue_while_others_go_on() {
    let Some(mut bench) = Bench::new() else {
        return;
    };
    run(STUCK);
    let stuck = fill(&mut bench);
    assert_eq!(stuck.per_queue[0].depth.pkts, 64);
    let back: Vec<_> = (0..=255).map(|i| frame(IPV4, LEN_BYTES, i)).collect();
    back.iter().for_each(|frame| bench.h2.send(frame));
    assert_eq!(bytes(bench.h1.receive(back.len())), back);
    assert_eq!(port(&bench, 2).stats.tx_pkts, stuck.stats.tx_pkts);
    // The kernel throws away what it has, and the rest comes at once.
    run("tc qdisc del dev s2 root");
    let left_pkts = 1 + waiting_pkts(&stuck) as usize + 64;
    assert_eq!(bench.h2.receive(left_pkts).len(), left_pkts);
    bench.h1.send(&frame(IPV4, LEN_BYTES, 77));
    assert_eq!(bytes(bench.h2.receive(1)), [frame(IPV4, LEN_BYTES, 77)]);
}

#[test]
fn a_limit_that_changes_is_followed_without_a_loss() {
    let Some(mut bench) = Bench::new() else {
        return;
    };
    run("tc qdisc add dev s2 root handle 5:0 htb default 1");
    run("tc class add dev s2 parent 5:0 classid 5:1 htb rate 8kbit burst 1600");
    let enqueued = fill(&mut bench).stats.enqueued_pkts;
    assert!(enqueued < u64::from(PKTS));
    for rate in ["2mbit", "8kbit", "8mbit"] {
        run(&format!(
            "tc class change dev s2 parent 5:0 classid 5:1 htb rate {rate} burst 1600"
        ));
    }
    let order: Vec<u8> = bytes(bench.h2.receive(enqueued as usize))
        .iter()
        .map(|packet| packet[20])
        .collect();
    assert!(order.is_sorted(), "{order:?}");
    assert_eq!(bench.stat("dropped_queue_full"), u64::from(PKTS) - enqueued);
}

#[test]
fn what_waits_for_an_interface_that_goes_down_is_counted() {
    let Some(mut bench) = Bench::new() else {
        return;
    };
    run(STUCK);
    let stuck = fill(&mut bench);
    ip("link set s2 down");
    let lost_pkts = stuck.per_queue[0].depth.pkts + waiting_pkts(&stuck);
    bench.eventually("the queue is counted", |bench| {
        bench.stat("tx_no_link_pkts") == lost_pkts
    });
    run("tc qdisc del dev s2 root");
    ip("link set s2 up");
    let packet = frame(IPV4, LEN_BYTES, 77);
    bench.eventually("packets come through", |bench| {
        bench.h1.send(&packet);
        bytes(bench.h2.receive_within(1, Duration::from_millis(20))).contains(&packet)
    });
}

#[test]
fn a_port_that_is_stuck_can_be_removed_and_added_again() {
    let Some(mut bench) = Bench::new() else {
        return;
    };
    run(STUCK);
    let stuck = fill(&mut bench);
    bench.switch.remove_port(2).expect("it was added");
    assert_eq!(bench.stat("tx_no_link_pkts"), waiting_pkts(&stuck));
    set(&bench.switch, 2, &PortOptions::default());
    bench.eventually("the queue is counted", |bench| {
        bench.stat("tx_unconnected_pkts") == stuck.stats.enqueued_pkts - stuck.stats.tx_pkts
    });
    run("tc qdisc del dev s2 root");
    bench.switch.add_port(2, "s2", None).expect("s2 is free");
    let packet = frame(IPV4, LEN_BYTES, 77);
    bench.h1.send(&packet);
    let burst = frame(IPV4, LEN_BYTES, 0);
    assert_eq!(bytes(bench.h2.receive(2)), [burst, packet]);
}

#[test]
fn a_delay_and_a_loss_on_the_link_do_not_stall_a_limited_port() {
    let Some(mut bench) = Bench::new() else {
        return;
    };
    HTB.into_iter().for_each(run);
    let options = PortOptions {
        delay_ns: Some(20_000_000),
        loss: Some(0.5),
        ..PortOptions::default()
    };
    set(&bench.switch, 2, &options);
    const SENT: u8 = 60;
    send(&bench, SENT);
    bench.eventually("all packets are on the link or lost", |bench| {
        port(bench, 2).stats.tx_pkts == u64::from(SENT)
    });
    let left = u64::from(SENT) - port(&bench, 2).lost_on_link_pkts;
    let received = bytes(bench.h2.receive(left as usize));
    assert_eq!(received.len() as u64, left);
    assert!(received.is_sorted_by_key(|packet| packet[20]));
}

#[test]
fn a_full_queue_of_the_kernel_is_counted_and_a_full_send_buffer_fills_the_ports_queue() {
    let Some(bench) = Bench::new() else {
        return;
    };
    let counts = || ["tx_no_buffer_pkts", "dropped_queue_full"].map(|name| bench.stat(name));
    let send_until = |done: &dyn Fn() -> bool| {
        let deadline = Instant::now() + PATIENCE;
        while !done() {
            assert!(Instant::now() < deadline, "{:?}", counts());
            assert!(bench.switch.packet_out(&frame(IPV4, 1400, 0)));
        }
    };
    // One packet leaves in 1.4 s; the others wait in the interface's queue, which has room for two.
    run("tc qdisc add dev s1 root tbf rate 8kbit burst 1600 limit 4000");
    send_until(&|| counts()[0] >= 10);
    assert_eq!(counts()[1], 0);
    // This has room for more than the socket lets through.
    run("tc qdisc change dev s1 root tbf rate 8kbit burst 1600 limit 1000000");
    let before = counts();
    send_until(&|| counts()[1] >= 10);
    assert_eq!(counts()[0], before[0]);
    assert_eq!(bench.stat("tx_socket_full_pkts"), 0);
}
