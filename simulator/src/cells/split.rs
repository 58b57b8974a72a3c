// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The parts of a network, divided among its cells. Each cell numbers its own, in the order of the scenario.

use std::collections::VecDeque;
use std::sync::Arc;

use super::cell::{Cell, Planned};
use super::cut::Cut;
use super::taps::Taps;
use super::whole::{Cells, Place};
use crate::aqm::{Average, CounterNames};
use crate::capture::{Capture, Tap};
use crate::measure::{Capacity, Crossing};
use crate::network::{Direction, Host, Network, Node, Parts, Router, Source, Wire};
use crate::time::Ns;
use crate::traffic::App;
use crate::transport::Transport;

/// The parts of a whole network at time 0, by the scenario's numbers.
pub struct Pieces {
    pub warmup_ns: Ns,
    pub counters: CounterNames,
    pub average: Average,
    pub hosts: Vec<(Host, Wire)>,
    pub routers: Vec<Router>,
    pub directions: Vec<Direction>,
    pub stacks: Vec<Arc<dyn Transport>>,
    /// A source, its application (which knows hosts by their numbers in their cell), and the cell of its hosts.
    pub sources: Vec<(Source, Box<dyn App>, u32)>,
    /// Each has the number that directions name.
    pub captures: Vec<Capture>,
    pub changes: Vec<Planned>,
}

/// The parts of one cell.
struct Part {
    parts: Parts,
    apps: Vec<Box<dyn App>>,
    changes: Vec<Planned>,
    router_numbers: Vec<u32>,
}

/// The place of each node, by its cell: its number counts those of the cell before it.
pub fn places(cells: &[u32]) -> Vec<Place> {
    let mut next: Vec<usize> = Vec::new();
    let place = |&cell: &u32| {
        let cell = cell as usize;
        next.resize(next.len().max(cell + 1), 0);
        next[cell] += 1;
        (cell, next[cell] - 1)
    };
    cells.iter().map(place).collect()
}

/// Divides a network; returns its cells, and the captures of a network of several.
pub fn split(pieces: Pieces, cut: &Cut) -> (Cells, Taps) {
    let mut parts: Vec<Part> = (0..cut.cells).map(|_| Part::new(&pieces)).collect();
    let (hosts, routers) = (places(&cut.hosts), places(&cut.routers));
    let cell_of = |node: Node| match node {
        Node::Host(host) => hosts[host as usize].0,
        Node::Router(router, _) => routers[router as usize].0,
        Node::Away { .. } => unreachable!("a whole network has no other cells"),
    };
    let directions = direction_places(&pieces.directions, cut.cells, cell_of);
    let is_cut = |direction: u32| {
        let [beginning, end] = directions[direction as usize];
        beginning.0 != end.0
    };
    for ((mut host, mut wire), place) in pieces.hosts.into_iter().zip(&hosts) {
        if is_cut(host.direction) {
            wire.hand_over();
        }
        host.direction = directions[host.direction as usize][0].1 as u32;
        host.nic = host.nic.map(|nic| routers[nic as usize].1 as u32);
        let part = &mut parts[place.0];
        part.parts.hosts.push(host);
        part.parts.wires.push(wire);
    }
    for ((number, mut router), place) in (0..).zip(pieces.routers).zip(&routers) {
        for (port, direction) in (1..).zip(&mut router.directions) {
            if is_cut(*direction) {
                let handed = router.switch.port_hand_over(port);
                handed.expect("the port was set up when the links were made");
            }
            *direction = directions[*direction as usize][0].1 as u32;
        }
        router.host = router.host.map(|host| hosts[host as usize].1 as u32);
        let part = &mut parts[place.0];
        part.parts.routers.push(router);
        part.router_numbers.push(number);
    }
    let local = |node: Node| match node {
        Node::Host(host) => Node::Host(hosts[host as usize].1 as u32),
        Node::Router(router, port) => Node::Router(routers[router as usize].1 as u32, port),
        Node::Away { .. } => node,
    };
    let mut kept: Vec<Vec<Place>> = vec![Vec::new(); pieces.captures.len()];
    for (mut direction, [beginning, end]) in pieces.directions.into_iter().zip(&directions) {
        if cut.cells > 1 {
            direction.capture = direction.capture.map(|capture| {
                let taps = &mut parts[end.0].parts.taps;
                taps.push(Tap::Kept(VecDeque::new()));
                kept[capture as usize].push((end.0, taps.len() - 1));
                taps.len() as u32 - 1
            });
        }
        direction.from = local(direction.from);
        direction.to = local(direction.to);
        add_direction(&mut parts, direction, *beginning, *end);
    }
    let mut taps = Taps::default();
    for (capture, kept) in pieces.captures.into_iter().zip(kept) {
        match kept[..] {
            [ab, ba] => taps.add(capture, [ab, ba]),
            _ => parts[0].parts.taps.push(Tap::File(capture)),
        }
    }
    let mut sources = Vec::new();
    for (source, app, cell) in pieces.sources {
        let part = &mut parts[cell as usize];
        sources.push((cell as usize, part.apps.len()));
        part.parts.sources.push(source);
        part.apps.push(app);
    }
    let mut least_delay_ns = Ns::MAX;
    for mut planned in pieces.changes {
        let [beginning, end] = directions[planned.change.direction];
        if let (Some(delay_ns), true) = (planned.change.options.delay_ns, beginning.0 != end.0) {
            least_delay_ns = least_delay_ns.min(delay_ns);
        }
        planned.change.direction = beginning.1;
        parts[beginning.0].changes.push(planned);
    }
    let cells = parts.into_iter().map(Part::cell).collect();
    let cells = Cells::new(cells, [hosts, routers, sources], directions, least_delay_ns);
    (cells, taps)
}

/// The places of each direction at its beginning and at its end.
fn direction_places(
    directions: &[Direction],
    cells: usize,
    cell_of: impl Fn(Node) -> usize,
) -> Vec<[Place; 2]> {
    let mut next = vec![0; cells];
    let mut take = |cell: usize| {
        next[cell] += 1;
        (cell, next[cell] - 1)
    };
    let places = directions.iter().map(|direction| {
        let (from, to) = (cell_of(direction.from), cell_of(direction.to));
        let beginning = take(from);
        let end = if from == to { beginning } else { take(to) };
        [beginning, end]
    });
    places.collect()
}

/// Adds a direction to its cell. One that is cut has its beginning in one cell and its end in another.
fn add_direction(parts: &mut [Part], direction: Direction, beginning: Place, end: Place) {
    if beginning.0 == end.0 {
        return parts[beginning.0].parts.directions.push(direction);
    }
    let neighbours = &mut parts[beginning.0].parts.neighbours;
    let known = neighbours.iter().position(|&cell| cell as usize == end.0);
    let slot = known.unwrap_or_else(|| {
        neighbours.push(end.0 as u32);
        neighbours.len() - 1
    });
    let away = Node::Away {
        slot: slot as u32,
        direction: end.1 as u32,
    };
    parts[end.0].parts.directions.push(Direction {
        name: direction.name.clone(),
        from: Node::Away {
            slot: 0,
            direction: beginning.1 as u32,
        },
        to: direction.to,
        crossing: Crossing::default(),
        capacity: Capacity::default(),
        capture: direction.capture,
    });
    parts[beginning.0].parts.directions.push(Direction {
        to: away,
        capture: None,
        ..direction
    });
}

impl Part {
    fn new(pieces: &Pieces) -> Self {
        Self {
            parts: Parts {
                warmup_ns: pieces.warmup_ns,
                counters: pieces.counters.clone(),
                average: pieces.average.clone(),
                hosts: Vec::new(),
                wires: Vec::new(),
                routers: Vec::new(),
                directions: Vec::new(),
                stacks: pieces.stacks.clone(),
                sources: Vec::new(),
                taps: Vec::new(),
                neighbours: Vec::new(),
            },
            apps: Vec::new(),
            changes: Vec::new(),
            router_numbers: Vec::new(),
        }
    }

    fn cell(self) -> Cell {
        Cell::new(
            Network::new(self.parts),
            self.apps,
            self.changes,
            self.router_numbers,
        )
    }
}
