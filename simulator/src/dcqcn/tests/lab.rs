// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! One end in virtual time: what it sends, and when, for what it gets.

use std::sync::Arc;

use serde_json::{json, Value};

use crate::packet::roce::{RoceContent, RocePacket};
use crate::packet::{ecn, Advice, Carrier, Endpoint, IpVersion, Quote, SourceQuench, Verdict};
use crate::stacks::StackConfig;
use crate::time::Ns;
use crate::transport::{ConnectionEvent, Counters, Io, Opening, Socket, Transport};

pub const LOCAL: Endpoint = Endpoint {
    address: 0x0a00_0101,
    port: 1024,
};
pub const REMOTE: Endpoint = Endpoint {
    address: 0x0a00_0201,
    port: 4791,
};
pub const OPENING: Opening = Opening {
    local: LOCAL,
    remote: REMOTE,
    first_number: 7,
};

/// Settings for links of 100 Gb/s and 8 us, with changes; the transport is not named.
pub fn config(changes: Value) -> Value {
    let mut config = json!({"rate_bps": 100e9, "base_rtt_s": 8e-6, "segment_bytes": 1000});
    let fields = config.as_object_mut().expect("an object");
    fields.extend(changes.as_object().cloned().unwrap_or_default());
    config
}

pub fn stack(changes: Value) -> Result<Arc<dyn Transport>, String> {
    let mut config = config(changes);
    config["transport"] = json!("dcqcn");
    let config: StackConfig = serde_json::from_value(config).map_err(|error| error.to_string())?;
    config.build().map_err(|error| error.to_string())
}

pub struct Lab {
    pub socket: Box<dyn Socket>,
    io: Io,
    /// Everything sent so far, with its time.
    pub sent: Vec<(Ns, RocePacket)>,
    pub events: Vec<ConnectionEvent>,
}

/// The parts of a packet with data: number, first, last, payload.
pub type Data = (u32, bool, bool, u32);

impl Lab {
    pub fn new(changes: Value) -> Self {
        let transport = stack(changes).expect("the settings are right");
        let mut io = Io::default();
        let socket = transport.open(OPENING, 0, &mut io);
        let mut lab = Self {
            socket,
            io,
            sent: Vec::new(),
            events: Vec::new(),
        };
        lab.take(0);
        lab
    }

    /// An end that has sent a stream without end for 8 us.
    pub fn started(changes: Value) -> Self {
        let mut lab = Self::new(changes);
        lab.send(u64::MAX, 0);
        lab.run(7_999);
        lab
    }

    fn take(&mut self, now: Ns) {
        let packets = self.io.roce_packets.drain(..);
        self.sent.extend(packets.map(|packet| (now, packet)));
        self.events.append(&mut self.io.events);
        assert!(self.io.segments.is_empty() && self.io.own_segments.is_empty());
    }

    pub fn send(&mut self, bytes: u64, now: Ns) {
        self.socket.send(bytes, now, &mut self.io);
        self.take(now);
    }

    pub fn close(&mut self, now: Ns) {
        self.socket.close(now, &mut self.io);
        self.take(now);
    }

    /// Runs the timers that are due by `until`.
    pub fn run(&mut self, until: Ns) {
        // One that waits for its turn stays due.
        while self.io.may_send {
            let due = self.socket.timer_ns().filter(|&at| at <= until);
            let Some(at) = due else {
                return;
            };
            self.tick(at);
        }
    }

    pub fn tick(&mut self, now: Ns) {
        self.socket.on_timer(now, &mut self.io);
        self.take(now);
    }

    pub fn set_may_send(&mut self, may_send: bool) {
        self.io.may_send = may_send;
    }

    /// A packet of the peer arrives.
    pub fn give(&mut self, content: RoceContent, ecn: u8, now: Ns) {
        self.run(now.saturating_sub(1));
        let packet = RocePacket {
            version: IpVersion::V6,
            source: REMOTE,
            destination: LOCAL,
            content,
            ecn,
            dscp: 0,
            hops: 1,
        };
        self.socket.on_roce_packet(&packet, now, &mut self.io);
        self.take(now);
    }

    /// Acknowledges the first so many packets.
    pub fn ack(&mut self, now: Ns, pkts: u32) {
        let psn = pkts.wrapping_sub(1) & 0xff_ffff;
        self.give(RoceContent::Ack { psn, msn: 0 }, ecn::NOT_ECT, now);
    }

    /// The packet with this number is missing.
    pub fn nak(&mut self, now: Ns, psn: u32) {
        self.give(RoceContent::Nak { psn, msn: 0 }, ecn::NOT_ECT, now);
    }

    pub fn cnp(&mut self, now: Ns) {
        self.give(RoceContent::Cnp, ecn::NOT_ECT, now);
    }

    pub fn switch_cnp(&mut self, now: Ns) {
        self.advise(now, Advice::None);
    }

    /// A switch's CNP with advice arrives.
    pub fn advise(&mut self, now: Ns, advice: Advice) {
        self.run(now.saturating_sub(1));
        self.socket.on_switch_cnp(advice, now);
    }

    /// Data of the peer arrives.
    pub fn data(&mut self, (psn, first, last, payload_bytes): Data, ecn: u8, now: Ns) {
        let content = RoceContent::Data {
            psn,
            first,
            last,
            payload_bytes,
        };
        self.give(content, ecn, now);
    }

    pub fn quench(&mut self, now: Ns, local: Endpoint, marked: bool) -> Verdict {
        self.quench_with(now, local, marked, Advice::None)
    }

    pub fn quench_with(
        &mut self,
        now: Ns,
        local: Endpoint,
        marked: bool,
        advice: Advice,
    ) -> Verdict {
        self.run(now.saturating_sub(1));
        let quench = SourceQuench {
            destination: LOCAL.address,
            marked,
            level: 5,
            advice,
            quote: Ok(Quote {
                source: local,
                destination: REMOTE,
                carrier: Carrier::Roce(IpVersion::V4),
                seq: 0,
            }),
        };
        self.socket.on_source_quench(&quench, now)
    }

    pub fn counters(&self) -> &Counters {
        self.socket.counters()
    }

    /// The rate in Gb/s: without a window the flow's window is that of its rate.
    pub fn rate_gbps(&self) -> f64 {
        self.socket.cwnd_pkts() * 1000.0 * 8.0 / 8_000.0
    }

    /// The packets with data sent from an index on.
    pub fn data_from(&self, from: usize) -> Vec<(Ns, Data)> {
        let data = self.sent[from..]
            .iter()
            .filter_map(|(at, packet)| match packet.content {
                RoceContent::Data {
                    psn,
                    first,
                    last,
                    payload_bytes,
                } => Some((*at, (psn, first, last, payload_bytes))),
                _ => None,
            });
        data.collect()
    }

    /// Everything else.
    pub fn answers(&self) -> Vec<RoceContent> {
        let contents = self.sent.iter().map(|(_, packet)| packet.content);
        let answers = contents.filter(|content| !matches!(content, RoceContent::Data { .. }));
        answers.collect()
    }
}
