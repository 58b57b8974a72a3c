// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The switch on real interfaces. These tests need root and say so where they are skipped.

mod bench;
mod failure;
mod limited;
mod offload;
mod threads;
mod xdp;

use std::path::Path;
use std::time::{Duration, Instant};

use bench::{add_veth, enter_namespace, frame, ip, load, Bench, Host, CPU_PORT, PATIENCE, TO_CPU};
use pcap_file::pcap::PcapReader;
use quench_dataplane::control::{PortOptions, PortState};
use quench_dataplane::switch::SwitchConfig;

use crate::clock::epoch_offset_ns;
use crate::{IoOptions, PortError, RealtimeSwitch, StartError, Threads};

const IPV4: u16 = 0x0800;

fn bytes(received: Vec<(Vec<u8>, Instant)>) -> Vec<Vec<u8>> {
    received.into_iter().map(|(bytes, _)| bytes).collect()
}

/// The packets of a capture with their times in nanoseconds.
fn captured(path: &Path) -> Vec<(i128, Vec<u8>)> {
    let file = std::fs::File::open(path).expect("the capture was written");
    let mut reader = PcapReader::new(file).expect("it is a capture");
    let mut packets = Vec::new();
    while let Some(packet) = reader.next_packet() {
        let packet = packet.expect("it is well formed");
        packets.push((
            packet.timestamp.as_nanos() as i128,
            packet.data.into_owned(),
        ));
    }
    packets
}

fn port(bench: &Bench, number: u32) -> PortState {
    let state = bench
        .switch
        .inspect(|switch, now_ns| switch.port_get(number, now_ns));
    state.expect("the port exists")
}

fn set(switch: &RealtimeSwitch, port: u32, options: &PortOptions) {
    switch
        .control(|switch, now_ns| switch.port_set(port, options, now_ns))
        .expect("the options are valid");
}

#[test]
fn packets_cross_in_order_both_ways_and_whole() {
    let Some(mut bench) = Bench::new() else {
        return;
    };
    let there: Vec<_> = (0..50)
        .map(|i| frame(IPV4, 60 + 29 * usize::from(i), i))
        .collect();
    let back: Vec<_> = (0..50)
        .map(|i| frame(IPV4, 1514 - usize::from(i), 100 + i))
        .collect();
    for (there, back) in there.iter().zip(&back) {
        bench.h1.send(there);
        bench.h2.send(back);
    }
    assert_eq!(bytes(bench.h2.receive(50)), there);
    assert_eq!(bytes(bench.h1.receive(50)), back);
}

#[test]
fn vlan_tags_survive_the_kernel() {
    let Some(mut bench) = Bench::new() else {
        return;
    };
    // Priority 5 and VLAN 42; and a service tag with a customer tag inside.
    for tags in [&[0x8100, 0xa02a][..], &[0x88a8, 0x0007, 0x8100, 0x2003][..]] {
        let mut tagged = frame(tags[0], 80, 9);
        for (i, word) in tags.iter().chain(&[IPV4]).enumerate() {
            tagged[12 + 2 * i..14 + 2 * i].copy_from_slice(&word.to_be_bytes());
        }
        bench.h1.send(&tagged);
        assert_eq!(bytes(bench.h2.receive(1)), [tagged]);
    }
}

#[test]
fn a_rate_is_kept_and_a_delay_added() {
    let Some(mut bench) = Bench::new() else {
        return;
    };
    let dir = tempfile::tempdir().expect("a temporary directory");
    for port in [1, 2] {
        bench.switch.remove_port(port).expect("it was added");
        let prefix = dir.path().join(port.to_string());
        bench
            .switch
            .add_port(port, &format!("s{port}"), Some(&prefix))
            .expect("the interface exists");
    }
    // 1250 bytes at 10 Mb/s are 1 ms.
    let options = |hold| PortOptions {
        rate_bps: Some(10_000_000),
        delay_ns: Some(20_000_000),
        hold: Some(hold),
        ..PortOptions::default()
    };
    set(&bench.switch, 2, &options(true));
    for i in 0..60 {
        bench.h1.send(&frame(IPV4, 1250, i));
    }
    // A sender that stood still would make a packet late.
    bench.eventually("all packets wait", |bench| {
        port(bench, 2).stats.enqueued_pkts == 60
    });
    let released_ns = bench.switch.control(|switch, now_ns| {
        let released = switch.port_set(2, &options(false), now_ns);
        released.expect("the options are valid");
        i128::from(now_ns) + epoch_offset_ns()
    });
    assert_eq!(bench.h2.receive(60).len(), 60);
    bench.switch.stop();
    let arrived = captured(&dir.path().join("1_in.pcap"));
    assert_eq!(arrived.len(), 60);
    let sent = captured(&dir.path().join("2_out.pcap"));
    let start_ns = released_ns + 20_000_000;
    let lateness_ns: Vec<i128> = (1..)
        .zip(&sent)
        .map(|(i, (sent_ns, _))| sent_ns - start_ns - 1_000_000 * i)
        .collect();
    assert!(
        lateness_ns.iter().all(|late_ns| *late_ns >= 0),
        "too early: {lateness_ns:?}"
    );
    // Nothing accumulates: behind twenty packets there is still one that leaves within its own time. A machine that is busy
    // elsewhere delays many.
    assert!(
        lateness_ns[20..].iter().any(|late_ns| *late_ns < 1_000_000),
        "late by {lateness_ns:?} ns"
    );
}

#[test]
fn a_held_port_sends_when_it_is_released() {
    let Some(mut bench) = Bench::new() else {
        return;
    };
    set(
        &bench.switch,
        2,
        &PortOptions {
            hold: Some(true),
            ..PortOptions::default()
        },
    );
    let frames = [frame(IPV4, 60, 1), frame(IPV4, 60, 2)];
    frames.iter().for_each(|frame| bench.h1.send(frame));
    assert_eq!(
        bytes(bench.h2.receive_within(1, Duration::from_millis(100))),
        Vec::<Vec<u8>>::new()
    );
    set(
        &bench.switch,
        2,
        &PortOptions {
            hold: Some(false),
            ..PortOptions::default()
        },
    );
    assert_eq!(bytes(bench.h2.receive(2)), frames);
}

#[test]
fn the_cpu_port_is_a_queue_in_both_directions() {
    let Some(mut bench) = Bench::new() else {
        return;
    };
    let up = frame(TO_CPU, 60, 1);
    let before_ns = crate::clock::now_ns();
    bench.h1.send(&up);
    let waited = bench.switch.wait_cpu(PATIENCE);
    assert_eq!(waited.len(), 1);
    assert_eq!(waited[0].bytes, up);
    assert!((before_ns..=crate::clock::now_ns()).contains(&waited[0].time_ns));
    let down = frame(IPV4, 90, 2);
    assert!(bench.switch.packet_out(&down));
    assert_eq!(bytes(bench.h1.receive(1)), [down]);
}

#[test]
fn captures_hold_what_went_in_and_out() {
    let Some(mut bench) = Bench::new() else {
        return;
    };
    let dir = tempfile::tempdir().expect("a temporary directory");
    let prefix = dir.path().join("s2");
    bench.switch.remove_port(2).expect("it was added");
    bench
        .switch
        .add_port(2, "s2", Some(&prefix))
        .expect("s2 exists");
    let (there, back) = (frame(IPV4, 60, 1), frame(IPV4, 70, 2));
    bench.h1.send(&there);
    bench.h2.send(&back);
    assert_eq!(bytes(bench.h2.receive(1)), std::slice::from_ref(&there));
    assert_eq!(bytes(bench.h1.receive(1)), std::slice::from_ref(&back));
    bench.switch.stop();
    let packets = |name: &str| -> Vec<Vec<u8>> {
        captured(&dir.path().join(name))
            .into_iter()
            .map(|(_, packet)| packet)
            .collect()
    };
    assert_eq!(packets("s2_out.pcap"), [there]);
    assert_eq!(packets("s2_in.pcap"), [back]);
}

#[test]
fn a_packet_longer_than_the_mtu_is_counted() {
    let Some(mut bench) = Bench::new() else {
        return;
    };
    ip("link set s2 mtu 1000");
    bench.h1.send(&frame(IPV4, 1200, 1));
    bench.h1.send(&frame(IPV4, 900, 2));
    assert_eq!(bytes(bench.h2.receive(1)), [frame(IPV4, 900, 2)]);
    assert_eq!(bench.stat("tx_oversize_pkts"), 1);
}

#[test]
fn an_interface_may_go_down_come_up_vanish_and_return() {
    let Some(mut bench) = Bench::new() else {
        return;
    };
    ip("link set s2 down");
    bench.h1.send(&frame(IPV4, 60, 1));
    bench.eventually("the packet is counted", |bench| {
        bench.stat("tx_no_link_pkts") == 1
    });
    ip("link set s2 up");
    let second = frame(IPV4, 60, 2);
    bench.eventually("the port is up", |bench| {
        bench.h1.send(&second);
        bytes(bench.h2.receive_within(1, Duration::from_millis(100))).contains(&second)
    });

    let lost_pkts = bench.stat("tx_no_link_pkts");
    ip("link delete h2");
    bench.h1.send(&frame(IPV4, 60, 3));
    bench.eventually("the packet is counted", |bench| {
        bench.stat("tx_no_link_pkts") == lost_pkts + 1
    });

    add_veth("h2", "s2");
    bench.h2 = Host::new("h2");
    let back = frame(IPV4, 60, 4);
    bench.eventually("the port returned", |bench| {
        bench.h2.send(&back);
        bytes(bench.h1.receive_within(1, Duration::from_millis(100))).contains(&back)
    });
}

#[test]
fn ports_are_refused_with_a_reason() {
    let Some(bench) = Bench::new() else { return };
    let refused = |port, interface, prefix: Option<&Path>| {
        bench
            .switch
            .add_port(port, interface, prefix)
            .expect_err("it is refused")
            .to_string()
    };
    assert_eq!(refused(1, "s2", None), "port 1 already has an interface");
    assert_eq!(
        refused(CPU_PORT, "s2", None),
        "port 64 cannot have an interface: it is the CPU port"
    );
    assert_eq!(
        refused(511, "s2", None),
        "port 511 cannot have an interface: it is the drop port"
    );
    assert_eq!(
        refused(3, "nowhere", None),
        "interface nowhere: there is no such interface in this network namespace"
    );
    let prefix = Path::new("/nonexistent/x");
    assert!(refused(3, "s2", Some(prefix)).starts_with("/nonexistent/x_in.pcap: "));
    assert!(matches!(
        bench.switch.remove_port(3),
        Err(PortError::NotFound(3))
    ));
    assert!(matches!(bench.switch.start(), Err(StartError::Running)));
}

#[test]
fn stopping_twice_is_harmless_ends_waits_and_frees_the_interfaces() {
    let Some(mut bench) = Bench::new() else {
        return;
    };
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| bench.switch.wait_cpu(Duration::from_secs(60)));
        std::thread::sleep(Duration::from_millis(20));
        bench.switch.stop();
        assert_eq!(waiting.join().expect("the wait ends"), []);
    });
    bench.switch.stop();
    bench
        .switch
        .add_port(1, "s1", None)
        .expect("s1 is free again");
    bench
        .switch
        .add_port(2, "s2", None)
        .expect("s2 is free again");
    bench.switch.start().expect("it starts again");
    let packet = frame(IPV4, 60, 1);
    bench.h1.send(&packet);
    assert_eq!(bytes(bench.h2.receive(1)), [packet]);
}

#[test]
fn a_switch_without_a_cpu_port_takes_no_packet_out() {
    let Some(()) = enter_namespace() else { return };
    let switch = RealtimeSwitch::new(
        SwitchConfig::default(),
        Threads::default(),
        IoOptions::default(),
    )
    .expect("the system has room for a switch");
    load(&switch);
    assert!(!switch.packet_out(&frame(IPV4, 60, 1)));
}
