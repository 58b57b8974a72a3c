// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Small networks of all kinds, drawn from a seed.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use quench_simulator::Simulation;
use rand_xoshiro::rand_core::{RngCore, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde_json::{json, Value};

use super::{add_clone_session, add_profile, add_route, BECN, ECN};

/// Draws from a seed.
pub struct Random(Xoshiro256PlusPlus);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    /// 0 to one less than `count`.
    fn below(&mut self, count: usize) -> usize {
        (self.0.next_u64() % count as u64) as usize
    }

    fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    fn of<T: Copy>(&mut self, values: &[T]) -> T {
        values[self.below(values.len())]
    }
}

/// TCP, or a transport of data centres.
fn stack(random: &mut Random) -> Value {
    let paced = |transport: &str| {
        json!({"transport": transport, "rate_bps": 2e7, "base_rtt_s": 0.01, "segment_bytes": 960,
               "timeout_s": 0.05})
    };
    match random.below(6) {
        0 => paced("bolt"),
        1 => paced("swift"),
        2 => {
            let mut stack = paced(random.of(&["hpcc", "dctcp"]));
            stack["min_rate_bps"] = json!(1e5);
            stack
        }
        3 => {
            let mut stack = paced("becn");
            stack["rule"] = json!(random.of(&["halve", "level"]));
            stack
        }
        _ => json!({"algorithm": random.of(&["ecn", "becn", "ecn-becn"])}),
    }
}

/// A network: routers, then hosts, by their numbers.
pub struct Network {
    routers: usize,
    hosts: usize,
    /// The ends of each link, and its number is its name.
    links: Vec<(usize, usize)>,
    /// The links whose `ab` has a profile; true: with source quenches by the controller.
    profiles: Vec<(usize, bool)>,
    /// The hosts with a network card.
    nics: Vec<usize>,
    captured: Vec<usize>,
    scenario: Value,
}

impl Network {
    pub fn new(random: &mut Random) -> Self {
        let (routers, mut links) = match random.below(3) {
            // A dumbbell, a tree, two tiers.
            0 => (2, vec![(0, 1)]),
            1 => (5, vec![(0, 1), (0, 2), (1, 3), (1, 4)]),
            _ => (5, vec![(0, 3), (0, 4), (1, 3), (1, 4), (2, 3), (2, 4)]),
        };
        let between = links.len();
        let places: &[usize] = match routers {
            2 => &[0, 1],
            _ => &[0, 1, 2],
        };
        let hosts = 4 + random.below(4);
        for host in 0..hosts {
            links.push((routers + host, places[host % places.len()]));
        }
        let mut profiles = Vec::new();
        for link in 0..between {
            // A router has one profile in these tests.
            let is_first = links[..link].iter().all(|(a, _)| *a != links[link].0);
            if is_first && random.one_in(2) {
                profiles.push((link, random.one_in(2)));
            }
        }
        let nics = (0..hosts).filter(|_| random.one_in(3)).collect();
        let captured = vec![random.below(between), between + random.below(hosts)];
        let mut network = Self {
            routers,
            hosts,
            links,
            profiles,
            nics,
            captured,
            scenario: Value::Null,
        };
        network.scenario = network.draw(random);
        network
    }

    fn draw(&self, random: &mut Random) -> Value {
        let name = |node: usize| match node < self.routers {
            true => format!("r{node}"),
            false => format!("h{}", node - self.routers),
        };
        let between = self.links.len() - self.hosts;
        let mut links = Vec::new();
        for (number, &(a, b)) in self.links.iter().enumerate() {
            let mut direction = || {
                let rate_bps = match number < between {
                    true => random.of(&[5e6, 1e7, 1e7]),
                    false => random.of(&[2e7, 1e8, 1e8]),
                };
                let loss = if random.one_in(5) { 0.01 } else { 0.0 };
                json!({"rate_bps": rate_bps, "buffer_pkts": 10 + random.below(40), "loss": loss})
            };
            let (mut ab, ba) = (direction(), direction());
            let has_nic = number >= between && self.nics.contains(&(number - between));
            if number >= between && random.one_in(2) && !has_nic {
                ab["urgent_dscp"] = json!(46);
            }
            if number >= between && random.one_in(2) && !has_nic {
                ab["turns"] = json!(true);
            }
            let delay_s = random.of(&[0.0, 1e-6, 2e-4, 1e-3, 1e-3, 1e-3, 5e-3]);
            links.push(
                json!({"name": format!("l{number}"), "a": name(a), "b": name(b),
                              "delay_s": delay_s, "ab": ab, "ba": ba}),
            );
        }
        // Two cells at least.
        links[0]["delay_s"] = json!(2e-3);
        for link in &mut links[between..] {
            if random.one_in(2) {
                link["delay_s"] = json!(1e-3);
            }
        }
        let mut changes = Vec::new();
        for _ in 0..random.below(4) {
            let link = 1 + random.below(self.links.len() - 1);
            let (field, value) = random.of(&[
                ("rate_bps", 8e6),
                ("delay_s", 3e-4),
                ("delay_s", 4e-3),
                ("loss", 0.02),
            ]);
            changes.push(
                json!({"at_s": random.of(&[0.1, 0.25, 0.300_000_7]), "link": format!("l{link}"),
                                "direction": random.of(&["ab", "ba"]), field: value}),
            );
        }
        let latencies = [0.0, 1e-6, 1e-3, 4e-3];
        json!({
            "seed": random.below(1000),
            "duration_s": 0.6,
            "warmup_s": random.of(&[0.0, 0.1]),
            "hosts": (0..self.hosts)
                .map(|host| {
                    let nic = self.nics.contains(&host).then(|| format!("nic{host}"));
                    json!({"name": format!("h{host}"), "address": format!("10.0.{}.1", host + 1), "nic": nic})
                })
                .collect::<Vec<_>>(),
            "routers": (0..self.routers)
                .map(name)
                .chain(self.nics.iter().map(|host| format!("nic{host}")))
                .map(|name| {
                    let shared_bytes = random.of(&[None, Some(20_000)]);
                    json!({"name": name, "controller_latency_s": random.of(&latencies),
                           "shared_buffer_bytes": shared_bytes})
                })
                .collect::<Vec<_>>(),
            "links": links,
            "stacks": {"tcp": stack(random)},
            "sources": (0..2 + random.below(5))
                .map(|number| self.source(number, random))
                .collect::<Vec<_>>(),
            "changes": changes,
        })
    }

    fn source(&self, number: usize, random: &mut Random) -> Value {
        let from = random.below(self.hosts);
        let to = (from + 1 + random.below(self.hosts - 1)) % self.hosts;
        let (from, to) = (format!("h{from}"), format!("h{to}"));
        let constant = |value: f64| json!({"distribution": "constant", "value": value});
        let mut source = match random.below(6) {
            0 | 1 => json!({"kind": "ftp", "from": from, "to": to, "stack": "tcp"}),
            2 => {
                json!({"kind": "files", "from": from, "to": to, "stack": "tcp", "file_bytes": constant(40_000.0),
                        "pause_s": constant(0.02)})
            }
            3 => {
                json!({"kind": "cbr", "from": from, "to": to, "rate_bps": 1e6, "packet_bytes": 500})
            }
            4 => {
                let hosts: Vec<String> = (0..self.hosts).map(|host| format!("h{host}")).collect();
                json!({"kind": "incast", "senders": hosts, "degree": 1, "messages": 2, "stack": "tcp",
                        "message_bytes": 20_000, "period_s": {"distribution": "exponential", "mean": 0.05}})
            }
            _ => json!({"kind": "web", "servers": [from], "clients": [to], "stack": "tcp",
                        "packet_bytes": 1000, "object_pkts": constant(12.0),
                        "inter_page_s": constant(0.05), "inter_session_s": constant(0.1)}),
        };
        source["name"] = json!(format!("f{number}"));
        source["start_s"] = json!(random.of(&[0.0, 0.0, 0.05]));
        source
    }

    /// The scenario; captures go to a folder.
    pub fn scenario(&self, folder: &Path) -> Value {
        let mut scenario = self.scenario.clone();
        let captured = self.captured.iter().zip(self.captures(folder));
        let captured: Vec<Value> = captured
            .map(|(link, path)| json!({"link": format!("l{link}"), "path": path}))
            .collect();
        scenario["measure"] = json!({"series": ["l0.ab", "l0.ba"], "series_interval_s": 0.01,
                                     "cwnd": true, "pcap": captured});
        scenario
    }

    pub fn captures<'a>(&'a self, folder: &'a Path) -> impl Iterator<Item = PathBuf> + 'a {
        let links = self.captured.iter();
        links.map(move |link| folder.join(format!("l{link}.pcap")))
    }

    /// Writes routes and profiles; that of a network card sends source quenches to its own host.
    pub fn program(&self, simulation: &mut Simulation) {
        for nic in &self.nics {
            let nic_switch = simulation.router_mut(&format!("nic{nic}"));
            let switch = nic_switch.expect("there is this network card");
            add_clone_session(switch);
            for host in 0..self.hosts {
                let port = if host == *nic { 2 } else { 1 };
                add_route(switch, [10, 0, host as u8 + 1], port);
            }
            add_profile(switch, 1, &BECN, nic % 2 == 0);
        }
        for router in 0..self.routers {
            let name = format!("r{router}");
            let ports = self.ports(router);
            let switch = simulation.router_mut(&name).expect("there is this router");
            add_clone_session(switch);
            for host in 0..self.hosts {
                let next = self.next_hop(router, self.routers + host);
                let port = ports.iter().position(|&(_, node)| node == next);
                let port = 1 + port.expect("the next hop is a neighbour") as u32;
                add_route(switch, [10, 0, host as u8 + 1], port);
            }
            for &(link, quenches) in &self.profiles {
                if self.links[link].0 == router {
                    let port = ports.iter().position(|&(number, _)| number == link);
                    let port = 1 + port.expect("the link ends here") as u32;
                    let curve = if quenches { &BECN } else { &ECN };
                    add_profile(switch, port, curve, false);
                }
            }
        }
    }

    /// The links that end at a node, with the node at the other end.
    fn ports(&self, node: usize) -> Vec<(usize, usize)> {
        let links = self.links.iter().enumerate();
        links
            .filter_map(|(link, &(a, b))| match node {
                _ if node == a => Some((link, b)),
                _ if node == b => Some((link, a)),
                _ => None,
            })
            .collect()
    }

    /// The neighbour of a router on a shortest way to a node.
    fn next_hop(&self, from: usize, to: usize) -> usize {
        let mut towards = vec![None; self.routers + self.hosts];
        let mut queue = VecDeque::from([to]);
        towards[to] = Some(to);
        while let Some(node) = queue.pop_front() {
            for (_, other) in self.ports(node) {
                if towards[other].is_none() {
                    towards[other] = Some(node);
                    queue.push_back(other);
                }
            }
        }
        towards[from].expect("the network is connected")
    }
}
