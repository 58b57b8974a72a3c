// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The clockwork: events in order of time, sources and the controller in between.

use quench_dataplane::control::{Control, PortOptions};
use quench_dataplane::tm::Rate;
use quench_dataplane::Switch;

use crate::collect::{self, Baseline};
use crate::error::Error;
use crate::events::Event;
use crate::measure::Results;
use crate::network::{Context, Network, Node, Notice};
use crate::sampling::Sampling;
use crate::time::Ns;
use crate::traffic::App;

/// The control plane of the routers while the simulation runs.
pub trait Controller {
    /// A packet-in of a router (its place in the scenario), with its header. What is returned goes back to that router's
    /// CPU port after its `controller_latency_s`.
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

/// A change of a direction that is to come.
#[derive(Debug, Clone)]
pub(crate) struct Change {
    pub direction: usize,
    pub options: PortOptions,
}

/// A scenario in motion.
pub struct Simulation {
    pub(crate) network: Network,
    pub(crate) apps: Vec<Box<dyn App>>,
    pub(crate) changes: Vec<Change>,
    pub(crate) sampling: Sampling,
    pub(crate) baseline: Baseline,
    pub(crate) duration_ns: Ns,
    pub(crate) ended: bool,
    pub(crate) host_names: Vec<String>,
}

impl Simulation {
    /// When the scenario ends.
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

    /// Goes through all events until then, that time included; at the scenario's end sources record what they did not
    /// finish. Fails where a capture cannot be written.
    pub fn run_until(&mut self, until: Ns, controller: &mut dyn Controller) -> Result<(), Error> {
        let until = until.min(self.duration_ns);
        // What was written to the routers in the meantime may have put packets on their way.
        for router in 0..self.network.routers.len() {
            self.network.serve(router as u32);
        }
        self.settle(controller);
        while let Some((at, event)) = self.network.events.pop(until) {
            self.network.now = at;
            self.happen(event)?;
            self.settle(controller);
        }
        self.network.now = self.network.now.max(until);
        if until == self.duration_ns && !self.ended {
            self.ended = true;
            for (source, app) in self.apps.iter_mut().enumerate() {
                app.finish(&mut Context {
                    network: &mut self.network,
                    source: source as u32,
                });
            }
        }
        for capture in &mut self.network.captures {
            capture.finish()?;
        }
        Ok(())
    }

    /// What was found out until now.
    pub fn results(&mut self) -> Results {
        collect::results(
            &mut self.network,
            &self.sampling,
            &self.baseline,
            &self.host_names,
        )
    }

    fn happen(&mut self, event: Event) -> Result<(), Error> {
        match event {
            Event::Wire(host) => self.network.wire_event(host),
            Event::Router(router) => self.network.router_event(router),
            Event::Tcp(end) => self.network.tcp_event(end),
            Event::Timer(place) => {
                if let Some((source, token)) = self.network.timers.take(place) {
                    self.with_app(source, |app, context| app.on_timer(token, context));
                }
            }
            Event::Start(source) => self.with_app(source, |app, context| app.start(context)),
            Event::PacketOut(place) => self.network.packet_out(place),
            Event::Change(place) => self.change(place as usize)?,
            Event::Sample => {
                let next = self.sampling.sample(&mut self.network);
                self.network.events.add(next, Event::Sample);
            }
            Event::WarmUp => {
                self.baseline = collect::begin(&mut self.network, &mut self.sampling);
            }
        }
        Ok(())
    }

    /// Everything that follows at once from what has happened.
    fn settle(&mut self, controller: &mut dyn Controller) {
        loop {
            self.network.deliver();
            if let Some(notice) = self.network.notices.pop_front() {
                self.tell(notice);
            } else if let Some((router, bytes)) = self.network.packet_ins.pop_front() {
                self.ask(controller, router, &bytes);
            } else {
                return;
            }
        }
    }

    fn tell(&mut self, notice: Notice) {
        match notice {
            Notice::Connection {
                source,
                id,
                side,
                event,
            } => self.with_app(source, |app, context| {
                app.on_connection(id, side, event, context);
            }),
            Notice::Datagram {
                source,
                at,
                datagram,
            } => self.with_app(source, |app, context| {
                app.on_datagram(at, &datagram, context);
            }),
        }
    }

    fn ask(&mut self, controller: &mut dyn Controller, router: u32, bytes: &[u8]) {
        let network = &mut self.network;
        if let Some(answer) = controller.packet_in(router as usize, network.now, bytes) {
            let latency = network.routers[router as usize].controller_latency_ns;
            let place = network.packet_outs.put((router, answer));
            let at = network.now.saturating_add(latency);
            network.events.add(at, Event::PacketOut(place));
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

    fn change(&mut self, place: usize) -> Result<(), Error> {
        let Change { direction, options } = self.changes[place].clone();
        let network = &mut self.network;
        let now = network.now;
        let this = &mut network.directions[direction];
        if let Some(rate) = options.rate_bps {
            this.capacity.set_rate(now, Some(rate));
        }
        match this.from {
            Node::Router(router, port) => {
                let switch = &mut network.routers[router as usize].switch;
                switch
                    .port_set(port, &options, now)
                    .map_err(|error| Error::at(format!("changes[{place}]"), error))?;
                network.serve(router);
            }
            Node::Host(host) => {
                let wire = &mut network.wires[host as usize];
                let mut config = wire.config();
                config.rate = options.rate_bps.map_or(config.rate, Rate::bps);
                config.delay_ns = options.delay_ns.unwrap_or(config.delay_ns);
                config.loss = options.loss.unwrap_or(config.loss);
                config.buffer_pkts = options.capacity_pkts.unwrap_or(config.buffer_pkts);
                config.buffer_bytes = options.capacity_bytes.unwrap_or(config.buffer_bytes);
                wire.set_config(now, config);
            }
        }
        Ok(())
    }
}
