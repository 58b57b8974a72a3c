// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! One end in virtual time: what it sends, and when, for what it gets.

use std::sync::Arc;

use crate::paced::message::{Form, Kind, Message};
use crate::packet::{ecn, Advice, Carrier, Endpoint, Quote, SourceQuench, Verdict};
use crate::stacks::StackConfig;
use crate::time::Ns;
use crate::transport::{ConnectionEvent, Counters, Io, Opening, Socket, Transport};
use serde_json::{json, Value};

pub const LOCAL: Endpoint = Endpoint {
    address: 0x0a00_0101,
    port: 1024,
};
pub const REMOTE: Endpoint = Endpoint {
    address: 0x0a00_0201,
    port: 1025,
};

/// A stack for links of 100 Gb/s and 8 us, with changes.
pub fn config(transport: &str, changes: Value) -> Value {
    let segment_bytes = match transport {
        "bolt" => 1459,
        "hpcc" => 1000,
        _ => 1460,
    };
    let mut config = json!({"transport": transport, "rate_bps": 100e9, "base_rtt_s": 8e-6, "segment_bytes": segment_bytes});
    let fields = config.as_object_mut().expect("an object");
    fields.extend(changes.as_object().cloned().unwrap_or_default());
    config
}

pub fn stack(config: Value) -> Result<Arc<dyn Transport>, String> {
    let config: StackConfig = serde_json::from_value(config).map_err(|error| error.to_string())?;
    config.build().map_err(|error| error.to_string())
}

pub fn form_of(transport: &dyn Transport) -> Form {
    match transport.header().map(|header| header.protocol) {
        None => Form::Tcp,
        Some(196) => Form::Bolt,
        Some(_) => Form::Hpcc,
    }
}

/// The packets that an end has put into `io`, as messages.
pub fn taken(form: Form, io: &mut Io) -> Vec<Message> {
    let segments = io.segments.drain(..);
    let mut messages: Vec<_> = segments
        .map(|segment| Message::read_segment(form, &segment))
        .collect();
    let own = io.own_segments.drain(..);
    messages.extend(own.map(|segment| Message::read_own(form, &segment)));
    let messages = messages.into_iter();
    messages
        .map(|message| message.expect("an end sends what it can read"))
        .collect()
}

/// Gives a message to an end.
pub fn give(socket: &mut dyn Socket, form: Form, message: &Message, now: Ns, io: &mut Io) {
    let ecn = match message.kind {
        Kind::Data if message.marked => ecn::CE,
        _ => ecn::NOT_ECT,
    };
    let mut out = Io::default();
    message.put(form, (REMOTE, LOCAL), (ecn, 0), &mut out);
    for mut segment in out.segments {
        segment.hops = message.hops;
        socket.on_segment(&segment, now, io);
    }
    for mut segment in out.own_segments {
        segment.hops = message.hops;
        socket.on_own_segment(&segment, now, io);
    }
}

pub struct Lab {
    pub socket: Box<dyn Socket>,
    pub form: Form,
    segment_bytes: u32,
    io: Io,
    /// Everything sent so far, with its time.
    pub sent: Vec<(Ns, Message)>,
    pub events: Vec<ConnectionEvent>,
}

impl Lab {
    pub fn new(transport: &str, changes: Value) -> Self {
        let transport = stack(config(transport, changes)).expect("the settings are right");
        let opening = Opening {
            local: LOCAL,
            remote: REMOTE,
            first_number: 7,
        };
        let mut io = Io::default();
        let (form, segment_bytes) = (form_of(&*transport), transport.segment_bytes());
        let socket = transport.open(opening, 0, &mut io);
        let mut lab = Self {
            socket,
            form,
            segment_bytes,
            io,
            sent: Vec::new(),
            events: Vec::new(),
        };
        lab.take(0);
        lab
    }

    /// An end that has sent a full window without end by 8000 ns, and has got the first ACK then. Nothing else has changed.
    pub fn started(transport: &str, changes: Value) -> Self {
        let mut lab = Self::new(transport, changes);
        lab.send(u64::MAX, 0);
        lab.run(7_999);
        lab.ack(8_000, 1, Message::default());
        lab
    }

    fn take(&mut self, now: Ns) {
        let messages = taken(self.form, &mut self.io).into_iter();
        self.sent.extend(messages.map(|message| (now, message)));
        self.events.append(&mut self.io.events);
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
        while let Some(at) = self.socket.timer_ns().filter(|&at| at <= until) {
            self.tick(at);
        }
    }

    /// A call at this time, for a timer or a turn.
    pub fn tick(&mut self, now: Ns) {
        self.socket.on_timer(now, &mut self.io);
        self.take(now);
    }

    /// Whether the link is free for the end from now on.
    pub fn set_may_send(&mut self, may_send: bool) {
        self.io.may_send = may_send;
    }

    pub fn give(&mut self, message: Message, now: Ns) {
        self.run(now - 1);
        give(&mut *self.socket, self.form, &message, now, &mut self.io);
        self.take(now);
    }

    /// Acknowledges the first so many packets, at the time at which a packet of 8 us before would be.
    pub fn ack(&mut self, now: Ns, pkts: u32, message: Message) {
        self.answer(Kind::Ack, now, pkts, message);
    }

    pub fn answer(&mut self, kind: Kind, now: Ns, pkts: u32, message: Message) {
        let message = Message {
            kind,
            seq: pkts * self.segment_bytes,
            time_ns: (now as u32).wrapping_sub(8_000),
            ..message
        };
        self.give(message, now);
    }

    /// A quench of the packet with this number.
    pub fn quench(&mut self, now: Ns, pkt: u32, marked: bool, level: u8) -> Verdict {
        self.run(now - 1);
        let quench = SourceQuench {
            destination: LOCAL.address,
            marked,
            level,
            advice: Advice::None,
            quote: Ok(Quote {
                source: LOCAL,
                destination: REMOTE,
                carrier: Carrier::Tcp,
                seq: pkt * self.segment_bytes,
            }),
        };
        self.socket.on_source_quench(&quench, now)
    }

    /// The window in bytes.
    pub fn window(&self) -> f64 {
        (self.socket.cwnd_pkts() * f64::from(self.segment_bytes)).round()
    }

    pub fn counters(&self) -> &Counters {
        self.socket.counters()
    }

    /// Times and positions of packets sent from an index on.
    pub fn times(&self, from: usize) -> Vec<(Ns, u32)> {
        let sent = self.sent[from..].iter();
        sent.map(|(at, message)| (*at, message.seq)).collect()
    }
}
