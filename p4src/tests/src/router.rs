// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! A switch that runs the pipeline, with a profile for one of its ports, and packets for it.

use quench_dataplane::control::{MatchField, PortOptions};
use quench_dataplane::{Switch, SwitchConfig};

use crate::tables::{
    self, add_clone_session, add_group, add_group_route, add_route, average_parameters,
    set_address, Row, CPU_PORT,
};

/// The port for 10.0.1.0/24 and 2001:db8:1::/48; its queue has a profile.
pub const AQM_PORT: u32 = 1;
/// The port for 10.0.2.0/24 and 2001:db8:2::/48.
pub const PLAIN_PORT: u32 = 2;
/// 10.0.3.0/24 and 2001:db8:3::/48 are behind both ports, which share the flows.
pub const SHARED_NET: u8 = 3;
const GROUP: u64 = 1;
/// The rate of the port with a profile: 1000 bytes take 80 us.
pub const AQM_RATE_BPS: u64 = 100_000_000;

pub type Curve = [Row];

const NOTHING: Row = Row {
    pkts: [0.0, 0.0],
    level1: [1.0, 1.0],
    level2: [0.0, 0.0],
    isq: false,
    drop: false,
    isq_level: [0.0, 0.0],
};

/// ECN with minth 5, maxth 15 and maxp 0.1, gentle.
pub const ECN: &Curve = &[
    Row {
        pkts: [5.0, 15.0],
        level1: [0.0, 0.1],
        ..NOTHING
    },
    Row {
        pkts: [15.0, 30.0],
        level1: [0.1, 1.0],
        drop: true,
        ..NOTHING
    },
    Row {
        pkts: [30.0, f64::INFINITY],
        drop: true,
        ..NOTHING
    },
];

/// The same thresholds with source quenches from 10 packets on, and multilevel marks.
pub const BECN: &Curve = &[
    Row {
        pkts: [5.0, 10.0],
        level1: [0.0, 0.05],
        ..NOTHING
    },
    Row {
        pkts: [10.0, 15.0],
        level1: [0.05, 0.1],
        level2: [0.0, 0.1],
        isq: true,
        isq_level: [0.0, 128.0],
        ..NOTHING
    },
    Row {
        pkts: [15.0, 30.0],
        level1: [0.1, 1.0],
        isq: true,
        drop: true,
        isq_level: [127.0, 127.0],
        ..NOTHING
    },
    Row {
        pkts: [30.0, f64::INFINITY],
        isq: true,
        drop: true,
        isq_level: [127.0, 127.0],
        ..NOTHING
    },
];

/// A profile: its curve and its parameters.
#[derive(Clone, Copy, Debug)]
pub struct Profile {
    pub curve: &'static Curve,
    pub mark_at_tail: bool,
    pub level1_codepoint: u64,
    pub isq_in_dataplane: bool,
    pub report_interval_us: u64,
    pub spare_empty: bool,
    /// The bytes that wait decide, and not the average.
    pub depth_now: bool,
}

pub const ECN_PROFILE: Profile = Profile {
    curve: ECN,
    mark_at_tail: false,
    level1_codepoint: 3,
    isq_in_dataplane: false,
    report_interval_us: 100_000,
    spare_empty: false,
    depth_now: false,
};

/// `depth_per_byte` for packets of 1000 bytes.
const PACKETS_PER_BYTE: u64 = (1u64 << 32).div_ceil(1000);

/// A profile with wq 0.002 and packets of 1000 bytes on average, at 100 Mb/s.
fn add_profile(switch: &mut Switch, profile: &Profile) {
    let mut parameters = average_parameters(AQM_RATE_BPS).to_vec();
    parameters.extend([
        ("wait", 1),
        ("mark_at_tail", profile.mark_at_tail.into()),
        ("level1_codepoint", profile.level1_codepoint),
        ("level2_codepoint", 3),
        ("report_interval_us", profile.report_interval_us),
        ("isq_in_dataplane", profile.isq_in_dataplane.into()),
        ("spare_empty", profile.spare_empty.into()),
    ]);
    if profile.depth_now {
        parameters.push(("depth_per_byte", PACKETS_PER_BYTE));
    }
    tables::add_profile(switch, AQM_PORT, profile.curve, &parameters);
}

/// A switch with routes to both ports, and `profile` on one of them.
pub fn switch(program: &str, profile: &Profile) -> Switch {
    let mut switch = Switch::new(SwitchConfig {
        cpu_port: Some(CPU_PORT),
        ..SwitchConfig::default()
    });
    switch.load_json(program).expect("the pipeline loads");
    fill(&mut switch, profile);
    switch
}

/// Tables, ports and clone session of a switch that is loaded.
pub fn fill(switch: &mut Switch, profile: &Profile) {
    for (net, port) in [(1, AQM_PORT), (2, PLAIN_PORT)] {
        let v4 = MatchField::Lpm(vec![10, 0, net, 0], 24);
        add_route(switch, "ipv4_route", v4, port);
        let mut prefix = [0; 16];
        prefix[..6].copy_from_slice(&[0x20, 0x01, 0x0d, 0xb8, 0, net]);
        let v6 = MatchField::Lpm(prefix.to_vec(), 48);
        add_route(switch, "ipv6_route", v6, port);
    }
    add_group(switch, GROUP, &[AQM_PORT, PLAIN_PORT]);
    let v4 = MatchField::Lpm(vec![10, 0, SHARED_NET, 0], 24);
    add_group_route(switch, "ipv4_route", v4, GROUP);
    let mut prefix = [0; 16];
    prefix[..6].copy_from_slice(&[0x20, 0x01, 0x0d, 0xb8, 0, SHARED_NET]);
    let v6 = MatchField::Lpm(prefix.to_vec(), 48);
    add_group_route(switch, "ipv6_route", v6, GROUP);
    add_profile(switch, profile);
    add_clone_session(switch);
    set_address(switch, [10, 0, 0, 1]);
    let options = PortOptions {
        rate_bps: Some(AQM_RATE_BPS),
        ..PortOptions::default()
    };
    switch
        .port_set(AQM_PORT, &options, 0)
        .expect("the port can be set");
}

/// The ones' complement sum of RFC 1071.
fn checksum(header: &[u8]) -> u16 {
    let words = header
        .chunks(2)
        .map(|pair| u32::from(pair[0]) << 8 | u32::from(pair[1]));
    let mut sum: u32 = words.sum();
    while sum >> 16 != 0 {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    !(sum as u16)
}

/// Ethernet and IPv4 in front of a TCP segment; `ip_bytes` counts from the IP header on.
pub fn ipv4(net: u8, ecn: u8, ip_bytes: u16) -> Vec<u8> {
    let mut packet = vec![0; 14 + usize::from(ip_bytes)];
    packet[..6].copy_from_slice(&[2, 0, 0, 0, 0, 1]);
    packet[6..12].copy_from_slice(&[2, 0, 0, 0, 0, 9]);
    packet[12..14].copy_from_slice(&[8, 0]);
    packet[14..16].copy_from_slice(&[0x45, ecn]);
    packet[16..18].copy_from_slice(&ip_bytes.to_be_bytes());
    packet[18..24].copy_from_slice(&[0x12, 0x34, 0x40, 0, 64, 6]);
    packet[26..30].copy_from_slice(&[10, 0, 9, 9]);
    packet[30..34].copy_from_slice(&[10, 0, net, 7]);
    let sum = checksum(&packet[14..34]);
    packet[24..26].copy_from_slice(&sum.to_be_bytes());
    packet[34..38].copy_from_slice(&[0x13, 0x88, 0x00, 0x50]);
    packet[46] = 0x50;
    packet
}

/// Makes the checksum of a packet's IPv4 header right, as long as the header says that it is.
pub fn set_checksum(packet: &mut [u8]) {
    let end = 14 + usize::from(packet[14] & 15) * 4;
    if end >= 34 && packet.len() >= end {
        packet[24..26].fill(0);
        let sum = checksum(&packet[14..end]);
        packet[24..26].copy_from_slice(&sum.to_be_bytes());
    }
}

/// Ethernet and IPv6 in front of `payload` bytes.
pub fn ipv6(net: u8, class: u8, hop_limit: u8, payload: u16) -> Vec<u8> {
    let mut packet = vec![0; 54 + usize::from(payload)];
    packet[12..16].copy_from_slice(&[0x86, 0xdd, 0x60 | class >> 4, class << 4]);
    packet[18..20].copy_from_slice(&payload.to_be_bytes());
    packet[20..22].copy_from_slice(&[6, hop_limit]);
    packet[22..28].copy_from_slice(&[0x20, 0x01, 0x0d, 0xb8, 0, 9]);
    packet[38..44].copy_from_slice(&[0x20, 0x01, 0x0d, 0xb8, 0, net]);
    packet
}
