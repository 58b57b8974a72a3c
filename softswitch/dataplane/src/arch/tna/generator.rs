// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The packet generator: when which packet comes.
//!
//! A trigger makes an application send its batches. The generator serves one trigger at a time; others wait in the
//! order in which they came. In: triggers with their times, and the passing of time. Out: packets, one at a time. All
//! times are those of the network, where the chip's are longer by the factor `slowdown`.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use crate::model::config::SwitchConfig;
use crate::model::generator::{GeneratorApp, GeneratorCounts, Trigger, GENERATOR_APPS};

/// Packets of the generator a second, in the mean, and how many may come without a pause.
pub const MAX_PPS: u64 = 1_000_000;
const BURST: u64 = 4096;
const PACE_NS: u64 = 1_000_000_000 / MAX_PPS;

/// Triggers of recirculated packets that can wait, for each application. There is one of a timer, and one of each port.
const MAX_WAITING: usize = 256;

const NEVER: u64 = u64::MAX;

/// In front of each generated packet.
pub const HEADER_BYTES: usize = 6;

/// A packet that comes.
pub struct Generated {
    pub port: u32,
    pub header: [u8; HEADER_BYTES],
    pub app: Arc<GeneratorApp>,
}

#[derive(Debug, Clone)]
struct App {
    config: Arc<GeneratorApp>,
    /// The time at which its timer expires.
    timer_ns: u64,
    waiting: usize,
    counts: GeneratorCounts,
}

#[derive(Debug, Clone, Copy)]
struct Event {
    app: usize,
    /// The port that went down, or the first bytes of the recirculated packet.
    data: u32,
}

/// A trigger that is being served.
#[derive(Debug, Clone)]
struct Run {
    event: Event,
    config: Arc<GeneratorApp>,
    batch: u32,
    packet: u32,
    batch_ns: u64,
    /// The time of the next packet; behind the last one, when the generator is free again.
    next_ns: u64,
}

#[derive(Debug, Clone, Default)]
pub struct Generator {
    apps: [Option<App>; GENERATOR_APPS],
    slowdown: u64,
    events: VecDeque<Event>,
    run: Option<Run>,
    /// Whether an application has recirculated packets for a trigger.
    snoops: bool,
    /// Ports that went down and were not cleared since.
    down: BTreeSet<u32>,
    /// The time at which all packets so far would have come at the rate [`MAX_PPS`].
    paced_ns: u64,
}

impl Generator {
    /// The applications of a switch's settings begin, with their timers.
    pub fn start(&mut self, config: &SwitchConfig, now_ns: u64) {
        *self = Self {
            slowdown: u64::from(config.slowdown.max(1)),
            ..Self::default()
        };
        for (number, app) in config.generator.iter().enumerate() {
            self.set(number, app.clone(), now_ns);
        }
    }

    /// Replaces an application, with all that it was about to send.
    pub fn set(&mut self, number: usize, app: Option<Arc<GeneratorApp>>, now_ns: u64) {
        self.events.retain(|event| event.app != number);
        if self.run.as_ref().is_some_and(|run| run.event.app == number) {
            self.run = None;
        }
        self.apps[number] = app.map(|config| {
            let timer_ns = match config.trigger {
                Trigger::OneShot { after_ns } => self.later(now_ns, after_ns),
                Trigger::Periodic { every_ns } => self.later(now_ns, every_ns),
                Trigger::PortDown | Trigger::Recirculated { .. } => NEVER,
            };
            if config.trigger == Trigger::PortDown {
                self.down.clear();
            }
            App {
                config,
                timer_ns,
                waiting: 0,
                counts: GeneratorCounts::default(),
            }
        });
        let snoops = |trigger: &Trigger| matches!(trigger, Trigger::Recirculated { .. });
        self.snoops = (0..GENERATOR_APPS).any(|number| self.has(number, snoops));
        self.serve(now_ns);
    }

    pub fn counts(&self, number: usize) -> GeneratorCounts {
        let app = self.apps[number].as_ref();
        app.map_or_else(GeneratorCounts::default, |app| app.counts)
    }

    /// A port has gone down. That triggers once, until the port is cleared.
    pub fn port_down(&mut self, port: u32, now_ns: u64) {
        if self.down.insert(port) {
            for number in 0..GENERATOR_APPS {
                if self.has(number, |trigger| *trigger == Trigger::PortDown) {
                    self.triggered(number, port, usize::MAX, now_ns);
                }
            }
        }
    }

    pub fn clear_port(&mut self, port: u32) {
        self.down.remove(&port);
    }

    /// Whether [`Self::recirculated`] can trigger anything.
    #[inline]
    pub fn snoops(&self) -> bool {
        self.snoops
    }

    /// A packet has left at a recirculation port; it has these first bytes, or is shorter.
    pub fn recirculated(&mut self, bytes: Option<[u8; 4]>, now_ns: u64) {
        let Some(first) = bytes.map(u32::from_be_bytes) else {
            return;
        };
        for number in 0..GENERATOR_APPS {
            let matches = |trigger: &Trigger| match trigger {
                Trigger::Recirculated { value, mask } => (first ^ value) & mask == 0,
                _ => false,
            };
            if self.has(number, matches) {
                self.triggered(number, first, MAX_WAITING, now_ns);
            }
        }
    }

    /// The time at which [`Self::step`] has something to do.
    pub fn next_ns(&self) -> u64 {
        let timers = self.apps.iter().flatten().map(|app| app.timer_ns);
        let first_ns = timers.min().unwrap_or(NEVER);
        let run_ns = self.run.as_ref().map_or(NEVER, |run| run.next_ns);
        first_ns.min(run_ns)
    }

    /// Does what is due at `at_ns`, which is [`Self::next_ns`].
    pub fn step(&mut self, at_ns: u64) -> Option<Generated> {
        let is_over = |run: &Run| run.next_ns <= at_ns && run.batch == run.config.batches;
        if self.run.as_ref().is_some_and(is_over) {
            self.run = None;
            self.serve(at_ns);
        }
        for number in 0..GENERATOR_APPS {
            self.expire(number, at_ns);
        }
        match &self.run {
            Some(run) if run.next_ns <= at_ns => self.send(at_ns),
            _ => None,
        }
    }

    fn has(&self, number: usize, is: impl FnOnce(&Trigger) -> bool) -> bool {
        let app = self.apps[number].as_ref();
        app.is_some_and(|app| is(&app.config.trigger))
    }

    /// A time of the chip after a moment. Nothing is faster than one nanosecond of its clock.
    fn later(&self, from_ns: u64, chip_ns: u32) -> u64 {
        let wait_ns = u64::from(chip_ns.max(1)).saturating_mul(self.slowdown);
        from_ns.saturating_add(wait_ns)
    }

    /// Not before the mean rate allows it.
    fn paced(&self, at_ns: u64) -> u64 {
        at_ns.max(self.paced_ns.saturating_sub(BURST * PACE_NS))
    }

    fn expire(&mut self, number: usize, at_ns: u64) {
        let Some(app) = self.apps[number].as_ref() else {
            return;
        };
        if app.timer_ns > at_ns {
            return;
        }
        let next_ns = match app.config.trigger {
            Trigger::Periodic { every_ns } => self.later(app.timer_ns, every_ns),
            _ => NEVER,
        };
        if let Some(app) = &mut self.apps[number] {
            app.timer_ns = next_ns;
        }
        self.triggered(number, 0, 1, at_ns);
    }

    fn triggered(&mut self, number: usize, data: u32, most_waiting: usize, now_ns: u64) {
        let Some(app) = &mut self.apps[number] else {
            return;
        };
        if app.waiting >= most_waiting {
            app.counts.lost_triggers += 1;
            return;
        }
        app.waiting += 1;
        self.events.push_back(Event { app: number, data });
        self.serve(now_ns);
    }

    /// Begins with the trigger that waits longest, if the generator is free.
    fn serve(&mut self, now_ns: u64) {
        if self.run.is_some() {
            return;
        }
        let Some(event) = self.events.pop_front() else {
            return;
        };
        let next_ns = self.paced(now_ns);
        if let Some(app) = &mut self.apps[event.app] {
            app.waiting -= 1;
            app.counts.triggers += 1;
            self.run = Some(Run {
                event,
                config: Arc::clone(&app.config),
                batch: 0,
                packet: 0,
                batch_ns: next_ns,
                next_ns,
            });
        }
    }

    fn send(&mut self, at_ns: u64) -> Option<Generated> {
        let mut run = self.run.take()?;
        let generated = run.packet(at_ns);
        let counts = &mut self.apps[run.event.app].as_mut()?.counts;
        counts.packets += 1;
        counts.batches += u64::from(run.packet == 0);
        self.paced_ns = self.paced_ns.max(at_ns).saturating_add(PACE_NS);
        let packet_ns = self.later(at_ns, run.config.packet_gap_ns);
        run.packet += 1;
        run.next_ns = if run.packet < run.config.packets {
            self.paced(packet_ns)
        } else {
            // A batch that takes longer than its gap delays the next one.
            let batch_ns = self.later(run.batch_ns, run.config.batch_gap_ns);
            (run.batch, run.packet) = (run.batch + 1, 0);
            let next_ns = if batch_ns < at_ns {
                packet_ns
            } else {
                batch_ns
            };
            self.paced(next_ns)
        };
        self.run = Some(run);
        Some(generated)
    }
}

impl Run {
    /// The next packet, with the number of pipe 0 in its header.
    fn packet(&mut self, at_ns: u64) -> Generated {
        if self.packet == 0 {
            self.batch_ns = at_ns;
        }
        let data = self.event.data;
        let middle = match self.config.trigger {
            Trigger::OneShot { .. } | Trigger::Periodic { .. } => self.batch,
            Trigger::PortDown => data,
            // The low 16 bits count batches, without a carry.
            Trigger::Recirculated { .. } => {
                data & 0x00ff_0000 | data.wrapping_add(self.batch) & 0xffff
            }
        };
        let [_, high, middle, low] = middle.to_be_bytes();
        let [.., packet_high, packet_low] = self.packet.to_be_bytes();
        let app = self.event.app as u8;
        let step = if self.config.increments_port {
            self.packet
        } else {
            0
        };
        Generated {
            port: u32::from(self.config.source_port) + step,
            header: [app, high, middle, low, packet_high, packet_low],
            app: Arc::clone(&self.config),
        }
    }
}
