// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Ports whose packets go past the kernel's stack.

use std::time::Duration;

use quench_dataplane::switch::SwitchConfig;

use super::bench::{add_veth, frame, ip, offloads, run, Bench, Host};
use super::{bytes, port, IPV4};
use crate::{IoMode, IoOptions, RealtimeSwitch, Threads};

const XDP: IoOptions = IoOptions {
    mode: IoMode::Xdp,
    busy: Duration::ZERO,
};

const AUTO: IoOptions = IoOptions {
    mode: IoMode::Auto,
    ..XDP
};

fn refusal(bench: &Bench, number: u32, interface: &str) -> String {
    let added = bench.switch.add_port(number, interface, None);
    added.expect_err("it is refused").to_string()
}

#[test]
fn packets_are_those_of_packet_sockets() {
    let modes = [IoMode::Packet, IoMode::Xdp];
    let mut outcomes = Vec::new();
    for mode in modes {
        let Some(mut bench) = Bench::with(Threads::default(), IoOptions { mode, ..XDP }) else {
            return;
        };
        let tagged = |mut frame: Vec<u8>| {
            frame[12..18].copy_from_slice(&[0x81, 0x00, 0xa0, 0x2a, 0x08, 0x00]);
            frame
        };
        let sent: Vec<Vec<u8>> = (0..200)
            .map(|i| frame(IPV4, 60 + 7 * usize::from(i), i))
            .map(|frame| {
                if frame[20] % 3 == 0 {
                    tagged(frame)
                } else {
                    frame
                }
            })
            .collect();
        for frame in &sent {
            bench.h1.send(frame);
            bench.h2.send(frame);
        }
        let received = [&mut bench.h1, &mut bench.h2].map(|host| bytes(host.receive(sent.len())));
        assert_eq!(received, [sent.clone(), sent]);
        outcomes.push((received, bench.switch.stats()));
    }
    assert_eq!(outcomes[0], outcomes[1]);
}

#[test]
fn a_burst_waits_for_a_switch_that_is_elsewhere() {
    let Some(mut bench) = Bench::with(Threads::default(), XDP) else {
        return;
    };
    const BURST: usize = 3000;
    bench.switch.control(|_, _| {
        (0..BURST).for_each(|i| bench.h1.send(&frame(IPV4, 100, i as u8)));
    });
    let received = bytes(bench.h2.receive(BURST));
    assert!(received
        .iter()
        .enumerate()
        .all(|(i, packet)| packet[20] == i as u8));
    assert_eq!(bench.stat("rx_overrun_pkts"), 0);
}

#[test]
fn lengths_are_checked_as_with_packet_sockets() {
    let Some(mut bench) = Bench::with(Threads::default(), XDP) else {
        return;
    };
    ip("link set s2 mtu 1000");
    bench.eventually("the MTU is seen", |bench| {
        bench.h1.send(&frame(IPV4, 1200, 1));
        bench.stat("tx_oversize_pkts") > 0
    });
    bench.h1.send(&frame(IPV4, 1014, 2));
    let received = bytes(bench.h2.receive(1));
    assert_eq!(received, [frame(IPV4, 1014, 2)]);
}

#[test]
fn an_interface_may_go_down_come_up_vanish_and_return() {
    let Some(mut bench) = Bench::with(Threads::default(), XDP) else {
        return;
    };
    ip("link set s2 down");
    bench.eventually("packets are counted", |bench| {
        bench.h1.send(&frame(IPV4, 60, 1));
        bench.stat("tx_no_link_pkts") > 0
    });
    ip("link set s2 up");
    let second = frame(IPV4, 60, 2);
    bench.eventually("the port is up", |bench| {
        bench.h1.send(&second);
        bytes(bench.h2.receive_within(1, Duration::from_millis(100))).contains(&second)
    });
    ip("link delete h2");
    // It comes back with offloads, so it is refused until they are off.
    add_veth("h2", "s2");
    let lost_pkts = bench.stat("tx_no_link_pkts");
    bench.eventually("packets are counted", |bench| {
        bench.h1.send(&frame(IPV4, 60, 3));
        bench.stat("tx_no_link_pkts") > lost_pkts
    });
    offloads("h2", "off");
    bench.h2 = Host::new("h2");
    let back = frame(IPV4, 60, 4);
    bench.eventually("the port returned", |bench| {
        bench.h2.send(&back);
        bytes(bench.h1.receive_within(1, Duration::from_millis(100))).contains(&back)
    });
}

#[test]
fn interfaces_that_xdp_would_harm_are_refused_with_a_reason() {
    let Some(bench) = Bench::with(Threads::default(), XDP) else {
        return;
    };
    add_veth("h3", "s3");
    assert_eq!(
        refusal(&bench, 3, "s3"),
        "interface s3: XDP needs offloads off: run `ethtool -K h3 tx off tso off txvlan off`; or use --io packet"
    );
    offloads("h3", "off");
    run("ethtool -K s3 gro on");
    assert_eq!(
        refusal(&bench, 3, "s3"),
        "interface s3: XDP needs offloads off: run `ethtool -K s3 gro off`; or use --io packet"
    );
    run("ethtool -K s3 gro off");
    ip("link set s3 mtu 9000");
    assert_eq!(
        refusal(&bench, 3, "s3"),
        "interface s3: an MTU of 9000 bytes is too long for XDP: set 3818 at most; or use --io packet"
    );
    ip("link set s3 mtu 1500");
    ip("link add h4 numtxqueues 2 numrxqueues 2 type veth peer name s4 numtxqueues 2 numrxqueues 2");
    offloads("h4", "off");
    run("ethtool -L s4 rx 2");
    assert_eq!(
        refusal(&bench, 4, "s4"),
        "interface s4: XDP needs one receive queue, not 2: run `ethtool -L s4 combined 1` (or rx 1); \
         or use --io packet"
    );
    assert_eq!(
        refusal(&bench, 5, "nowhere"),
        "interface nowhere: there is no such interface in this network namespace"
    );
    // Another has it.
    assert!(refusal(&bench, 5, "s1")
        .ends_with("(another program of XDP has the interface); or use --io packet"));
    bench
        .switch
        .add_port(3, "s3", None)
        .expect("nothing is left against it");
}

/// Whether a program of XDP is on an interface.
fn has_xdp(interface: &str) -> bool {
    let shown = std::process::Command::new("ip")
        .args(["-d", "link", "show", interface])
        .output();
    String::from_utf8_lossy(&shown.expect("iproute2 is installed").stdout).contains("prog/xdp")
}

#[test]
fn auto_takes_what_fits_and_follows_changes() {
    let Some(mut bench) = Bench::with(Threads::default(), AUTO) else {
        return;
    };
    assert!(has_xdp("s1") && has_xdp("s2"));
    let packet = frame(IPV4, 60, 1);
    bench.h1.send(&packet);
    assert_eq!(bytes(bench.h2.receive(1)), std::slice::from_ref(&packet));
    offloads("h1", "on");
    bench.eventually("it left XDP", |_| !has_xdp("s1"));
    assert!(has_xdp("s2"));
    bench.h1.send(&packet);
    bench.h2.send(&packet);
    assert_eq!(bytes(bench.h2.receive(1)), std::slice::from_ref(&packet));
    assert_eq!(bytes(bench.h1.receive(1)), [packet]);
    // A discipline that limits is felt, whenever it comes.
    run("tc qdisc add dev s2 root tbf rate 2mbit burst 1600 limit 1000000");
    bench.eventually("it left XDP", |_| !has_xdp("s2"));
    add_veth("h3", "s3");
    offloads("h3", "off");
    run("tc qdisc add dev s3 root tbf rate 2mbit burst 1600 limit 1000000");
    bench.switch.add_port(3, "s3", None).expect("s3 exists");
    assert!(!has_xdp("s3"));
}

#[test]
fn unfinished_checksums_are_finished_and_auto_leaves_xdp() {
    for mode in [IoMode::Xdp, IoMode::Auto] {
        let Some(mut bench) = Bench::with(Threads::default(), IoOptions { mode, ..XDP }) else {
            return;
        };
        // UDP of 10.0.0.1 to 10.0.0.2, whose checksum is the sum of the pseudo header.
        let mut packet = frame(IPV4, 60, 0);
        packet[14..34].copy_from_slice(&[
            0x45, 0, 0, 46, 0, 1, 0x40, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2,
        ]);
        packet[38..42].copy_from_slice(&[0, 26, 0x14, 0x2e]);
        // Ports and payload are zero: the pseudo header and the length are left.
        let mut finished = packet.clone();
        finished[40..42].copy_from_slice(&(!(0x142e + 26u16)).to_be_bytes());
        let mut packets = 0;
        bench.eventually("it is seen", |bench| {
            bench.h1.send(&packet);
            let received = bytes(bench.h2.receive_within(1, Duration::from_millis(100)));
            assert!(received.iter().all(|packet| *packet == finished));
            packets += received.len();
            packets > 0 && has_xdp("s1") == (mode == IoMode::Xdp)
        });
        // By packet sockets nobody finishes what does not say so.
        bench.h1.send(&packet);
        let last = bytes(bench.h2.receive(1));
        let expected = match mode {
            IoMode::Xdp => finished,
            _ => packet,
        };
        assert_eq!(last, [expected]);
    }
}

#[test]
fn a_slow_interface_below_is_felt_by_one_thread_and_by_several() {
    for count in [1, 4] {
        a_slow_interface_below_is_felt(Threads {
            count,
            ..Threads::default()
        });
    }
}

fn a_slow_interface_below_is_felt(threads: Threads) {
    let Some(mut bench) = Bench::with(threads, XDP) else {
        return;
    };
    // XDP goes past the discipline of its own interface, but not past that of one below it.
    bench.switch.remove_port(2).expect("it was added");
    ip("link add m2 link s2 type macvlan mode passthru");
    ip("link set m2 up");
    run("ethtool -K m2 gro off lro off rxvlan off");
    // A packet takes 4 ms.
    run("tc qdisc add dev s2 root tbf rate 2mbit burst 1600 limit 1000000");
    bench.switch.add_port(2, "m2", None).expect("m2 exists");
    const PKTS: u8 = 200;
    (0..PKTS).for_each(|i| bench.h1.send(&frame(IPV4, 1000, i)));
    bench.eventually("all packets are in", |bench| {
        port(bench, 1).rx_pkts == u64::from(PKTS)
    });
    bench.eventually("the queue is empty", |bench| {
        port(bench, 2).per_queue[0].depth.pkts == 0
    });
    let state = port(&bench, 2).stats;
    assert_eq!(
        state.enqueued_pkts + state.dropped_full_pkts,
        u64::from(PKTS)
    );
    assert!(
        state.dropped_full_pkts > 0,
        "the port's queue was never full"
    );
    assert_eq!(state.max_depth.pkts, 64);
    let received = bytes(bench.h2.receive(state.enqueued_pkts as usize));
    assert!(received.is_sorted_by_key(|packet| packet[20]));
    for name in ["tx_no_buffer_pkts", "tx_socket_full_pkts"] {
        assert_eq!(bench.stat(name), 0, "{name}");
    }
}

#[test]
fn several_threads_keep_the_order_both_ways() {
    let threads = Threads {
        count: 4,
        ..Threads::default()
    };
    let Some(mut bench) = Bench::with(threads, XDP) else {
        return;
    };
    let there: Vec<_> = (0..=255).map(|i| frame(IPV4, 60, i)).collect();
    let back: Vec<_> = (0..=255).map(|i| frame(IPV4, 1000, i)).collect();
    for _ in 0..4 {
        for (there, back) in there.iter().zip(&back) {
            bench.h1.send(there);
            bench.h2.send(back);
        }
        assert_eq!(bytes(bench.h2.receive(there.len())), there);
        assert_eq!(bytes(bench.h1.receive(back.len())), back);
    }
    // Ports come and go beside the threads.
    for _ in 0..5 {
        bench.switch.remove_port(2).expect("it was added");
        bench.h1.send(&there[0]);
        bench.switch.add_port(2, "s2", None).expect("s2 is free");
    }
    let last = frame(IPV4, 60, 7);
    bench.eventually("packets come through", |bench| {
        bench.h1.send(&last);
        bytes(bench.h2.receive_within(1, Duration::from_millis(100))).contains(&last)
    });
}

#[test]
fn threads_that_share_a_port_share_it_by_packet_sockets() {
    let shared = || Threads {
        count: 2,
        readers: 2,
        ..Threads::default()
    };
    let Some(mut bench) = Bench::with(shared(), AUTO) else {
        return;
    };
    assert!(!has_xdp("s1"));
    let packet = frame(IPV4, 60, 1);
    bench.h1.send(&packet);
    assert_eq!(bytes(bench.h2.receive(1)), [packet]);
    let switch =
        RealtimeSwitch::new(SwitchConfig::default(), shared(), XDP).expect("there is room");
    let refused = switch.add_port(3, "s1", None).expect_err("it is refused");
    assert_eq!(
        refused.to_string(),
        "interface s1: XDP gives what arrives on an interface to one thread: use --fanout 1; or use --io packet"
    );
}
