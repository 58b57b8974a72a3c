// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Several threads around one data plane.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::bench::{frame, ip, Bench, Host};
use super::{bytes, port, IPV4};
use crate::{IoOptions, Threads};

/// Fewer than a socket's receive buffer holds, however late the switch reads them.
const EACH: u8 = 200;
const FLOWS: u8 = 8;

fn threads(count: usize, readers: usize) -> Threads {
    Threads {
        count,
        readers,
        cpus: vec![0],
    }
}

/// A UDP packet of a flow, with a number.
fn datagram(flow: u8, number: u8) -> Vec<u8> {
    let mut datagram = frame(IPV4, 60, 0);
    datagram[14] = 0x45;
    datagram[17] = 46;
    datagram[22..24].copy_from_slice(&[64, 17]);
    datagram[26..34].copy_from_slice(&[10, 0, 0, 1, 10, 0, 0, 2]);
    datagram[34..38].copy_from_slice(&[4, flow, 5, flow]);
    datagram[39] = 26;
    datagram[42] = number;
    datagram
}

#[test]
fn packets_keep_their_order_and_are_counted_once() {
    let Some(mut bench) = Bench::with(threads(4, 1), IoOptions::default()) else {
        return;
    };
    let there: Vec<_> = (0..EACH).map(|i| frame(IPV4, 60, i)).collect();
    let back: Vec<_> = (0..EACH).map(|i| frame(IPV4, 80, i)).collect();
    for (there, back) in there.iter().zip(&back) {
        bench.h1.send(there);
        bench.h2.send(back);
    }
    assert_eq!(bytes(bench.h2.receive(there.len())), there);
    assert_eq!(bytes(bench.h1.receive(back.len())), back);
    for number in [1, 2] {
        let state = port(&bench, number);
        let counted = [
            state.rx_pkts,
            state.stats.tx_pkts,
            state.stats.enqueued_pkts,
        ];
        assert_eq!(counted, [u64::from(EACH); 3]);
    }
}

#[test]
fn threads_that_share_a_port_keep_the_order_of_each_flow() {
    let Some(mut bench) = Bench::with(threads(4, 4), IoOptions::default()) else {
        return;
    };
    for number in 0..EACH {
        (0..FLOWS).for_each(|flow| bench.h1.send(&datagram(flow, number)));
    }
    let received = bytes(bench.h2.receive(usize::from(EACH) * usize::from(FLOWS)));
    for flow in 0..FLOWS {
        let of_flow = received.iter().filter(|packet| packet[35] == flow);
        let numbers: Vec<u8> = of_flow.map(|packet| packet[42]).collect();
        assert_eq!(numbers, (0..EACH).collect::<Vec<_>>(), "flow {flow}");
    }
}

#[test]
fn threads_that_share_a_port_do_not_take_what_others_send_there() {
    let Some(mut bench) = Bench::with(threads(2, 2), IoOptions::default()) else {
        return;
    };
    let beside = Host::new("s1");
    for number in 0..EACH {
        (0..FLOWS).for_each(|flow| beside.send(&datagram(flow, number)));
    }
    let last = frame(IPV4, 60, 77);
    bench.h1.send(&last);
    assert_eq!(bytes(bench.h2.receive(1)), [last]);
    assert_eq!(port(&bench, 1).rx_pkts, 1);
}

#[test]
fn calls_and_changes_of_links_beside_traffic_lose_nothing_uncounted() {
    let Some(mut bench) = Bench::with(threads(4, 2), IoOptions::default()) else {
        return;
    };
    let sent = 20 * u64::from(EACH);
    let done = AtomicBool::new(false);
    let switch = &bench.switch;
    let h1 = &bench.h1;
    std::thread::scope(|scope| {
        // In the namespace of the test, as threads are that it starts.
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                ip("link set h2 down");
                ip("link set h2 up");
            }
        });
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                switch
                    .control(|switch, now_ns| switch.port_get(2, now_ns))
                    .expect("it is there");
                switch.stats();
            }
        });
        for number in 0..sent {
            h1.send(&datagram(number as u8 % FLOWS, number as u8));
            if number % 50 == 0 {
                std::thread::yield_now();
            }
        }
        done.store(true, Ordering::Relaxed);
    });
    let lost = [
        "rx_overrun_pkts",
        "tx_no_link_pkts",
        "tx_no_buffer_pkts",
        "tx_socket_full_pkts",
    ];
    bench.eventually("all packets are accounted for", |bench| {
        let state = port(bench, 2).stats;
        let lost: u64 = lost.iter().map(|name| bench.stat(name)).sum();
        let seen = bench.stat("dropped_queue_full") + state.tx_pkts + bench.stat("rx_overrun_pkts");
        seen == sent && state.tx_pkts >= lost - bench.stat("rx_overrun_pkts")
    });
    // A socket reports once that its interface was down.
    bench.h2 = Host::new("h2");
    let packet = datagram(0, 7);
    bench.eventually("packets come through", |bench| {
        bench.h1.send(&packet);
        let received = bench.h2.receive_within(1, Duration::from_millis(20));
        bytes(received).contains(&packet)
    });
}
