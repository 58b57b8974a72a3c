// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The two ends of a connection in virtual time, and a scripted path between them.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use crate::packet::{ecn, Advice, Carrier, Endpoint, Flags, Quote, Segment, SourceQuench};
use crate::tcp::accecn::{flags_of, ECN_FLAGS};
use crate::tcp::{TcpConfig, TcpStack};
use crate::time::Ns;
use crate::transport::{ConnectionEvent, Io, Opening, Socket, Transport};

pub const MS: Ns = 1_000_000;
pub const S: Ns = 1_000 * MS;

pub const OPENER: Endpoint = Endpoint {
    address: 0x0a00_0101,
    port: 1000,
};
pub const ACCEPTOR: Endpoint = Endpoint {
    address: 0x0a00_0201,
    port: 80,
};

/// The two ends; the first opens and, in most tests, sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum End {
    Opener,
    Acceptor,
}

impl End {
    pub fn other(self) -> Self {
        match self {
            Self::Opener => Self::Acceptor,
            Self::Acceptor => Self::Opener,
        }
    }
}

/// The fate of a segment on the path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    Pass,
    Lose,
    /// The ECN field becomes this.
    Mark(u8),
    /// AE, CWR and ECE become this number.
    EcnFlags(u8),
    /// It arrives this much later than others.
    Delay(Ns),
    /// It is marked CE, and its sender gets an ISQ.
    MarkAndQuench {
        level: u8,
    },
    /// It is lost, and its sender gets an ISQ.
    LoseAndQuench,
}

/// A segment that left an end.
#[derive(Debug, Clone, Copy)]
pub struct Sent {
    pub at: Ns,
    pub from: End,
    pub segment: Segment,
    /// Number of segments with data that left this end before.
    pub number: usize,
}

type Script = Box<dyn FnMut(&Sent) -> Fate>;

#[derive(Debug, Clone, Copy)]
enum Arrival {
    Segment(Segment),
    Quench(SourceQuench),
}

/// The network of one connection.
pub struct Lab {
    pub now: Ns,
    pub stacks: [Arc<TcpStack>; 2],
    pub ends: [Option<Box<dyn Socket>>; 2],
    /// All segments sent, and all events.
    pub log: Vec<Sent>,
    pub events: Vec<(Ns, End, ConnectionEvent)>,
    /// One-way delay, and the delay from sending a packet to its ISQ.
    pub delay: Ns,
    pub quench_delay: Ns,
    /// Transmission time of a segment with data.
    pub data_time: Ns,
    /// Transmission time of a segment without data.
    pub ack_time: Ns,
    free_at: [Ns; 2],
    script: Script,
    queue: BinaryHeap<Reverse<(Ns, u64, End, usize)>>,
    arrivals: Vec<Arrival>,
    order: u64,
    data_sent: [usize; 2],
    accept_bytes: u64,
}

pub fn stack(json: &str) -> Arc<TcpStack> {
    let config: TcpConfig = serde_json::from_str(json).expect("settings");
    Arc::new(TcpStack::new(&config).expect("a stack"))
}

impl Lab {
    /// Both ends with the same settings, 50 ms from each other.
    pub fn new(json: &str, script: impl FnMut(&Sent) -> Fate + 'static) -> Self {
        Self::of(stack(json), stack(json), script)
    }

    pub fn of(
        opener: Arc<TcpStack>,
        acceptor: Arc<TcpStack>,
        script: impl FnMut(&Sent) -> Fate + 'static,
    ) -> Self {
        let mut lab = Self {
            now: 0,
            stacks: [opener, acceptor],
            ends: [None, None],
            log: Vec::new(),
            events: Vec::new(),
            delay: 50 * MS,
            quench_delay: 10 * MS,
            data_time: 0,
            ack_time: 0,
            free_at: [0; 2],
            script: Box::new(script),
            queue: BinaryHeap::new(),
            arrivals: Vec::new(),
            order: 0,
            data_sent: [0; 2],
            accept_bytes: 0,
        };
        let mut io = Io::default();
        let opening = Opening {
            local: OPENER,
            remote: ACCEPTOR,
            first_number: 0xffff_f000,
        };
        lab.ends[0] = Some(lab.stacks[0].clone().open(opening, 0, &mut io));
        lab.take(End::Opener, io);
        lab
    }

    /// As [`Self::new`], with an endless transfer from the opener.
    pub fn sending(json: &str, script: impl FnMut(&Sent) -> Fate + 'static) -> Self {
        let mut lab = Self::new(json, script);
        lab.send(End::Opener, u64::MAX);
        lab
    }

    pub fn opener(&self) -> &dyn Socket {
        self.ends[0].as_deref().expect("the opener")
    }

    pub fn acceptor(&self) -> &dyn Socket {
        self.ends[1].as_deref().expect("an acceptor")
    }

    /// The accepting end sends so many bytes as soon as it exists.
    pub fn answer(&mut self, bytes: u64) {
        self.accept_bytes = bytes;
    }

    pub fn send(&mut self, end: End, bytes: u64) {
        self.act(end, |connection, now, io| connection.send(bytes, now, io));
    }

    pub fn close(&mut self, end: End) {
        self.act(end, |connection, now, io| connection.close(now, io));
    }

    pub fn act(&mut self, end: End, action: impl FnOnce(&mut dyn Socket, Ns, &mut Io)) {
        let mut io = Io::default();
        let connection = self.ends[end as usize].as_mut().expect("an end");

        action(connection.as_mut(), self.now, &mut io);
        self.take(end, io);
    }

    /// Runs until `end`.
    pub fn run_until(&mut self, end: Ns) {
        loop {
            let timer = [End::Opener, End::Acceptor]
                .into_iter()
                .filter_map(|end| Some((self.ends[end as usize].as_ref()?.timer_ns()?, end)))
                .min();
            let arrival = self.queue.peek().map(|Reverse(next)| next.0);
            match (arrival, timer) {
                (Some(at), timer) if at <= end && timer.is_none_or(|(timer, _)| at <= timer) => {
                    self.arrive();
                }
                (_, Some((at, which))) if at <= end => {
                    self.now = self.now.max(at);
                    self.act(which, |connection, now, io| connection.on_timer(now, io));
                }
                _ => break,
            }
        }
        self.now = self.now.max(end);
    }

    fn arrive(&mut self) {
        let Some(Reverse((at, _, to, index))) = self.queue.pop() else {
            return;
        };
        self.now = at;
        let mut io = Io::default();
        match (&mut self.ends[to as usize], self.arrivals[index]) {
            (Some(connection), Arrival::Segment(segment)) => {
                connection.on_segment(&segment, at, &mut io);
            }
            (Some(connection), Arrival::Quench(quench)) => {
                connection.on_source_quench(&quench, at);
            }
            (none, Arrival::Segment(segment)) => {
                let stack = self.stacks[to as usize].clone();
                let opening = Opening {
                    local: segment.destination,
                    remote: segment.source,
                    first_number: 0x0700_0000,
                };
                *none = stack.accept(opening, &segment, at, &mut io);
                if let Some(connection) = none {
                    connection.send(self.accept_bytes, at, &mut io);
                }
            }
            _ => {}
        }
        self.take(to, io);
    }

    fn take(&mut self, from: End, io: Io) {
        for event in io.events {
            self.events.push((self.now, from, event));
        }
        for segment in io.segments {
            let sent = Sent {
                at: self.now,
                from,
                segment,
                number: self.data_sent[from as usize],
            };
            self.data_sent[from as usize] += usize::from(segment.payload_bytes > 0);
            self.log.push(sent);
            let fate = (self.script)(&sent);
            self.carry(&sent, fate);
        }
    }

    fn carry(&mut self, sent: &Sent, fate: Fate) {
        let mut segment = sent.segment;
        let side = sent.from as usize;
        // A lost segment takes no transmission time.
        if matches!(fate, Fate::Lose | Fate::LoseAndQuench) {
            if fate == Fate::LoseAndQuench {
                self.quench(sent, false, 0);
            }
            return;
        }
        let time = if segment.payload_bytes > 0 {
            self.data_time
        } else {
            self.ack_time
        };
        let start = self.now.max(self.free_at[side]) + time;
        self.free_at[side] = start;
        let at = start + self.delay;
        match fate {
            Fate::Pass | Fate::Lose | Fate::LoseAndQuench => {}
            Fate::Mark(codepoint) => segment.ecn = codepoint,
            Fate::EcnFlags(bits) => {
                segment.flags = segment.flags.without(ECN_FLAGS) | flags_of(bits);
            }
            Fate::Delay(more) => {
                return self.push(at + more, sent.from.other(), Arrival::Segment(segment));
            }
            Fate::MarkAndQuench { level } => {
                self.quench(sent, true, level);
                segment.ecn = ecn::CE;
            }
        }
        self.push(at, sent.from.other(), Arrival::Segment(segment));
    }

    fn quench(&mut self, sent: &Sent, marked: bool, level: u8) {
        let quench = quench_of(&sent.segment, marked, level);

        self.push(
            self.now + self.quench_delay,
            sent.from,
            Arrival::Quench(quench),
        );
    }

    fn push(&mut self, at: Ns, to: End, arrival: Arrival) {
        self.order += 1;
        self.queue
            .push(Reverse((at, self.order, to, self.arrivals.len())));
        self.arrivals.push(arrival);
    }

    /// Bytes that the application of an end has received.
    pub fn received(&self, end: End) -> u64 {
        self.sum(end, |event| match event {
            ConnectionEvent::Received { bytes } => bytes,
            _ => 0,
        })
    }

    /// Bytes whose arrival at the peer was reported to the application of an end.
    pub fn acked(&self, end: End) -> u64 {
        self.sum(end, |event| match event {
            ConnectionEvent::Acked { bytes } => bytes,
            _ => 0,
        })
    }

    fn sum(&self, end: End, count: impl Fn(ConnectionEvent) -> u64) -> u64 {
        self.events
            .iter()
            .filter(|event| event.1 == end)
            .map(|event| count(event.2))
            .sum()
    }

    pub fn has(&self, end: End, event: ConnectionEvent) -> bool {
        self.events
            .iter()
            .any(|seen| seen.1 == end && seen.2 == event)
    }

    /// Segments with data of an end: the time in milliseconds and the number of the packet, from 0.
    pub fn data_log(&self, end: End) -> Vec<(Ns, u32)> {
        let first = self
            .log
            .iter()
            .find(|sent| sent.from == end && sent.segment.payload_bytes > 0)
            .map_or(0, |sent| sent.segment.seq);
        let bytes = self.stacks[end as usize].segment_bytes();

        self.log
            .iter()
            .filter(|sent| sent.from == end && sent.segment.payload_bytes > 0)
            .map(|sent| (sent.at / MS, sent.segment.seq.wrapping_sub(first) / bytes))
            .collect()
    }

    /// The opener's packets with data that left in this millisecond, by number.
    pub fn numbers_at(&self, ms: Ns) -> Vec<u32> {
        self.data_log(End::Opener)
            .into_iter()
            .filter(|sent| sent.0 == ms)
            .map(|sent| sent.1)
            .collect()
    }
}

pub fn quench_of(segment: &Segment, marked: bool, level: u8) -> SourceQuench {
    SourceQuench {
        destination: segment.source.address,
        marked,
        level,
        advice: Advice::None,
        quote: Ok(Quote {
            source: segment.source,
            destination: segment.destination,
            carrier: Carrier::Tcp,
            seq: segment.seq,
        }),
    }
}

/// A path on which `fate` happens to the opener's packets with these numbers.
pub fn on_packets(numbers: &'static [usize], fate: Fate) -> impl FnMut(&Sent) -> Fate {
    move |sent| match sent.is_opener_data() && numbers.contains(&sent.number) {
        true => fate,
        false => Fate::Pass,
    }
}

impl Sent {
    /// Is this data of the opener?
    pub fn is_opener_data(&self) -> bool {
        self.from == End::Opener && is_data(self)
    }
}

/// Is this a segment with data?
pub fn is_data(sent: &Sent) -> bool {
    sent.segment.payload_bytes > 0 && !sent.segment.flags.has(Flags::SYN)
}
