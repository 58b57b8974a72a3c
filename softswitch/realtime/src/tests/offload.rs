// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Interfaces with offloads and without: the same packets go in, and the same come out.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::Path;
use std::process::Command;
use std::sync::mpsc::channel;
use std::thread::{self, JoinHandle};
use std::time::Instant;

use quench_dataplane::control::PortOptions;
use quench_p4_backend::compile;
use quench_p4_frontend::Options;

use super::bench::{enter_namespace, ip, run, Bench, Host, PATIENCE};
use super::{bytes, captured, port, set};
use crate::offload::tests::Sender;

const CAPACITY_PKTS: usize = 100;
const TRANSFER_BYTES: usize = 10_000_000;
/// The threshold of `mark.p4`.
const LONG_PKTS: usize = 40;

fn senders() -> Vec<Sender> {
    let udp = Sender {
        tcp: false,
        options: Vec::new(),
        ..Sender::default()
    };
    vec![
        Sender::default(),
        Sender {
            v6: true,
            segment_bytes: 1400,
            extensions: vec![60],
            ..Sender::default()
        },
        // CWR is for the first packet, FIN and PSH for the last.
        Sender {
            tags: vec![0xa02a],
            flags: 0xd9,
            ..Sender::default()
        },
        Sender {
            tags: vec![7, 0x2003],
            segment_bytes: 1400,
            ..Sender::default()
        },
        udp.clone(),
        Sender {
            v6: true,
            segment_bytes: 1000,
            ..udp
        },
    ]
}

/// The numbers of frames that the kernel has received and sent on an interface, where a long one counts once.
fn kernels_frames(interface: &str) -> [u64; 2] {
    let devices = std::fs::read_to_string("/proc/thread-self/net/dev").expect("there is /proc");
    let line = devices
        .lines()
        .find_map(|line| line.trim().strip_prefix(interface)?.strip_prefix(':'));
    let counts = line.expect("the interface exists").split_whitespace();
    let counts: Vec<&str> = counts.collect();
    [1, 9].map(|column| counts[column].parse().expect("a number"))
}

/// The fate of the packets of all senders: those that arrive, the counts, the captures.
#[derive(Debug, PartialEq)]
struct Outcome {
    arrived: Vec<Vec<u8>>,
    captured: [Vec<Vec<u8>>; 2],
    stats: Vec<(&'static str, u64)>,
    ports: String,
}

fn cross(directory: &Path, offloads: &str) -> Option<(Outcome, [u64; 2])> {
    let mut bench = Bench::new()?;
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/tests/mark.p4");
    let compiled = compile(&program, &Options::default()).expect("the program is correct");
    bench
        .switch
        .control(|switch, _| switch.load_json(&compiled.json))
        .expect("the program is valid");
    if offloads == "off" {
        for interface in ["h1", "s1", "h2", "s2"] {
            run(&format!(
                "ethtool -K {interface} rx off tx off sg off tso off gso off tx-udp-segmentation off"
            ));
        }
    }
    for port in [1, 2] {
        bench.switch.remove_port(port).expect("it was added");
        let prefix = directory.join(format!("{offloads}{port}"));
        bench
            .switch
            .add_port(port, &format!("s{port}"), Some(&prefix))
            .expect("the interface exists");
    }
    // More packets than the queue has room for wait in it, and leave together.
    let options = |hold| PortOptions {
        hold: Some(hold),
        capacity_pkts: Some(CAPACITY_PKTS as u64),
        ..PortOptions::default()
    };
    let mut sent = 0;
    let mut arrived = Vec::new();
    let received = || ["s1", "h2"].map(|interface| kernels_frames(interface)[0]);
    let before = received();
    for round in senders().chunks(2) {
        set(&bench.switch, 2, &options(true));
        for sender in round.iter().cycle().take(16) {
            let packets = sender.packets();
            bench.h1.send_all(&packets);
            sent += packets.len() as u64;
        }
        bench.eventually("all packets are in", |bench| port(bench, 1).rx_pkts == sent);
        set(&bench.switch, 2, &options(false));
        arrived.extend(bytes(bench.h2.receive(CAPACITY_PKTS)));
    }
    let after = received();
    let ports = format!(
        "{:?}",
        [1, 2].map(|number| {
            let state = port(&bench, number);
            (
                state.rx_pkts,
                state.rx_bytes,
                state.stats.tx_pkts,
                state.stats.tx_bytes,
                state.stats.enqueued_pkts,
                state.stats.dropped_full_pkts,
                state.stats.max_depth,
            )
        })
    );
    let stats = bench.switch.stats();
    bench.switch.stop();
    let packets = |name: &str| {
        let packets = captured(&directory.join(format!("{offloads}{name}.pcap"))).into_iter();
        packets.map(|(_, packet)| packet).collect()
    };
    let outcome = Outcome {
        arrived,
        captured: [packets("1_in"), packets("2_out")],
        stats,
        ports,
    };
    Some((outcome, [0, 1].map(|i| after[i] - before[i])))
}

#[test]
fn the_same_packets_come_out_with_offloads_and_without() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let Some((with, [few_in, few_out])) = cross(directory.path(), "on") else {
        return;
    };
    let (without, [in_frames, out_frames]) =
        cross(directory.path(), "off").expect("it was possible before");
    let sent: Vec<Vec<u8>> = senders()
        .chunks(2)
        .flat_map(|round| {
            round
                .iter()
                .cycle()
                .take(16)
                .flat_map(Sender::packets)
                .collect::<Vec<_>>()
        })
        .collect();
    assert_eq!(with.captured[0], sent);
    assert_eq!(with.captured[1], with.arrived);
    assert_eq!(with.arrived.len(), 3 * CAPACITY_PKTS);
    assert_eq!(with, without);
    let marked = with.arrived.iter().filter(|packet| match packet[12..14] {
        [0x08, 0x00] => packet[15] & 3 == 3,
        [0x86, 0xdd] => packet[15] >> 4 & 3 == 3,
        _ => false,
    });
    // Two of the three rounds are of packets without tags, which are all that the program marks.
    assert_eq!(marked.count(), 2 * (CAPACITY_PKTS - LONG_PKTS));
    // These were packets on one side, and on the other as few frames as can be.
    assert_eq!(
        (in_frames, out_frames),
        (sent.len() as u64, 3 * CAPACITY_PKTS as u64)
    );
    assert!(few_in <= 16 * 3 + 3, "{few_in}");
    assert!(few_out <= CAPACITY_PKTS as u64, "{few_out}");
}

/// A tunnel's packets look like frames of the outer protocol.
#[test]
fn what_comes_out_of_a_tunnel_is_refused_and_counted_and_what_is_short_goes_through() {
    let Some(mut bench) = Bench::new() else {
        return;
    };
    let made = Command::new("ip")
        .args(
            "link add vx type vxlan id 5 dev h1 local 10.0.0.1 remote 10.0.0.2 dstport 4789"
                .split(' '),
        )
        .output();
    if !made.expect("iproute2 is installed").status.success() {
        eprintln!("skipped: the kernel has no VXLAN");
        return;
    }
    for command in [
        "address add 10.0.0.1/24 dev h1",
        "neigh add 10.0.0.2 lladdr 02:00:00:00:00:02 dev h1",
        "link set vx up",
    ] {
        ip(command);
    }
    let tunnel = Host::new("vx");
    let sender = Sender {
        segment_bytes: 1000,
        ..Sender::default()
    };
    let packets = sender.packets();
    let long: Vec<_> = packets.iter().map(Vec::len).collect();
    tunnel.send_all(&packets);
    bench.eventually("the frame is refused", |bench| {
        bench.stat("rx_offload_refused_pkts") == 1
    });
    // One packet of it is a packet of the tunnel, whose inner checksum the sender has finished.
    tunnel.send(&packets[3]);
    let [inside] = &bytes(bench.h2.receive(1))[..] else {
        panic!("one packet was sent");
    };
    assert_eq!(inside[inside.len() - long[3]..], packets[3]);
    assert_eq!(bench.stat("rx_offload_refused_pkts"), 1);
}

/// A namespace of a thread's own, with one of this thread's interfaces in it.
fn on_host<R: Send + 'static>(
    interface: &'static str,
    address: &'static str,
    act: impl FnOnce() -> R + Send + 'static,
) -> JoinHandle<R> {
    let (tell, told) = channel();
    let (go, gone) = channel();
    let host = thread::spawn(move || {
        enter_namespace().expect("it was possible before");
        tell.send(nix::unistd::gettid()).expect("it waits for that");
        gone.recv().expect("it says when the interface is there");
        for command in [
            format!("address add {address}/24 dev {interface}"),
            format!("link set {interface} up"),
        ] {
            ip(&command);
        }
        act()
    });
    let thread = told.recv().expect("the thread tells its number");
    ip(&format!("link set {interface} netns {thread}"));
    go.send(()).expect("the thread waits for that");
    host
}

/// Linux's own TCP, with all that it leaves to hardware.
#[test]
fn a_connection_of_the_kernels_crosses_by_packets() {
    let Some(mut bench) = Bench::new() else {
        return;
    };
    let (listening, is_listening) = channel();
    let receiver = on_host("h2", "10.0.0.2", move || {
        let server = TcpListener::bind("10.0.0.2:5001").expect("the address is there");
        listening.send(()).expect("the test waits for that");
        let (mut peer, _) = server.accept().expect("somebody connects");
        let mut bytes = Vec::new();
        peer.read_to_end(&mut bytes).expect("it is read");
        bytes
    });
    is_listening.recv().expect("it listens");
    let payload: Vec<u8> = (0..TRANSFER_BYTES)
        .map(|i| ((i * 7919) >> 7) as u8)
        .collect();
    let sent = payload.clone();
    let sender = on_host("h1", "10.0.0.1", move || {
        let deadline = Instant::now() + PATIENCE;
        // The interfaces may not be up as yet.
        let mut peer = loop {
            match TcpStream::connect("10.0.0.2:5001") {
                Ok(peer) => break peer,
                Err(error) => assert!(Instant::now() < deadline, "{error}"),
            }
        };
        peer.write_all(&sent).expect("it is sent");
        peer.shutdown(Shutdown::Write).expect("it is connected");
        // The interface goes with the thread, so it waits until the other end has all.
        peer.read_to_end(&mut Vec::new()).expect("it is closed");
        kernels_frames("h1")[1]
    });
    let frames = sender.join().expect("it sends all");
    assert!(receiver.join().expect("it receives all") == payload);
    let packets = port(&bench, 1).rx_pkts;
    // No packet to the program is longer than the wire's, though the kernel handed over far fewer frames.
    assert!(packets >= (TRANSFER_BYTES / 1460) as u64, "{packets}");
    assert!(frames < packets / 2, "{frames} frames of {packets} packets");
    for name in [
        "rx_offload_refused_pkts",
        "rx_oversize_pkts",
        "tx_oversize_pkts",
        "tx_error_pkts",
    ] {
        assert_eq!(bench.stat(name), 0, "{name}");
    }
    bench.eventually("all is counted", |bench| {
        port(bench, 1).rx_pkts == port(bench, 2).stats.tx_pkts
    });
}
