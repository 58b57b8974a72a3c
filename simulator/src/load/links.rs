// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The links of a scenario: their directions, ports of routers and network cards, and wires out of hosts.

use quench_dataplane::control::PortOptions;

use super::ports::{check_duration, checked_rate, port_options, wire_config};
use crate::error::Error;
use crate::measure::{Capacity, Crossing};
use crate::names::Names;
use crate::network::{Direction, Node, Router, Wire, WireConfig, HOST_PORT};
use crate::packet::layout::ETHERNET_BYTES;
use crate::scenario::{self, Scenario};
use crate::seed;

/// The links, as the network has them.
pub struct Links {
    /// `ab` and `ba` of each link in turn.
    pub directions: Vec<Direction>,
    /// Each host's wire and its direction; none if no link ends at the host. A host with a network card leaves its wire
    /// idle.
    pub wires: Vec<Option<(Wire, u32)>>,
    /// The router that is each host's network card.
    pub nics: Vec<Option<u32>>,
}

impl Links {
    /// Makes all links, and sets up the ports of the routers at which they end.
    pub fn new(scenario: &Scenario, names: &Names, routers: &mut [Router]) -> Result<Self, Error> {
        let mut links = Self {
            directions: Vec::new(),
            wires: Vec::new(),
            nics: nics(scenario, names, routers)?,
        };
        links.wires.resize_with(scenario.hosts.len(), || None);
        for (index, link) in scenario.links.iter().enumerate() {
            let at = |field: &str| format!("links[{index}].{field}");
            check_duration(&at("delay_s"), link.delay_s)?;
            let (out_of_a, out_of_b) = (2 * index as u32, 2 * index as u32 + 1);
            let a = end(names, &link.a, out_of_a, routers).map_err(|e| Error::at(at("a"), e))?;
            let b = end(names, &link.b, out_of_b, routers).map_err(|e| Error::at(at("b"), e))?;
            if link.a == link.b {
                return Err(Error::at(at("b"), format!("both ends are \"{}\"", link.a)));
            }
            for (way, settings, end, to) in [("ab", &link.ab, a, b), ("ba", &link.ba, b, a)] {
                let name = format!("{}.{way}", link.name);
                let at = at(way);
                let from = links.beginning(end, routers);
                match from {
                    Node::Router(router, port) => {
                        let router = &mut routers[router as usize];
                        set_up_port(router, port, &at, link, settings)?;
                    }
                    Node::Host(_) | Node::Away { .. } => {}
                }
                if let Node::Host(host) = end {
                    let config = match from {
                        Node::Host(_) => wire_config(&at, link, settings)?,
                        Node::Router(..) | Node::Away { .. } => WireConfig::default(),
                    };
                    links.add_wire(scenario, host, &name, &at, config)?;
                }
                links.directions.push(Direction {
                    name,
                    from,
                    to,
                    crossing: Crossing::default(),
                    capacity: Capacity::new(checked_rate(&at, settings.rate_bps)?),
                    capture: None,
                });
            }
        }
        Ok(links)
    }

    /// The place of the queue of a direction that begins at this end of a link: a host with a network card has it there.
    fn beginning(&self, end: Node, routers: &mut [Router]) -> Node {
        let Node::Host(host) = end else { return end };
        let Some(nic) = self.nics[host as usize] else {
            return end;
        };
        let directions = &mut routers[nic as usize].directions;
        directions.push(self.directions.len() as u32);
        Node::Router(nic, directions.len() as u32)
    }

    fn add_wire(
        &mut self,
        scenario: &Scenario,
        host: u32,
        name: &str,
        at: &str,
        config: WireConfig,
    ) -> Result<(), Error> {
        let wire = Wire::new(config, seed::generator(scenario.seed, "link", name));
        let direction = self.directions.len() as u32;
        let host_name = &scenario.hosts[host as usize].name;
        match self.wires[host as usize].replace((wire, direction)) {
            None => Ok(()),
            Some(_) => {
                let problem = format!("\"{host_name}\" has another link: hosts have exactly one");
                Err(Error::at(at, problem))
            }
        }
    }
}

/// The network card of each host. A card gets the port to its host, from which nothing is sent that would take time.
fn nics(
    scenario: &Scenario,
    names: &Names,
    routers: &mut [Router],
) -> Result<Vec<Option<u32>>, Error> {
    let nics = scenario.hosts.iter().enumerate().map(|(index, host)| {
        let Some(name) = &host.nic else {
            return Ok(None);
        };
        let at = |problem: String| Error::at(format!("hosts[{index}].nic"), problem);
        let Some(Node::Router(number, _)) = names.node(name) else {
            return Err(at(format!("there is no router \"{name}\"")));
        };
        let router = &mut routers[number as usize];
        if let Some(other) = router.host.replace(index as u32) {
            let other = &scenario.hosts[other as usize].name;
            return Err(at(format!("\"{name}\" is the network card of \"{other}\"")));
        }
        if router.cpu_port <= HOST_PORT {
            let problem = format!("\"{name}\" has its host at port {HOST_PORT}, below cpu_port");
            return Err(at(problem));
        }
        let options = PortOptions {
            rate_bps: Some(0),
            overhead_bytes: Some(-(ETHERNET_BYTES as i32)),
            ..PortOptions::default()
        };
        let set = router.switch.port_set(HOST_PORT, &options, 0);
        set.map_err(|error| at(error.to_string()))?;
        Ok(Some(number))
    });
    nics.collect()
}

/// The end of a link at the node of this name. A router gets another port, which `direction` leaves.
fn end(names: &Names, name: &str, direction: u32, routers: &mut [Router]) -> Result<Node, String> {
    match names.node(name) {
        Some(Node::Host(host)) => Ok(Node::Host(host)),
        Some(Node::Router(router, _)) => {
            let this = &mut routers[router as usize];
            if this.host.is_some() {
                return Err(format!(
                    "\"{name}\" is a network card: the link ends at its host"
                ));
            }
            this.directions.push(direction);
            Ok(Node::Router(router, this.directions.len() as u32))
        }
        Some(Node::Away { .. }) | None => Err(format!("there is no host or router \"{name}\"")),
    }
}

fn set_up_port(
    router: &mut Router,
    port: u32,
    at: &str,
    link: &scenario::Link,
    settings: &scenario::Direction,
) -> Result<(), Error> {
    if port >= router.cpu_port {
        let problem = format!("a router has at most {} links", router.cpu_port - 1);
        return Err(Error::at(at, problem));
    }
    let options = port_options(at, link, settings)?;
    let set = router.switch.port_set(port, &options, 0);
    set.map(drop).map_err(|error| Error::at(at, error))
}
