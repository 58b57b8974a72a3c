// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! From a scenario to a simulation: names become indices, and settings are checked.

mod links;
mod ports;
mod programs;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::Arc;

use quench_dataplane::{SharedProgram, Switch, SwitchConfig};

use crate::aqm::{self, CounterNames};
use crate::capture::Capture;
use crate::cells::{places, split, Cut, Fineness, Pieces};
use crate::collect::Baseline;
use crate::error::Error;
use crate::events::{Event, EventQueue};
use crate::names::Names;
use crate::network::{Direction, Host, Node, Router, Source, SourceCounts, Wire};
use crate::sampling::Sampling;
use crate::scenario::{Scenario, CPU_PORT};
use crate::seed;
use crate::simulation::Simulation;
use crate::time::from_s;
use crate::traffic::{self, App, NodeId, StackId};
use crate::transport::Transport;

use links::Links;
use ports::{check_duration, checked_buffer};

impl Simulation {
    /// The simulation at time 0. The routers have the P4 program, their links, and empty tables.
    pub fn new(scenario: Scenario, program_json: &str) -> Result<Self, Error> {
        load(&scenario, program_json, Fineness::Large)
    }

    /// As [`Simulation::new`], but a small network, too, is cut into cells; for tests.
    pub fn new_cut(scenario: Scenario, program_json: &str) -> Result<Self, Error> {
        load(&scenario, program_json, Fineness::All)
    }
}

fn load(scenario: &Scenario, program: &str, fineness: Fineness) -> Result<Simulation, Error> {
    check_times(scenario)?;
    let names = Names::new(scenario)?;
    let mut routers = programs::with(program, |program| routers(scenario, program))
        .map_err(|error| Error::at("program", error))??;
    let mut links = Links::new(scenario, &names, &mut routers)?;
    let named = scenario.counters.as_ref();
    let average = aqm::Average::new(scenario.average.as_ref())?;
    for router in &routers {
        if let Some(program) = router.switch.program() {
            let ports = router.directions.len() as u64;
            aqm::check(program, &router.name, ports, named, &average)?;
        }
    }
    keep_depths(scenario, &names, &mut links, &mut routers)?;
    let hosts = hosts(scenario, links.wires, &links.nics)?;
    let stacks = stacks(scenario)?;
    let cut = Cut::new(
        scenario,
        &names,
        &hosts_of_sources(scenario, &names)?,
        fineness,
    );
    let sources = sources(scenario, &names, &cut)?;
    let sampling = Sampling::new(scenario, &names, &links.directions, &routers, &average)?;
    let captures = captures(scenario, &names, &mut links.directions)?;
    let counters = named.cloned().unwrap_or_else(CounterNames::of_quench);
    let pieces = Pieces {
        warmup_ns: from_s(scenario.warmup_s),
        counters,
        average,
        hosts,
        routers,
        directions: links.directions,
        stacks,
        sources,
        captures,
        changes: ports::changes(scenario, &names)?,
    };
    let (mut cells, taps) = split(pieces, &cut);
    let mut simulation = Simulation {
        baseline: Baseline::new(&mut cells),
        cells,
        taps,
        sampling,
        agenda: EventQueue::default(),
        duration_ns: from_s(scenario.duration_s),
        threads: 1,
        finished: false,
    };
    schedule(&mut simulation, scenario);
    Ok(simulation)
}

/// Schedules the times of the scenario as events.
fn schedule(simulation: &mut Simulation, scenario: &Scenario) {
    simulation.plan(from_s(scenario.warmup_s), Event::WarmUpEnd);
    for index in 0..simulation.cells.count() {
        let cell = simulation.cells.cell(index);
        for (index, planned) in (0..).zip(&cell.changes) {
            let events = &mut cell.network.events;
            events.schedule(planned.at, Event::LinkChange(index));
        }
    }
    for (index, source) in scenario.sources.iter().enumerate() {
        let (network, place) = simulation.cells.source(index);
        let event = Event::AppStart(place as u32);
        network.events.schedule(from_s(source.start_s()), event);
    }
    simulation.plan(0, Event::Sample);
}

fn check_times(scenario: &Scenario) -> Result<(), Error> {
    check_duration("duration_s", scenario.duration_s)?;
    check_duration("warmup_s", scenario.warmup_s)?;
    if from_s(scenario.duration_s) == 0 {
        let problem = format!(
            "must be 1e-9 seconds or more, not {:e}",
            scenario.duration_s
        );
        return Err(Error::at("duration_s", problem));
    }
    if from_s(scenario.warmup_s) >= from_s(scenario.duration_s) {
        let problem = format!("must be less than duration_s ({})", scenario.duration_s);
        return Err(Error::at("warmup_s", problem));
    }
    let interval = scenario.measure.series_interval_s;
    check_duration("measure.series_interval_s", interval)?;
    if from_s(interval) == 0 {
        let problem = format!("must be 1e-9 seconds or more, not {interval:e}");
        return Err(Error::at("measure.series_interval_s", problem));
    }
    if scenario.measure.max_points < 2 {
        let problem = format!("must be 2 or more, not {}", scenario.measure.max_points);
        return Err(Error::at("measure.max_points", problem));
    }
    Ok(())
}

/// The time for which a chip has run when a simulation begins, longer than what programs remember.
const CHIP_START_NS: u64 = 60_000_000_000;

fn routers(scenario: &Scenario, program: &SharedProgram) -> Result<Vec<Router>, Error> {
    let mut routers = Vec::new();
    for (index, router) in scenario.routers.iter().enumerate() {
        let at = |field: &str| format!("routers[{index}].{field}");
        check_duration(&at("controller_latency_s"), router.controller_latency_s)?;
        if !(1..=8).contains(&router.queues) {
            let problem = format!("a port has 1 to 8 queues, not {}", router.queues);
            return Err(Error::at(at("queues"), problem));
        }
        if router.slowdown == 0 {
            let problem = "must be 1 or more, not 0".to_owned();
            return Err(Error::at(at("slowdown"), problem));
        }
        if !(1..=CPU_PORT).contains(&router.cpu_port) {
            let problem = format!("must be 1 to {CPU_PORT}, not {}", router.cpu_port);
            return Err(Error::at(at("cpu_port"), problem));
        }
        let shared = checked_buffer(
            &format!("routers[{index}]"),
            "shared_buffer_bytes",
            router.shared_buffer_bytes,
        )?;
        let mut switch = Switch::new(SwitchConfig {
            cpu_port: Some(router.cpu_port),
            seed: seed::derive(scenario.seed, "router", &router.name),
            priority_queues: router.queues,
            slowdown: router.slowdown,
            chip_start_ns: CHIP_START_NS,
            ..SwitchConfig::default()
        });
        switch.set_shared_buffer(shared);
        switch.load(program);
        let latency = from_s(router.controller_latency_s);
        let name = router.name.clone();
        routers.push(Router::new(name, switch, latency, router.cpu_port));
    }
    Ok(routers)
}

fn stacks(scenario: &Scenario) -> Result<Vec<Arc<dyn Transport>>, Error> {
    let stacks = scenario.stacks.iter().map(|(name, config)| {
        let stack = config.build();
        stack.map_err(|error| Error::at(format!("stacks.{name}"), error))
    });
    stacks.collect()
}

fn hosts(
    scenario: &Scenario,
    wires: Vec<Option<(Wire, u32)>>,
    nics: &[Option<u32>],
) -> Result<Vec<(Host, Wire)>, Error> {
    let hosts = scenario.hosts.iter().zip(wires).zip(nics).enumerate();
    let hosts = hosts.map(|(index, ((host, wire), &nic))| {
        let (wire, direction) = wire.ok_or_else(|| {
            let problem = format!("no link ends at \"{}\"", host.name);
            Error::at(format!("hosts[{index}]"), problem)
        })?;
        let name = host.name.clone();
        let host = Host::new(name, host.address.to_bits(), direction, nic);
        Ok((host, wire))
    });
    hosts.collect()
}

/// Names as an application of a cell gets them: hosts have their numbers in their cell. Asked for a host, it keeps the
/// number in the scenario.
struct CellNames<'a> {
    names: &'a Names,
    /// None: the numbers are those of the scenario.
    places: Option<&'a [(usize, usize)]>,
    asked: RefCell<Vec<usize>>,
}

impl traffic::Names for CellNames<'_> {
    fn host(&self, name: &str) -> Option<NodeId> {
        let host = self.names.host(name)?.0;
        self.asked.borrow_mut().push(host);
        Some(NodeId(self.places.map_or(host, |places| places[host].1)))
    }

    fn stack(&self, name: &str) -> Option<StackId> {
        self.names.stack(name)
    }

    fn link_rate_bps(&self, host: &str) -> Option<f64> {
        self.names.link_rate_bps(host)
    }
}

/// The hosts of each source: those that its application asks for.
fn hosts_of_sources(scenario: &Scenario, names: &Names) -> Result<Vec<Vec<usize>>, Error> {
    let sources = scenario.sources.iter().enumerate().map(|(index, config)| {
        let names = CellNames {
            names,
            places: None,
            asked: RefCell::default(),
        };
        let built = config.build(&names);
        built.map_err(|error| Error::at(format!("sources[{index}]"), error))?;
        Ok(names.asked.into_inner())
    });
    sources.collect()
}

/// A source, its application, and the cell of its hosts.
type SourceOfCell = (Source, Box<dyn App>, u32);

fn sources(scenario: &Scenario, names: &Names, cut: &Cut) -> Result<Vec<SourceOfCell>, Error> {
    let mut taken = BTreeSet::new();
    let places = places(&cut.hosts);
    let sources = scenario.sources.iter().enumerate().map(|(index, config)| {
        let at = |problem: String| Error::at(format!("sources[{index}]"), problem);
        let name = config.name().to_owned();
        if !taken.insert(name.clone()) {
            return Err(at(format!("there is another source \"{name}\"")));
        }
        let names = CellNames {
            names,
            places: Some(&places),
            asked: RefCell::default(),
        };
        let app = config
            .build(&names)
            .map_err(|error| at(error.to_string()))?;
        let cell = names
            .asked
            .borrow()
            .first()
            .map_or(0, |&host| cut.hosts[host]);
        let source = Source {
            number: index as u32,
            group: config.group().map(str::to_owned),
            rng: seed::generator(scenario.seed, "source", &name),
            sequence_seed: seed::derive(scenario.seed, "sequence numbers", &name),
            progress: app.progress(),
            newest: None,
            segment_bytes: 0,
            header_bytes: 0,
            counts: SourceCounts::default(),
            name,
        };
        Ok((source, app, cell))
    });
    sources.collect()
}

/// Keeps the distributions of the queues that are measured.
fn keep_depths(
    scenario: &Scenario,
    names: &Names,
    links: &mut Links,
    routers: &mut [Router],
) -> Result<(), Error> {
    for (index, name) in scenario.measure.queues.iter().enumerate() {
        let at = || format!("measure.queues[{index}]");
        let direction = names.direction_named(name).ok_or_else(|| {
            let problem = format!("there is no direction \"{name}\": write LINK.ab or LINK.ba");
            Error::at(at(), problem)
        })?;
        match links.directions[direction].from {
            Node::Host(host) => {
                if let Some((wire, _)) = &mut links.wires[host as usize] {
                    wire.keep_depths();
                }
            }
            Node::Router(router, port) => {
                let kept = routers[router as usize].switch.port_keep_depths(port, 0);
                kept.map_err(|error| Error::at(at(), error))?;
            }
            Node::Away { .. } => {}
        }
    }
    Ok(())
}

fn captures(
    scenario: &Scenario,
    names: &Names,
    directions: &mut [Direction],
) -> Result<Vec<Capture>, Error> {
    let mut captures = Vec::new();
    for (index, pcap) in scenario.measure.pcap.iter().enumerate() {
        let at = |field: &str| format!("measure.pcap[{index}].{field}");
        let link = names.link(&pcap.link).ok_or_else(|| {
            let problem = format!("there is no link \"{}\"", pcap.link);
            Error::at(at("link"), problem)
        })?;
        let capture = Capture::create(&pcap.path).map_err(|error| Error::at(at("path"), error))?;
        for direction in &mut directions[2 * link..][..2] {
            if direction.capture.replace(captures.len() as u32).is_some() {
                let problem = format!("link \"{}\" is captured already", pcap.link);
                return Err(Error::at(at("link"), problem));
            }
        }
        captures.push(capture);
    }
    Ok(captures)
}
