// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Flows over a path in virtual time: hosts, one switch with a queue, and a decision for each packet that arrives there.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use quench_dataplane::tm::{Rate, Transmitter};

use super::lab::{form_of, give, taken};
use crate::paced::message::{Form, Message};
use crate::packet::{Advice, Carrier, Endpoint, Quote, SourceQuench};
use crate::time::Ns;
use crate::transport::{ConnectionEvent, Counters, Io, Opening, Socket, Transport, Turn};

/// The fate of a packet that arrives at the switch.
pub enum Decision {
    Drop,
    Pass,
    /// It passes, and the source gets a signal.
    Signal(Message),
    /// It passes, and the source gets a quench of this level.
    Quench(u8),
}

/// The decisions of a switch.
pub trait Switch {
    /// A packet arrives, with so many bytes in the queue. It may be changed.
    fn arrive(&mut self, now: Ns, queue_bytes: u64, message: &mut Message) -> Decision;

    /// A packet leaves the queue, with so many bytes behind it.
    fn depart(&mut self, _now: Ns, _queue_bytes: u64, _message: &mut Message) {}

    /// The time that a packet back to its source needs beyond the delay; none: it is lost.
    fn back(&mut self) -> Option<Ns> {
        Some(0)
    }
}

pub struct Flow {
    pub sender: Box<dyn Socket>,
    pub receiver: Option<Box<dyn Socket>>,
    pub received_bytes: u64,
    pub acked_bytes: u64,
    pub closed: [bool; 2],
    timer: [Ns; 2],
}

impl Flow {
    pub fn is_finished(&self) -> bool {
        let receiver = self.receiver.as_ref();
        self.sender.is_finished() && receiver.is_some_and(|receiver| receiver.is_finished())
    }

    pub fn counters(&self) -> (&Counters, &Counters) {
        let receiver = self.receiver.as_ref().expect("it has got data");
        (self.sender.counters(), receiver.counters())
    }
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum What {
    Timer(usize),
    AtSwitch,
    Departure,
    AtReceiver,
    AtSender,
}

type Event = Reverse<(Ns, u64, What, usize)>;

/// The network. The delay is that of each of three links; the switch's link has a rate.
pub struct Path<S: Switch> {
    pub switch: S,
    pub flows: Vec<Flow>,
    pub now: Ns,
    transport: Arc<dyn Transport>,
    form: Form,
    header_bytes: u32,
    delay_ns: Ns,
    rate: Rate,
    transmitter: Transmitter,
    pub queue_bytes: u64,
    events: BinaryHeap<Event>,
    /// Packets on their way, by number, with their flow. One with a level is a quench that quotes such a packet.
    travelling: Vec<(usize, Message, Option<u8>)>,
    serial: u64,
    /// The queue after each change.
    pub queue: Vec<(Ns, u64)>,
}

fn endpoint(host: u32, flow: usize) -> Endpoint {
    Endpoint {
        address: 0x0a00_0001 + (host << 8),
        port: 1024 + flow as u16,
    }
}

impl<S: Switch> Path<S> {
    pub fn new(transport: Arc<dyn Transport>, switch: S, rate_bps: u64, delay_ns: Ns) -> Self {
        let form = form_of(&*transport);
        Self {
            switch,
            flows: Vec::new(),
            now: 0,
            form,
            header_bytes: 20 + form.header_bytes(),
            transport,
            delay_ns,
            rate: Rate::bps(rate_bps),
            transmitter: Transmitter::default(),
            queue_bytes: 0,
            events: BinaryHeap::new(),
            travelling: Vec::new(),
            serial: 0,
            queue: Vec::new(),
        }
    }

    /// Starts a flow now; `u64::MAX`: without end.
    pub fn start(&mut self, bytes: u64) {
        let flow = self.flows.len();
        let opening = Opening {
            local: endpoint(1, flow),
            remote: endpoint(2, flow),
            first_number: 0,
        };
        let mut io = Io::default();
        let mut sender = Arc::clone(&self.transport).open(opening, self.now, &mut io);
        sender.send(bytes, self.now, &mut io);
        if bytes < u64::MAX {
            sender.close(self.now, &mut io);
        }
        self.flows.push(Flow {
            sender,
            receiver: None,
            received_bytes: 0,
            acked_bytes: 0,
            closed: [false; 2],
            timer: [Ns::MAX; 2],
        });
        self.take(flow, 0, &mut io);
    }

    /// A message comes for a flow. True if it joins it.
    pub fn join(&mut self, flow: usize, bytes: u64) -> bool {
        let joins = self.flows[flow].sender.join(bytes, self.now) == Turn::Joins;
        self.take(flow, 0, &mut Io::default());
        joins
    }

    fn schedule(&mut self, at: Ns, what: What, index: usize) {
        self.serial += 1;
        self.events.push(Reverse((at, self.serial, what, index)));
    }

    fn travel(&mut self, at: Ns, what: What, flow: usize, message: Message, level: Option<u8>) {
        self.travelling.push((flow, message, level));
        self.schedule(at, what, self.travelling.len() - 1);
    }

    /// Takes the output of an end and looks at its timer.
    fn take(&mut self, flow: usize, side: usize, io: &mut Io) {
        for event in io.events.drain(..) {
            let this = &mut self.flows[flow];
            match event {
                ConnectionEvent::Received { bytes } => this.received_bytes += bytes,
                ConnectionEvent::Acked { bytes } => this.acked_bytes += bytes,
                ConnectionEvent::Closed => {
                    assert!(
                        !std::mem::replace(&mut this.closed[side], true),
                        "closed once"
                    );
                }
                ConnectionEvent::PeerClosed if side == 1 => {
                    let receiver = this.receiver.as_mut().expect("it speaks");
                    receiver.close(self.now, &mut Io::default());
                    this.closed[1] = receiver.is_finished();
                }
                _ => {}
            }
        }
        for message in taken(self.form, io) {
            if side == 0 {
                self.travel(
                    self.now + self.delay_ns,
                    What::AtSwitch,
                    flow,
                    message,
                    None,
                );
            } else if let Some(more) = self.switch.back() {
                let at = self.now + 3 * self.delay_ns + more;
                self.travel(at, What::AtSender, flow, message, None);
            }
        }
        let this = &self.flows[flow];
        let end = if side == 0 {
            Some(&this.sender)
        } else {
            this.receiver.as_ref()
        };
        if let Some(at) = end.and_then(|end| end.timer_ns()) {
            if at < self.flows[flow].timer[side] {
                self.flows[flow].timer[side] = at;
                self.schedule(at, What::Timer(side), flow);
            }
        }
    }

    pub fn run(&mut self, until: Ns) {
        while let Some(Reverse((at, ..))) = self.events.peek() {
            if *at > until {
                break;
            }
            let Some(Reverse((at, _, what, index))) = self.events.pop() else {
                break;
            };
            self.now = at;
            self.handle(what, index);
        }
        self.now = until;
    }

    fn handle(&mut self, what: What, index: usize) {
        let mut io = Io::default();
        if let What::Timer(side) = what {
            if self.flows[index].timer[side] != self.now {
                return;
            }
            self.flows[index].timer[side] = Ns::MAX;
            let this = &mut self.flows[index];
            let end = if side == 0 {
                Some(&mut this.sender)
            } else {
                this.receiver.as_mut()
            };
            if let Some(end) = end.filter(|end| end.timer_ns().is_some_and(|at| at <= self.now)) {
                end.on_timer(self.now, &mut io);
            }
            return self.take(index, side, &mut io);
        }
        let (flow, message, level) = self.travelling[index];
        match what {
            What::AtSwitch => self.arrive(flow, message),
            What::Departure => {
                let mut message = message;
                self.queue_bytes -= self.size(&message);
                self.queue.push((self.now, self.queue_bytes));
                self.switch.depart(self.now, self.queue_bytes, &mut message);
                // The queue is what waits; the packet's own transmission, and two links, follow.
                let bytes = self.size(&message) as u32;
                let left = Transmitter::default().occupy(self.now, self.rate, bytes);
                self.travel(
                    left + 2 * self.delay_ns,
                    What::AtReceiver,
                    flow,
                    message,
                    None,
                );
            }
            What::AtReceiver => {
                if let Some(receiver) = &mut self.flows[flow].receiver {
                    give(&mut **receiver, self.form, &message, self.now, &mut io);
                } else {
                    self.flows[flow].receiver = self.accept(flow, &message, &mut io);
                }
                self.take(flow, 1, &mut io);
            }
            What::AtSender => {
                let sender = &mut self.flows[flow].sender;
                match level {
                    None => give(&mut **sender, self.form, &message, self.now, &mut io),
                    Some(level) => {
                        sender.on_source_quench(&quench(flow, &message, level), self.now);
                    }
                }
                self.take(flow, 0, &mut io);
            }
            What::Timer(_) => {}
        }
    }

    fn accept(&self, flow: usize, message: &Message, io: &mut Io) -> Option<Box<dyn Socket>> {
        let opening = Opening {
            local: endpoint(2, flow),
            remote: endpoint(1, flow),
            first_number: 0,
        };
        let mut out = Io::default();
        let ends = (opening.remote, opening.local);
        let ecn = if message.marked { 3 } else { 2 };
        message.put(self.form, ends, (ecn, 0), &mut out);
        let transport = Arc::clone(&self.transport);
        match (out.segments.first(), out.own_segments.first()) {
            (Some(first), _) => transport.accept(opening, first, self.now, io),
            (_, Some(first)) => transport.accept_own(opening, first, self.now, io),
            _ => None,
        }
    }

    fn size(&self, message: &Message) -> u64 {
        u64::from(self.header_bytes + message.payload_bytes)
    }

    fn arrive(&mut self, flow: usize, mut message: Message) {
        let decision = self.switch.arrive(self.now, self.queue_bytes, &mut message);
        let back_ns = self.now + self.delay_ns;
        match decision {
            Decision::Drop => return,
            Decision::Pass => {}
            Decision::Signal(signal) => {
                self.travel(back_ns, What::AtSender, flow, signal, None);
            }
            Decision::Quench(level) => {
                self.travel(back_ns, What::AtSender, flow, message, Some(level));
            }
        }
        let size = self.size(&message);
        let start = self.transmitter.free_ns().max(self.now);
        self.transmitter.occupy(start, self.rate, size as u32);
        self.queue_bytes += size;
        self.queue.push((self.now, self.queue_bytes));
        self.travel(start, What::Departure, flow, message, None);
    }
}

fn quench(flow: usize, message: &Message, level: u8) -> SourceQuench {
    SourceQuench {
        destination: endpoint(1, flow).address,
        marked: true,
        level,
        advice: Advice::None,
        quote: Ok(Quote {
            source: endpoint(1, flow),
            destination: endpoint(2, flow),
            carrier: Carrier::Tcp,
            seq: message.seq,
        }),
    }
}
