// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! BMv2 JSON and packets: the interpreter and machine code give the same packets, times and state, whether the zeros at the
//! end of a packet are real or implied.
//!
//! An input is the JSON, a zero byte (which JSON has nowhere), then the packets: each a port, a length and its bytes.

use std::time::Duration;

use fastrand::Rng;
use quench_dataplane::{Output, PacketBytes, SharedProgram, Switch, SwitchConfig};

use crate::counts::COUNTS;
use crate::patience::processor_time;
use crate::setup::{self, Arrival, Arrivals};
use crate::{bytes, json, state};

/// Making machine code costs as much as thousands of packets.
const PACKETS: usize = 1000;
const CPU_PORT: u32 = 64;
const MAX_OUTPUTS: usize = 1 << 16;
/// Each packet may spend its whole budget of work: then there are fewer packets.
const MAX_TIME: Duration = Duration::from_secs(4);
/// The budget gives a packet about 0.1 s where all is optimized. A fuzzer's build takes some times as long.
const MAX_PACKET_TIME: Duration = Duration::from_secs(2);

/// The processor time that packets take, each and all.
pub(crate) struct Watch {
    start: Duration,
    last: Duration,
}

impl Watch {
    pub(crate) fn start() -> Self {
        let start = processor_time();
        Self { start, last: start }
    }

    /// After each packet; false where it was the last. No packet may take long by itself.
    pub(crate) fn goes_on(&mut self) -> bool {
        let now = processor_time();
        let took = now - self.last;
        assert!(took < MAX_PACKET_TIME, "one packet took {took:?}");
        self.last = now;
        now - self.start < MAX_TIME
    }
}

pub(crate) fn run(data: &[u8]) -> bool {
    COUNTS.input();
    let (text, packets) = split(data);
    let Ok(text) = std::str::from_utf8(text) else {
        return false;
    };
    let Ok(program) = SharedProgram::new(text) else {
        return false;
    };
    COUNTS.accept();
    if let Err(difference) = compare(&program, packets, PACKETS) {
        panic!("{difference}");
    }
    true
}

/// Two switches with the program, `count` packets, and the first difference between machine code and the interpreter.
pub(crate) fn compare(program: &SharedProgram, packets: &[u8], count: usize) -> Result<(), String> {
    let seed = packets.iter().fold(1, |seed: u64, &byte| {
        seed.wrapping_mul(0x100_0000_01b3) ^ u64::from(byte)
    });
    let config = SwitchConfig {
        cpu_port: Some(CPU_PORT),
        seed,
        ..SwitchConfig::default()
    };
    let mut interpreted = Switch::new_interpreted(config.clone());
    let mut compiled = Switch::new(config);
    for switch in [&mut interpreted, &mut compiled] {
        switch.load(program);
        setup::fill(switch, packets, &mut Rng::with_seed(seed));
    }
    let mut arrivals = Arrivals::new(packets, Rng::with_seed(seed));
    let mut rng = Rng::with_seed(seed);
    let (mut want, mut got) = (Vec::new(), Vec::new());
    let mut now_ns = 0;
    let mut watch = Watch::start();
    for number in 0..count {
        COUNTS.packet();
        let Arrival {
            gap_ns,
            port,
            bytes,
        } = arrivals.next();
        now_ns += gap_ns;
        for (switch, outputs) in [(&mut interpreted, &mut want), (&mut compiled, &mut got)] {
            switch.receive(now_ns, port, implied(&bytes, &mut rng));
            // Packets that wait in queues leave after the last one has come.
            let last = number + 1 == count;
            advance(switch, now_ns + u64::from(last) * 1_000_000_000, outputs);
        }
        if got != want {
            return Err(format!(
                "packet {number}, {bytes:x?} at port {port}: machine code gives {got:x?}, the interpreter {want:x?}"
            ));
        }
        want.clear();
        got.clear();
        if !watch.goes_on() {
            break;
        }
    }
    state::compare(&compiled, &interpreted)
}

/// A packet of which some of the zeros at its end are implied.
fn implied(bytes: &[u8], rng: &mut Rng) -> PacketBytes {
    let last = bytes.iter().rposition(|&byte| byte != 0);
    let real = match rng.u8(..4) {
        0 => bytes.len(),
        _ => rng.usize(last.map_or(0, |last| last + 1)..=bytes.len()),
    };
    PacketBytes::new(bytes[..real].to_vec(), bytes.len() - real)
}

fn advance(switch: &mut Switch, now_ns: u64, outputs: &mut Vec<Output>) {
    switch.advance(now_ns, &mut |output| {
        if outputs.len() < MAX_OUTPUTS {
            outputs.push(output);
        }
    });
}

fn split(data: &[u8]) -> (&[u8], &[u8]) {
    match data.iter().position(|&byte| byte == 0) {
        Some(at) => (&data[..at], &data[at + 1..]),
        None => (data, &[]),
    }
}

pub(crate) fn join(json: &[u8], packets: &[u8]) -> Vec<u8> {
    [json, &[0], packets].concat()
}

/// Changes the program or the packets.
pub(crate) fn mutate(data: &[u8], donor: &[u8], rng: &mut Rng) -> Vec<u8> {
    let (text, packets) = split(data);
    let (other_text, other_packets) = split(donor);
    if rng.u8(..3) > 0 {
        return join(&json::mutate(text, other_text, rng), packets);
    }
    let mut packets = packets.to_vec();
    bytes::change(&mut packets, other_packets, rng);
    join(text, &packets)
}
