// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! A running switch between two interfaces, in a network namespace of the test's own.

use std::cell::RefCell;
use std::os::fd::AsFd;
use std::process::Command;
use std::time::{Duration, Instant};

use nix::sched::{unshare, CloneFlags};
use quench_dataplane::control::{ActionCall, MatchField, TableAction};
use quench_dataplane::switch::SwitchConfig;

use crate::packet_socket::PacketSocket;
use crate::rx_batch::RxBatch;
use crate::tx_batch::TxBatch;
use crate::{IoMode, IoOptions, RealtimeSwitch, Threads};

/// The time for what must come in the end, however busy the machine is.
pub const PATIENCE: Duration = Duration::from_secs(20);
pub const CPU_PORT: u32 = 64;
/// Packets of this type go to the CPU.
pub const TO_CPU: u16 = 0x1234;

/// Two hosts, `h1` on port 1 and `h2` on port 2, and the switch that forwards between them.
pub struct Bench {
    pub switch: RealtimeSwitch,
    pub h1: Host,
    pub h2: Host,
}

/// The far end of a port.
pub struct Host {
    socket: PacketSocket,
    batch: RxBatch,
    leaving: RefCell<TxBatch>,
}

/// A network namespace for this thread and what it starts; it goes when they do. `None`, with a
/// message, for users who may not have one.
pub fn enter_namespace() -> Option<()> {
    if !nix::unistd::geteuid().is_root() {
        eprintln!("skipped: network namespaces and packet sockets need root");
        return None;
    }
    unshare(CloneFlags::CLONE_NEWNET).expect("root may create a network namespace");
    // Neighbour discovery would mix its packets into the test's.
    std::fs::write("/proc/sys/net/ipv6/conf/default/disable_ipv6", "1")
        .expect("the namespace has IPv6 settings");
    Some(())
}

/// Run `ip` in this thread's namespace.
pub fn ip(arguments: &str) {
    run(&format!("ip {arguments}"));
}

/// Run a command of iproute2 in this thread's namespace.
pub fn run(command: &str) {
    let mut words = command.split_whitespace();
    let program = words.next().expect("a command");
    let status = Command::new(program).args(words).status();
    assert!(
        status.expect("iproute2 is installed").success(),
        "{command}"
    );
}

/// Turn the offloads of a sender `on` or `off`.
pub fn offloads(interface: &str, state: &str) {
    run(&format!(
        "ethtool -K {interface} tx {state} tso {state} txvlan {state}"
    ));
}

/// A pair of interfaces that carry packets.
pub fn add_veth(host: &str, port: &str) {
    ip(&format!("link add {host} type veth peer name {port}"));
    ip(&format!("link set {host} up"));
    ip(&format!("link set {port} up"));
    // Until the kernel has noticed the peer, it loses packets without an error.
    let deadline = Instant::now() + PATIENCE;
    while !(is_active(host) && is_active(port)) {
        assert!(
            Instant::now() < deadline,
            "{host} and {port} do not come up"
        );
    }
}

fn is_active(interface: &str) -> bool {
    let shown = Command::new("ip")
        .args(["-o", "link", "show", interface])
        .output();
    String::from_utf8_lossy(&shown.expect("iproute2 is installed").stdout).contains("state UP")
}

impl Bench {
    pub fn new() -> Option<Self> {
        Self::with(Threads::default(), IoOptions::default())
    }

    /// With packets that come and go in a way of `io`, and the hosts' offloads off where XDP needs that.
    pub fn with(threads: Threads, io: IoOptions) -> Option<Self> {
        enter_namespace()?;
        for (host, port) in [("h1", "s1"), ("h2", "s2")] {
            add_veth(host, port);
            if io.mode != IoMode::Packet {
                offloads(host, "off");
            }
        }
        let config = SwitchConfig {
            cpu_port: Some(CPU_PORT),
            ..SwitchConfig::default()
        };
        let switch =
            RealtimeSwitch::new(config, threads, io).expect("the system has room for a switch");
        load(&switch);
        switch.add_port(1, "s1", None).expect("s1 exists");
        switch.add_port(2, "s2", None).expect("s2 exists");
        switch.start().expect("the thread starts");
        Some(Self {
            switch,
            h1: Host::new("h1"),
            h2: Host::new("h2"),
        })
    }

    pub fn stat(&self, name: &str) -> u64 {
        let stats = self.switch.stats();
        stats
            .iter()
            .find(|(n, _)| *n == name)
            .unwrap_or_else(|| panic!("no count {name}"))
            .1
    }

    /// Wait until `condition` holds; the interfaces' state changes travel through the kernel.
    pub fn eventually(&mut self, what: &str, mut condition: impl FnMut(&mut Self) -> bool) {
        let deadline = Instant::now() + PATIENCE;
        while !condition(self) {
            assert!(Instant::now() < deadline, "not within {PATIENCE:?}: {what}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

/// The forwarding program and its entries.
pub fn load(switch: &RealtimeSwitch) {
    let entry = |from: u32, kind: Option<u16>, to: u32| {
        let port = |port: u32| (port as u16).to_be_bytes().to_vec();
        let kind = kind.map_or(MatchField::DontCare, |kind| {
            MatchField::Ternary(kind.to_be_bytes().to_vec(), vec![0xff, 0xff])
        });
        let priority = if kind == MatchField::DontCare { 1 } else { 2 };
        let action = ActionCall {
            name: "to_port".to_owned(),
            params: vec![port(to)],
        };
        let key = [MatchField::Exact(port(from)), kind];
        switch.control(|switch, now_ns| {
            let data = TableAction::Action(action).into();
            switch
                .table_insert("forward", &key, priority, data, now_ns)
                .expect("the entry fits");
        });
    };
    switch.control(|switch, _| {
        switch
            .load_json(include_str!("forward.json"))
            .expect("the program is valid")
    });
    entry(1, None, 2);
    entry(2, None, 1);
    entry(1, Some(TO_CPU), CPU_PORT);
    entry(CPU_PORT, None, 1);
}

/// A frame of a type and length, recognisable by its payload.
pub fn frame(kind: u16, len_bytes: usize, payload: u8) -> Vec<u8> {
    let mut frame = vec![payload; len_bytes];
    frame[..6].copy_from_slice(&[2, 0, 0, 0, 0, 2]);
    frame[6..12].copy_from_slice(&[2, 0, 0, 0, 0, 1]);
    frame[12..14].copy_from_slice(&kind.to_be_bytes());
    frame
}

impl Host {
    pub fn new(interface: &str) -> Self {
        let socket = PacketSocket::open(interface).expect("the interface exists");
        Self {
            socket,
            batch: RxBatch::new(),
            leaving: RefCell::default(),
        }
    }

    pub fn send(&self, frame: &[u8]) {
        self.send_all(&[frame.to_vec()]);
    }

    /// Neighbours of one flow leave the host as one frame.
    pub fn send_all(&self, packets: &[Vec<u8>]) {
        let sent = self.socket.send(&mut self.leaving.borrow_mut(), packets);
        let failure = sent.failure;
        assert_eq!(
            sent.packets,
            packets.len(),
            "the host's interface: {failure:?}"
        );
    }

    /// The next `count` packets or more, with the time when each was there; fewer where they do not come.
    pub fn receive(&mut self, count: usize) -> Vec<(Vec<u8>, Instant)> {
        self.receive_within(count, PATIENCE)
    }

    pub fn receive_within(&mut self, count: usize, limit: Duration) -> Vec<(Vec<u8>, Instant)> {
        let deadline = Instant::now() + limit;
        let mut received = Vec::new();
        while received.len() < count && Instant::now() < deadline {
            self.batch
                .receive(self.socket.as_fd())
                .expect("the host's interface is up");
            let now = Instant::now();
            let mut packets = self.batch.packets();
            while let Some(packet) = packets.next() {
                received.push((packet.bytes.to_vec(), now));
            }
            std::thread::yield_now();
        }
        received
    }
}
