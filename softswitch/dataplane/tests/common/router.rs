// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! A switch that runs `router.p4`, and packets for it.

use std::path::Path;
use std::sync::LazyLock;

use quench_dataplane::control::{CloneSession, EntryData, MatchField, PortOptions, Replica};
use quench_dataplane::Switch;
use quench_p4_backend::compile_text;
use quench_p4_frontend::Options;

use super::{call, exact};

pub const CPU_PORT: u32 = 510;
/// The port of the first network, which marks, drops and copies.
pub const BUSY_PORT: u32 = 1;
/// The port of the second network.
pub const PLAIN_PORT: u32 = 2;
/// 1000 bytes take 80 us.
const BUSY_RATE_BPS: u64 = 100_000_000;
/// The headers that `router.p4` forwards: the header `frame`, and the header `wide` behind it.
pub const NARROW_BYTES: usize = 10;
pub const WIDE_BYTES: usize = NARROW_BYTES + 22;

pub static PROGRAM: LazyLock<String> = LazyLock::new(|| {
    let text = include_str!("../router.p4");
    let compiled = compile_text(Path::new("router.p4"), text, &Options::default());
    compiled.unwrap_or_else(|failure| panic!("{failure}")).json
});

/// The copy that a packet leaves beside it when it is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Copy {
    None,
    Report,
    Answer,
}

fn insert(
    switch: &mut Switch,
    table: &str,
    key: &[MatchField],
    priority: i32,
    action: &str,
    params: &[u64],
) {
    let data = EntryData::from(call(action, params));
    let done = switch.table_insert(table, key, priority, data, 0);
    done.unwrap_or_else(|error| panic!("{table}: {error}"));
}

/// Routes, classes, the curve of the busy port, its rate, and the session of copies.
pub fn fill(switch: &mut Switch, copy: Copy) {
    switch.load_json(&PROGRAM).expect("the router loads");
    for (net, port) in [(1, BUSY_PORT), (2, PLAIN_PORT)] {
        let narrow = [MatchField::Lpm(vec![10, 0, net, 0], 24)];
        let params = [port.into(), 4];
        insert(
            switch,
            "Before.narrow_route",
            &narrow,
            0,
            "Before.forward",
            &params,
        );
        // 100 bits: a value in whole bytes begins with 4 bits of 0.
        let mut prefix = vec![0; 13];
        prefix[..6].copy_from_slice(&[0x02, 0x00, 0x10, 0xdb, 0x80, net]);
        let wide = [MatchField::Lpm(prefix, 44), exact(0)];
        let params = [port.into()];
        insert(
            switch,
            "Before.wide_route",
            &wide,
            0,
            "Before.forward_wide",
            &params,
        );
    }
    let class = [
        MatchField::Ternary(vec![6], vec![6]),
        MatchField::DontCare,
        MatchField::Optional(vec![3]),
    ];
    insert(
        switch,
        "Before.classes",
        &class,
        1,
        "Before.use_class",
        &[1],
    );
    // Averages in packets, with 16 bits of fraction; shares of 65536, and their growth for each packet.
    for (first, last, share, slope, force) in [
        (2, 8, 0, 655, 0),
        (8, 20, 3932, 5000, 0),
        (20, 1 << 16, 0x8000, 0, 1),
    ] {
        let key = [
            exact(BUSY_PORT.into()),
            MatchField::Range(number(first << 16), number((last << 16) - 1)),
        ];
        let params = [first << 16, share, slope, copy as u64, force];
        insert(
            switch,
            "Before.Decide.curve",
            &key,
            1,
            "Before.Decide.use_segment",
            &params,
        );
    }
    let session = CloneSession {
        replicas: vec![Replica {
            port: CPU_PORT,
            rid: 0,
        }],
        ..CloneSession::default()
    };
    let set = switch.clone_session_set(9, session);
    set.expect("a valid session");
    let options = PortOptions {
        rate_bps: Some(BUSY_RATE_BPS),
        ..PortOptions::default()
    };
    let set = switch.port_set(BUSY_PORT, &options, 0);
    set.expect("the port can be set");
}

fn number(value: u64) -> Vec<u8> {
    value.to_be_bytes().to_vec()
}

/// Makes the checksum right.
pub fn set_checksum(packet: &mut [u8]) {
    let words = packet[..NARROW_BYTES - 2].chunks(2);
    let mut sum: u32 = words
        .map(|pair| u32::from(pair[0]) << 8 | u32::from(pair[1]))
        .sum();
    while sum >> 16 != 0 {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    packet[NARROW_BYTES - 2..NARROW_BYTES].copy_from_slice(&(!(sum as u16)).to_be_bytes());
}

fn packet(kind: u8, net: u8, mark: u8, class: u8, bytes: usize) -> Vec<u8> {
    let mut packet = vec![0; bytes];
    let [high, low] = (bytes as u16 & 0x7ff).to_be_bytes();
    packet[..NARROW_BYTES - 2].copy_from_slice(&[
        kind,
        mark << 6 | (class & 7) << 3 | high,
        low,
        64,
        10,
        0,
        net,
        7,
    ]);
    set_checksum(&mut packet);
    packet
}

/// A packet of at least [`NARROW_BYTES`].
pub fn narrow(net: u8, mark: u8, class: u8, bytes: usize) -> Vec<u8> {
    packet(4, net, mark, class, bytes)
}

/// A packet of at least [`WIDE_BYTES`].
pub fn wide(net: u8, mark: u8, class: u8, bytes: usize) -> Vec<u8> {
    let mut packet = packet(6, net, mark, class, bytes);
    packet[NARROW_BYTES..NARROW_BYTES + 7].copy_from_slice(&[
        0x20,
        0x01,
        0x0d,
        0xb8,
        net >> 4,
        net << 4,
        9,
    ]);
    packet
}
