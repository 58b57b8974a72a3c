// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The event loop of the discrete-event simulation, for one cell of the network. Most networks are one cell.
//!
//! An event is taken from the queue, the clock is set to its time, and the part of the network that it names handles
//! it. Then everything that follows without delay is done ([`Cell::settle`]) before the next event: packets that have
//! arrived are passed on, applications get their events, the controller gets the packet-ins. Packets from other cells
//! come before the cell's own events of their time.

use crate::error::Error;
use crate::events::Event;
use crate::network::{AppEvent, Context, LinkChange, Message, Network};
use crate::time::{to_s, Ns};
use crate::traffic::App;

/// Events at one time after which the clock is taken to stand still: more than the largest networks have.
const STANDSTILL_EVENTS: u32 = 3_000_000;

const DESCRIBED_PACKET_OUT: &str = "a packet-out of the controller";

/// The control plane of the routers while the simulation runs.
pub trait Controller {
    /// Handles a packet-in, `bytes` with its header, of the router with this index in the scenario. A packet that is
    /// returned reaches the router's CPU port after the router's `controller_latency_s`.
    fn packet_in(&mut self, router: usize, now: Ns, bytes: &[u8]) -> Option<Vec<u8>>;
}

/// A controller that never answers.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoController;

impl Controller for NoController {
    fn packet_in(&mut self, _router: usize, _now: Ns, _bytes: &[u8]) -> Option<Vec<u8>> {
        None
    }
}

/// The reason that a cell's loop ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// Nothing is left to do until the time that was given.
    End,
    /// The caller takes a sample, or ends the warm-up.
    Sample,
    WarmUpEnd,
    /// The controller may answer a packet-in sooner than packets come from other cells, so it has to be asked first.
    Asks,
}

/// A packet-in that waits for the controller.
#[derive(Debug)]
pub struct Asked {
    pub at: Ns,
    /// The router's number in the cell.
    pub router: u32,
    pub bytes: Vec<u8>,
}

/// A change of a link to come.
#[derive(Debug)]
pub struct Planned {
    /// Its place in the scenario.
    pub place: usize,
    pub at: Ns,
    pub change: LinkChange,
}

/// A part of the network with a clock and an event queue of its own.
pub struct Cell {
    pub network: Network,
    /// The application of each source.
    pub apps: Vec<Box<dyn App>>,
    pub changes: Vec<Planned>,
    /// The number of each router in the scenario.
    pub router_numbers: Vec<u32>,
    /// Packets take at least this time from this cell to another.
    pub look_ahead: Ns,
    /// Packet-ins for the controller, if it is not there to be called.
    pub asked: Vec<Asked>,
    /// Packets that came from other cells, and packet-outs that came like them.
    pub received: u64,
    /// Events since the clock moved.
    pub at_this_time: u32,
    must_ask: bool,
}

/// The controller, if it can be called; otherwise packet-ins are kept.
type Desk<'a, 'b> = &'a mut Option<&'b mut dyn Controller>;

impl Cell {
    pub fn new(
        network: Network,
        apps: Vec<Box<dyn App>>,
        changes: Vec<Planned>,
        router_numbers: Vec<u32>,
    ) -> Self {
        Self {
            network,
            apps,
            changes,
            router_numbers,
            look_ahead: Ns::MAX,
            asked: Vec::new(),
            received: 0,
            at_this_time: 0,
            must_ask: false,
        }
    }

    /// Takes over what the caller made routers send since the last run.
    pub fn begin(&mut self, mut controller: Option<&mut dyn Controller>) -> Result<(), Error> {
        for router in 0..self.network.routers.len() {
            self.network.serve(router as u32);
        }
        self.at_this_time = 0;
        self.settle(&mut controller)
    }

    /// Handles all events up to and including this time. Fails if the clock stands still.
    pub fn run(&mut self, until: Ns) -> Result<Stop, Error> {
        self.go_through::<false>(until, None)
    }

    /// As [`Self::run`], of a cell that is the whole network.
    pub fn run_alone(&mut self, until: Ns, controller: &mut dyn Controller) -> Result<Stop, Error> {
        self.go_through::<true>(until, Some(controller))
    }

    /// A cell that is alone has no packets from others; it does not look for them at each event.
    fn go_through<const ALONE: bool>(
        &mut self,
        until: Ns,
        mut controller: Option<&mut dyn Controller>,
    ) -> Result<Stop, Error> {
        loop {
            let arrival = match ALONE {
                true => Ns::MAX,
                // A packet that is still to come takes time, so it never arrives at 0.
                false => self.network.inbox.next_ns().unwrap_or(Ns::MAX),
            };
            let events = &mut self.network.events;
            let next = match arrival <= until {
                true if events.has_plainly_none(arrival - 1) => None,
                _ => events.pop(until.min(arrival - 1)),
            };
            if let Some((at, event)) = next {
                self.set_clock(at);
                self.count_event(|this| this.describe(event))?;
                if let Some(stop) = self.handle(event)? {
                    return Ok(stop);
                }
            } else if arrival <= until {
                self.set_clock(arrival);
                self.take_arrival()?;
            } else {
                return Ok(Stop::End);
            }
            if !self.network.is_settled() {
                self.settle(&mut controller)?;
                if !ALONE && self.must_ask {
                    return Ok(Stop::Asks);
                }
            }
        }
    }

    /// The time of the next event, or of the next packet that comes from another cell.
    pub fn next_ns(&self) -> Ns {
        let next = self.network.events.next_ns().unwrap_or(Ns::MAX);
        next.min(self.network.inbox.next_ns().unwrap_or(Ns::MAX))
    }

    #[inline]
    fn set_clock(&mut self, at: Ns) {
        if at > self.network.now {
            self.network.now = at;
            self.at_this_time = 0;
        }
    }

    fn take_arrival(&mut self) -> Result<(), Error> {
        let Some((line, frame)) = self.network.inbox.take() else {
            return Ok(());
        };
        self.received += 1;
        match line.checked_sub(self.network.directions.len() as u32) {
            None => {
                self.network.arrive(line, frame);
                self.count_event(|this| this.describe_arrival(line))
            }
            Some(router) => {
                self.network.packet_out(router, frame.into_vec());
                self.count_event(|_| DESCRIBED_PACKET_OUT.to_owned())
            }
        }
    }

    /// Counts an event, or a packet that arrives without delay. Fails if the clock stands still.
    #[inline(always)]
    fn count_event(&mut self, describe: impl FnOnce(&Self) -> String) -> Result<(), Error> {
        self.at_this_time += 1;
        if self.at_this_time <= STANDSTILL_EVENTS {
            return Ok(());
        }
        Err(self.standstill(&describe(self)))
    }

    #[cold]
    #[inline(never)]
    fn standstill(&self, last: &str) -> Error {
        let problem = format!(
            "the clock stands at {} s: {STANDSTILL_EVENTS} events came without time passing, the last of them {last}; give \
             the links there a rate_bps or a delay_s, and the source times of more than a nanosecond",
            to_s(self.network.now)
        );
        Error::at("time", problem)
    }

    /// An event in words, for an error.
    fn describe(&self, event: Event) -> String {
        let network = &self.network;
        let of_source = |what: &str, source: u32| {
            let name = &network.sources[source as usize].name;
            format!("{what} source \"{name}\"")
        };
        match event {
            Event::LinkArrival(host) => {
                let name = &network.hosts[host as usize].name;
                format!("the arrival of a packet from host \"{name}\"")
            }
            Event::HostTurn(host) => {
                let name = &network.hosts[host as usize].name;
                format!("the turn of a connection of host \"{name}\"")
            }
            Event::RouterDue(router) => {
                let name = &network.routers[router as usize].name;
                format!("the departure of a packet from router \"{name}\"")
            }
            Event::SocketTimer(_) => "a timer of a connection".to_owned(),
            Event::AppTimer(key) => match network.timers.get(key as usize) {
                Some((source, _)) => of_source("a timer of", *source),
                None => "a timer of a source".to_owned(),
            },
            Event::AppStart(source) => of_source("the start of", source),
            Event::PacketOut(_) => DESCRIBED_PACKET_OUT.to_owned(),
            Event::LinkChange(index) => format!("changes[{}]", self.changes[index as usize].place),
            Event::Sample => "a sample of the time series".to_owned(),
            Event::WarmUpEnd => "the end of the warm-up".to_owned(),
        }
    }

    fn describe_arrival(&self, line: u32) -> String {
        let network = &self.network;
        match line.checked_sub(network.directions.len() as u32) {
            None => {
                let name = &network.directions[line as usize].name;
                format!("the arrival of a packet at the end of {name}")
            }
            Some(host) => {
                let name = &network.hosts[host as usize].name;
                format!("the arrival of a packet from the network card of host \"{name}\"")
            }
        }
    }

    #[inline(always)]
    fn handle(&mut self, event: Event) -> Result<Option<Stop>, Error> {
        match event {
            Event::LinkArrival(host) => self.network.on_link_arrival(host),
            Event::RouterDue(router) => self.network.on_router_due(router),
            Event::HostTurn(host) => self.network.on_host_turn(host),
            Event::SocketTimer(end) => self.network.on_socket_timer(end),
            Event::AppTimer(key) => {
                if let Some((source, token)) = self.network.timers.try_remove(key as usize) {
                    self.with_app(source, |app, context| app.on_timer(token, context));
                }
            }
            Event::AppStart(source) => self.with_app(source, |app, context| app.start(context)),
            Event::PacketOut(key) => self.network.on_packet_out(key),
            Event::LinkChange(index) => {
                let Planned { place, change, .. } = &self.changes[index as usize];
                self.network
                    .change_link(change)
                    .map_err(|error| Error::at(format!("changes[{place}]"), error))?;
            }
            Event::Sample => return Ok(Some(Stop::Sample)),
            Event::WarmUpEnd => return Ok(Some(Stop::WarmUpEnd)),
        }
        Ok(None)
    }

    /// Does everything that follows from an event at the same time, until nothing is left.
    fn settle(&mut self, controller: Desk) -> Result<(), Error> {
        loop {
            if let Some(line) = self.network.deliver() {
                self.count_event(|this| this.describe_arrival(line))?;
            } else if let Some(event) = self.network.app_events.pop_front() {
                self.dispatch(event);
            } else if let Some((router, bytes)) = self.network.packet_ins.pop_front() {
                self.pass_packet_in(controller, router, bytes);
            } else {
                return Ok(());
            }
        }
    }

    fn dispatch(&mut self, event: AppEvent) {
        match event {
            AppEvent::Connection {
                source,
                id,
                side,
                event,
            } => self.with_app(source, |app, context| {
                app.on_connection(id, side, event, context);
            }),
            AppEvent::Datagram {
                source,
                at,
                datagram,
            } => self.with_app(source, |app, context| {
                app.on_datagram(at, &datagram, context);
            }),
        }
    }

    /// Passes a packet-in to the controller if it can be called, and otherwise keeps it.
    fn pass_packet_in(&mut self, controller: Desk, router: u32, bytes: Vec<u8>) {
        let asked = Asked {
            at: self.network.now,
            router,
            bytes,
        };
        match controller {
            Some(controller) => self.ask(&mut **controller, &asked),
            None => {
                let latency_ns = self.network.routers[router as usize].controller_latency_ns;
                self.must_ask |= latency_ns < self.look_ahead;
                self.asked.push(asked);
            }
        }
    }

    /// Asks the controller, and schedules the packet-out that answers. One that the cell has not waited for comes like a
    /// packet from another cell, in a line of its router behind those of the directions: the cell has scheduled events
    /// meanwhile, so its place among those of its time would depend on where the round ended.
    pub fn ask(&mut self, controller: &mut dyn Controller, asked: &Asked) {
        let Asked { at, router, bytes } = asked;
        let number = self.router_numbers[*router as usize] as usize;
        if let Some(answer) = controller.packet_in(number, *at, bytes) {
            let network = &mut self.network;
            let latency_ns = network.routers[*router as usize].controller_latency_ns;
            let at = at.saturating_add(latency_ns);
            if latency_ns < self.look_ahead {
                let key = network.packet_outs.insert((*router, answer)) as u32;
                network.events.schedule(at, Event::PacketOut(key));
            } else {
                network.inbox.put(Message {
                    at,
                    direction: network.directions.len() as u32 + router,
                    frame: answer.into(),
                });
            }
        }
    }

    /// Whether the controller has to be asked before the cell goes on.
    pub fn must_ask(&self) -> bool {
        self.must_ask
    }

    /// The controller has been asked, and the cell may go on.
    pub fn go_on(&mut self) {
        self.must_ask = false;
    }

    /// A source records what it did not finish.
    pub fn finish(&mut self, source: u32) {
        self.with_app(source, |app, context| app.finish(context));
    }

    fn with_app(&mut self, source: u32, call: impl FnOnce(&mut dyn App, &mut Context)) {
        let app = &mut self.apps[source as usize];
        let mut context = Context {
            network: &mut self.network,
            source,
        };
        call(app.as_mut(), &mut context);
    }
}
