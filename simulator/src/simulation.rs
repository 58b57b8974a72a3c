// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The event loop of the discrete-event simulation.
//!
//! An event is taken from the queue, the clock is set to its time, and the part of the network that it names handles
//! it. Then everything that follows without delay is done ([`Simulation::settle`]) before the next event: packets that
//! have arrived are passed on, applications get their events, the controller gets the packet-ins.

use quench_dataplane::Switch;

use crate::collect::{self, Baseline};
use crate::error::Error;
use crate::events::Event;
use crate::measure::Results;
use crate::network::{AppEvent, Context, LinkChange, Network};
use crate::sampling::Sampling;
use crate::snapshot::{self, Snapshot};
use crate::time::{to_s, Ns};
use crate::traffic::App;

/// Events at one time after which the clock is taken to stand still: more than the largest networks have.
const STANDSTILL_EVENTS: u32 = 3_000_000;

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

/// A scenario that runs, or has run.
pub struct Simulation {
    pub(crate) network: Network,
    /// The application of each source.
    pub(crate) apps: Vec<Box<dyn App>>,
    pub(crate) changes: Vec<LinkChange>,
    pub(crate) sampling: Sampling,
    pub(crate) baseline: Baseline,
    pub(crate) duration_ns: Ns,
    /// Events since the clock moved.
    pub(crate) at_this_time: u32,
    /// The applications have recorded what was unfinished at the scenario's end.
    pub(crate) finished: bool,
    pub(crate) host_names: Vec<String>,
}

impl Simulation {
    /// The end of the scenario.
    pub fn duration_ns(&self) -> Ns {
        self.duration_ns
    }

    pub fn now_ns(&self) -> Ns {
        self.network.now
    }

    /// The names of the routers, in the order of the scenario.
    pub fn routers(&self) -> impl Iterator<Item = &str> {
        self.network
            .routers
            .iter()
            .map(|router| router.name.as_str())
    }

    /// A router's switch, to be programmed before the simulation runs, and between two runs.
    pub fn router_mut(&mut self, name: &str) -> Option<&mut Switch> {
        let mut routers = self.network.routers.iter_mut();
        routers
            .find(|router| router.name == name)
            .map(|router| &mut router.switch)
    }

    /// Handles all events up to and including this time, but none after the scenario's end. At the scenario's end the
    /// sources record what they did not finish. Fails if a capture cannot be written, or if the clock stands still.
    pub fn run_until(&mut self, until: Ns, controller: &mut dyn Controller) -> Result<(), Error> {
        let until = until.min(self.duration_ns);
        // The caller may have made a router send packets since the last run.
        for router in 0..self.network.routers.len() {
            self.network.serve(router as u32);
        }
        self.at_this_time = 0;
        self.settle(controller)?;
        while let Some((at, event)) = self.network.events.pop(until) {
            if at > self.network.now {
                self.network.now = at;
                self.at_this_time = 0;
            }
            self.count_event(|this| this.describe(event))?;
            self.handle(event)?;
            if !self.network.is_settled() {
                self.settle(controller)?;
            }
        }
        self.network.now = self.network.now.max(until);
        if until == self.duration_ns && !self.finished {
            self.finished = true;
            for source in 0..self.apps.len() {
                self.with_app(source as u32, |app, context| app.finish(context));
            }
        }
        for capture in &mut self.network.captures {
            capture.finish()?;
        }
        Ok(())
    }

    /// Counts an event, or a packet that arrives without delay. Fails if the clock stands still.
    fn count_event(&mut self, describe: impl FnOnce(&Self) -> String) -> Result<(), Error> {
        self.at_this_time += 1;
        if self.at_this_time <= STANDSTILL_EVENTS {
            return Ok(());
        }
        let problem = format!(
            "the clock stands at {} s: {STANDSTILL_EVENTS} events came without time passing, the last of them {}; give \
             the links there a rate_bps or a delay_s, and the source times of more than a nanosecond",
            to_s(self.network.now),
            describe(self)
        );
        Err(Error::at("time", problem))
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
                let name = &self.host_names[host as usize];
                format!("the arrival of a packet from host \"{name}\"")
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
            Event::PacketOut(_) => "a packet-out of the controller".to_owned(),
            Event::LinkChange(index) => format!("changes[{index}]"),
            Event::Sample => "a sample of the time series".to_owned(),
            Event::WarmUpEnd => "the end of the warm-up".to_owned(),
        }
    }

    /// The results up to now.
    pub fn results(&mut self) -> Results {
        collect::results(
            &mut self.network,
            &self.sampling,
            &self.baseline,
            &self.host_names,
        )
    }

    /// The network as it is now. Looking changes nothing.
    pub fn snapshot(&self) -> Snapshot {
        snapshot::take(&self.network)
    }

    /// Forgets the records of the sources up to now: [`Simulation::results`] has only later ones.
    pub fn forget_records(&mut self) {
        self.network.records = Vec::new();
    }

    fn handle(&mut self, event: Event) -> Result<(), Error> {
        match event {
            Event::LinkArrival(host) => self.network.on_link_arrival(host),
            Event::RouterDue(router) => self.network.on_router_due(router),
            Event::SocketTimer(end) => self.network.on_socket_timer(end),
            Event::AppTimer(key) => {
                if let Some((source, token)) = self.network.timers.try_remove(key as usize) {
                    self.with_app(source, |app, context| app.on_timer(token, context));
                }
            }
            Event::AppStart(source) => self.with_app(source, |app, context| app.start(context)),
            Event::PacketOut(key) => self.network.on_packet_out(key),
            Event::LinkChange(index) => self
                .network
                .change_link(&self.changes[index as usize])
                .map_err(|error| Error::at(format!("changes[{index}]"), error))?,
            Event::Sample => {
                let next = self.sampling.sample(&mut self.network);
                self.network.events.schedule(next, Event::Sample);
            }
            Event::WarmUpEnd => {
                self.baseline = collect::begin(&mut self.network, &mut self.sampling);
            }
        }
        Ok(())
    }

    /// Does everything that follows from an event at the same time, until nothing is left.
    fn settle(&mut self, controller: &mut dyn Controller) -> Result<(), Error> {
        loop {
            if let Some(direction) = self.network.deliver() {
                self.count_event(|this| {
                    let name = &this.network.directions[direction as usize].name;
                    format!("the arrival of a packet at the end of {name}")
                })?;
            } else if let Some(event) = self.network.app_events.pop_front() {
                self.dispatch(event);
            } else if let Some((router, bytes)) = self.network.packet_ins.pop_front() {
                self.forward_packet_in(controller, router, &bytes);
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

    /// Passes a packet-in to the controller, and schedules the packet-out that answers it.
    fn forward_packet_in(&mut self, controller: &mut dyn Controller, router: u32, bytes: &[u8]) {
        let network = &mut self.network;
        if let Some(answer) = controller.packet_in(router as usize, network.now, bytes) {
            let latency_ns = network.routers[router as usize].controller_latency_ns;
            let key = network.packet_outs.insert((router, answer)) as u32;
            let at = network.now.saturating_add(latency_ns);
            network.events.schedule(at, Event::PacketOut(key));
        }
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
