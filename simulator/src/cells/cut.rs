// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The cut of a network into cells: which node is in which.
//!
//! It depends on the scenario alone, so the results do not depend on how many threads there are. Nodes between which
//! something happens in no time are in one cell: the ends of a link that has, or ever gets, no delay; a host and its
//! network card; and the hosts of a source, whose application acts at all of them at once.

use crate::names::Names;
use crate::network::Node;
use crate::scenario::Scenario;
use crate::time::from_s;

/// The networks that are cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fineness {
    /// Those of [`LEAST_ROUTERS`] routers or more, without network cards.
    Large,
    /// All, for tests.
    All,
}

/// Smaller networks are one cell: there is too little to do in each round.
const LEAST_ROUTERS: usize = 16;

/// The cell of each node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cut {
    pub hosts: Vec<u32>,
    pub routers: Vec<u32>,
    pub cells: usize,
}

impl Cut {
    /// `together` has the hosts of each source. A link with an unknown end cuts nothing: it is refused later.
    pub fn new(
        scenario: &Scenario,
        names: &Names,
        together: &[Vec<usize>],
        fineness: Fineness,
    ) -> Self {
        let (hosts, routers) = (scenario.hosts.len(), scenario.routers.len());
        let nics = scenario.hosts.iter().filter(|host| host.nic.is_some());
        if fineness == Fineness::Large && routers - nics.count().min(routers) < LEAST_ROUTERS {
            return Self::one(hosts, routers);
        }
        let mut groups = Groups::new(hosts + routers);
        for list in together {
            for pair in list.windows(2) {
                groups.join(pair[0], pair[1]);
            }
        }
        let number = |name: &str| match names.node(name)? {
            Node::Host(host) => Some(host as usize),
            Node::Router(router, _) => Some(hosts + router as usize),
            Node::Away { .. } => None,
        };
        for (index, host) in scenario.hosts.iter().enumerate() {
            if let Some(nic) = host.nic.as_deref().and_then(number) {
                groups.join(index, nic);
            }
        }
        for link in &scenario.links {
            let mut changes = scenario.changes.iter();
            let ever_none = changes
                .any(|change| change.link == link.name && change.delay_s.map(from_s) == Some(0));
            if from_s(link.delay_s) == 0 || ever_none {
                if let (Some(a), Some(b)) = (number(&link.a), number(&link.b)) {
                    groups.join(a, b);
                }
            }
        }
        groups.cut(hosts)
    }

    fn one(hosts: usize, routers: usize) -> Self {
        Self {
            hosts: vec![0; hosts],
            routers: vec![0; routers],
            cells: 1,
        }
    }
}

/// Nodes in groups: hosts, then routers.
struct Groups {
    /// Another node of the group, nearer to its first one, which has itself.
    nearer: Vec<usize>,
}

impl Groups {
    fn new(nodes: usize) -> Self {
        Self {
            nearer: (0..nodes).collect(),
        }
    }

    fn first(&mut self, mut node: usize) -> usize {
        while self.nearer[node] != node {
            self.nearer[node] = self.nearer[self.nearer[node]];
            node = self.nearer[node];
        }
        node
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.first(a), self.first(b));
        self.nearer[a.max(b)] = a.min(b);
    }

    /// Cells are numbered by their first nodes.
    fn cut(mut self, hosts: usize) -> Cut {
        let nodes = self.nearer.len();
        let mut cells: Vec<u32> = Vec::with_capacity(nodes);
        let mut count = 0;
        for node in 0..nodes {
            let first = self.first(node);
            if first == node {
                cells.push(count);
                count += 1;
            } else {
                cells.push(cells[first]);
            }
        }
        let routers = cells.split_off(hosts);
        Cut {
            hosts: cells,
            routers,
            cells: (count as usize).max(1),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{json, Value};

    use super::*;

    /// The cut of a - r0 - r1 - b, and c at r1, with these delays; sources between hosts by their numbers.
    fn cut(delays_s: [f64; 4], together: &[Vec<usize>], changes: Value) -> Cut {
        let ends = [("a", "r0"), ("r0", "r1"), ("r1", "b"), ("r1", "c")];
        let links = ends.iter().zip(delays_s).map(|((a, b), delay_s)| {
            json!({"name": format!("{a}{b}"), "a": a, "b": b, "delay_s": delay_s})
        });
        let hosts = ["a", "b", "c"].iter().zip(1..);
        let hosts = hosts
            .map(|(name, number)| json!({"name": name, "address": format!("10.0.0.{number}")}));
        let scenario = json!({
            "duration_s": 1.0,
            "hosts": hosts.collect::<Vec<_>>(),
            "routers": [{"name": "r0"}, {"name": "r1"}],
            "links": links.collect::<Vec<_>>(),
            "changes": changes,
        });
        let scenario = Scenario::from_json(&scenario.to_string()).expect("a scenario");
        let names = Names::new(&scenario).expect("names");
        Cut::new(&scenario, &names, together, Fineness::All)
    }

    fn of(hosts: [u32; 3], routers: [u32; 2], cells: usize) -> Cut {
        Cut {
            hosts: hosts.to_vec(),
            routers: routers.to_vec(),
            cells,
        }
    }

    #[test]
    fn links_with_a_delay_are_cut_and_the_hosts_of_a_source_are_together() {
        let delays_s = [1e-6; 4];
        let none = json!([]);
        assert_eq!(cut(delays_s, &[], none.clone()), of([0, 1, 2], [3, 4], 5));
        let cut_of_sources = cut(delays_s, &[vec![0, 2], vec![1]], none);
        assert_eq!(cut_of_sources, of([0, 1, 0], [2, 3], 4));
    }

    #[test]
    fn links_that_have_no_delay_or_get_none_are_not_cut() {
        let without = cut([0.0, 1e-6, 1e-10, 1e-6], &[], json!([]));
        assert_eq!(without, of([0, 1, 2], [0, 1], 3));
        let change = json!([{"at_s": 0.5, "link": "r0r1", "direction": "ba", "delay_s": 0.0}]);
        assert_eq!(cut([1e-6; 4], &[], change), of([0, 1, 2], [3, 3], 4));
    }

    #[test]
    fn a_small_network_is_one_cell() {
        let routers = (0..15).map(|number| json!({"name": format!("r{number}")}));
        let scenario = json!({
            "duration_s": 1.0,
            "hosts": [{"name": "a", "address": "10.0.0.1"}],
            "routers": routers.collect::<Vec<_>>(),
            "links": [{"name": "l", "a": "a", "b": "r0", "delay_s": 1e-3}],
        });
        let mut scenario = Scenario::from_json(&scenario.to_string()).expect("a scenario");
        let cells = |scenario: &Scenario| {
            let names = Names::new(scenario).expect("names");
            Cut::new(scenario, &names, &[], Fineness::Large).cells
        };
        assert_eq!(cells(&scenario), 1);
        let mut another = scenario.routers[0].clone();
        another.name = "r15".to_owned();
        scenario.routers.push(another);
        assert_eq!(cells(&scenario), 17);
    }
}
