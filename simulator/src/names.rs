// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The indices of the scenario's hosts, routers, links and stacks by name.

use std::collections::BTreeMap;
use std::net::Ipv4Addr;

use crate::error::Error;
use crate::network::Node;
use crate::scenario::{Scenario, Way};
use crate::traffic::{self, NodeId, StackId};

/// Indices by name. The [`Node`] of a router has port 0.
pub struct Names {
    nodes: BTreeMap<String, Node>,
    links: BTreeMap<String, usize>,
    stacks: BTreeMap<String, usize>,
    /// The rate of the link out of each host that has one.
    rates_bps: BTreeMap<String, f64>,
}

impl Names {
    pub fn new(scenario: &Scenario) -> Result<Self, Error> {
        let mut nodes = BTreeMap::new();
        let mut addresses = BTreeMap::new();
        for (index, host) in scenario.hosts.iter().enumerate() {
            let at = format!("hosts[{index}]");
            insert(&mut nodes, &at, &host.name, Node::Host(index as u32))?;
            if !is_of_a_host(host.address) {
                let problem = format!("{} is no address of a host", host.address);
                return Err(Error::at(format!("{at}.address"), problem));
            }
            if let Some(other) = addresses.insert(host.address, &host.name) {
                let problem = format!("\"{other}\" has the address {}, too", host.address);
                return Err(Error::at(at, problem));
            }
        }
        for (index, router) in scenario.routers.iter().enumerate() {
            let at = format!("routers[{index}]");
            insert(&mut nodes, &at, &router.name, Node::Router(index as u32, 0))?;
        }
        let mut links = BTreeMap::new();
        let mut rates_bps = BTreeMap::new();
        for (index, link) in scenario.links.iter().enumerate() {
            for (end, direction) in [(&link.a, &link.ab), (&link.b, &link.ba)] {
                if let (Some(Node::Host(_)), Some(rate_bps)) = (nodes.get(end), direction.rate_bps)
                {
                    rates_bps.insert(end.clone(), rate_bps);
                }
            }
            insert(&mut links, &format!("links[{index}]"), &link.name, index)?;
        }
        let stacks = scenario.stacks.keys().cloned().zip(0..).collect();
        Ok(Self {
            nodes,
            links,
            stacks,
            rates_bps,
        })
    }

    pub fn node(&self, name: &str) -> Option<Node> {
        self.nodes.get(name).copied()
    }

    pub fn link(&self, name: &str) -> Option<usize> {
        self.links.get(name).copied()
    }

    /// The index of a direction: `ab` and `ba` of each link in turn.
    pub fn direction(&self, link: &str, way: Way) -> Option<usize> {
        let link = self.link(link)?;
        Some(match way {
            Way::Ab => 2 * link,
            Way::Ba => 2 * link + 1,
        })
    }

    /// The index of a direction by its name, as "bottleneck.ab".
    pub fn direction_named(&self, name: &str) -> Option<usize> {
        let (link, way) = name.rsplit_once('.')?;
        let way = [Way::Ab, Way::Ba].into_iter().find(|w| w.name() == way)?;
        self.direction(link, way)
    }
}

/// Whether routers forward to the address, and answer it (RFC 1812 sections 4.2.2.11 and 5.3.7).
fn is_of_a_host(address: Ipv4Addr) -> bool {
    let first = address.octets()[0];
    first != 0 && first != 127 && first < 224
}

fn insert<T>(map: &mut BTreeMap<String, T>, at: &str, name: &str, value: T) -> Result<(), Error> {
    match map.insert(name.to_owned(), value) {
        Some(_) => Err(Error::at(at, format!("the name \"{name}\" is taken"))),
        None => Ok(()),
    }
}

impl traffic::Names for Names {
    fn host(&self, name: &str) -> Option<NodeId> {
        match self.node(name)? {
            Node::Host(host) => Some(NodeId(host as usize)),
            Node::Router(..) | Node::Away { .. } => None,
        }
    }

    fn stack(&self, name: &str) -> Option<StackId> {
        self.stacks.get(name).copied().map(StackId)
    }

    fn link_rate_bps(&self, host: &str) -> Option<f64> {
        self.rates_bps.get(host).copied()
    }
}
