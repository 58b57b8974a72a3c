// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! All cells of a network, and the place of each of the scenario's nodes in them.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard};

use super::cell::Cell;
use crate::error::Error;
use crate::network::{Message, Network, Node};
use crate::time::Ns;

/// A cell and a number in it.
pub type Place = (usize, usize);

/// All cells. Nothing waits for a lock: a cell is taken by one thread in each round, and by nobody between rounds.
pub struct Cells {
    pub(super) cells: Vec<Mutex<Cell>>,
    pub(super) posts: Vec<Post>,
    /// The time of each cell's next event, without packets that are in its post.
    pub(super) next_ns: Vec<AtomicU64>,
    /// The ends of each of the scenario's directions: where it begins, where it ends. They are the same unless the link
    /// is cut.
    pub(super) directions: Vec<[Place; 2]>,
    pub(super) routers: Vec<Place>,
    pub(super) hosts: Vec<Place>,
    pub(super) sources: Vec<Place>,
    /// The least delay that a link that is cut has had in a run, or gets by a change of the scenario.
    pub(super) least_delay_ns: Ns,
}

/// Packets that other cells have sent to a cell.
#[derive(Debug)]
pub(super) struct Post {
    pub messages: Mutex<Vec<Message>>,
    /// The earliest of their times.
    pub earliest_ns: AtomicU64,
}

impl Default for Post {
    fn default() -> Self {
        Self {
            messages: Mutex::default(),
            earliest_ns: AtomicU64::new(Ns::MAX),
        }
    }
}

/// A panic of a thread has ended the run, and the caller with it.
const BROKEN: &str = "no thread has panicked";

impl Cells {
    /// The cells with the places of the scenario's hosts, routers and sources, and of the ends of its directions.
    pub(super) fn new(
        cells: Vec<Cell>,
        [hosts, routers, sources]: [Vec<Place>; 3],
        directions: Vec<[Place; 2]>,
        least_delay_ns: Ns,
    ) -> Self {
        Self {
            posts: cells.iter().map(|_| Post::default()).collect(),
            next_ns: cells.iter().map(|_| AtomicU64::new(0)).collect(),
            cells: cells.into_iter().map(Mutex::new).collect(),
            directions,
            routers,
            hosts,
            sources,
            least_delay_ns,
        }
    }

    /// The only cell of a network that is not cut.
    #[inline]
    pub fn only(&mut self) -> Option<&mut Cell> {
        match &mut self.cells[..] {
            [cell] => Some(cell.get_mut().expect(BROKEN)),
            _ => None,
        }
    }

    pub fn count(&self) -> usize {
        self.cells.len()
    }

    pub fn cell(&mut self, index: usize) -> &mut Cell {
        self.cells[index].get_mut().expect(BROKEN)
    }

    pub(super) fn lock(&self, index: usize) -> MutexGuard<'_, Cell> {
        self.cells[index].lock().expect(BROKEN)
    }

    pub fn networks(&mut self) -> impl Iterator<Item = &mut Network> {
        let cells = self.cells.iter_mut();
        cells.map(|cell| &mut cell.get_mut().expect(BROKEN).network)
    }

    /// The cell of what is the same in all: the time, the names of counters, the place of RED's average.
    pub fn any(&mut self) -> &mut Network {
        &mut self.cell(0).network
    }

    pub fn now(&self) -> Ns {
        self.lock(0).network.now
    }

    /// The clocks of all cells, which are not after this time.
    pub fn set_clocks(&mut self, now: Ns) {
        for network in self.networks() {
            network.now = network.now.max(now);
        }
    }

    fn at(&mut self, place: Place) -> (&mut Network, usize) {
        (&mut self.cell(place.0).network, place.1)
    }

    pub fn directions(&self) -> usize {
        self.directions.len()
    }

    /// The cell in which a direction begins, with its queue; and its number there.
    pub fn beginning(&mut self, direction: usize) -> (&mut Network, usize) {
        self.at(self.directions[direction][0])
    }

    /// The cell in which a direction ends, with its counts of what crosses; and its number there.
    pub fn end(&mut self, direction: usize) -> (&mut Network, usize) {
        self.at(self.directions[direction][1])
    }

    pub fn routers(&self) -> usize {
        self.routers.len()
    }

    pub fn router(&mut self, router: usize) -> (&mut Network, usize) {
        self.at(self.routers[router])
    }

    pub fn hosts(&self) -> usize {
        self.hosts.len()
    }

    pub fn host(&mut self, host: usize) -> (&mut Network, usize) {
        self.at(self.hosts[host])
    }

    /// The scenario's numbers of each cell's hosts.
    pub fn host_numbers(&self) -> Vec<Vec<u32>> {
        let mut numbers = vec![Vec::new(); self.cells.len()];
        for (number, (cell, _)) in (0..).zip(&self.hosts) {
            numbers[*cell].push(number);
        }
        numbers
    }

    pub fn sources(&self) -> usize {
        self.sources.len()
    }

    pub fn source(&mut self, source: usize) -> (&mut Network, usize) {
        self.at(self.sources[source])
    }

    /// A source records what it did not finish.
    pub fn finish_source(&mut self, source: usize) {
        let (cell, number) = self.sources[source];
        self.cell(cell).finish(number as u32);
    }

    /// Events scheduled so far, and packets that came from other cells.
    pub fn scheduled(&mut self) -> u64 {
        let cells = self.cells.iter_mut();
        let counts = cells.map(|cell| {
            let cell = cell.get_mut().expect(BROKEN);
            cell.network.events.scheduled() + cell.received
        });
        counts.sum()
    }

    /// The least delay of the links that are cut, now and later: the time for which cells may go on by themselves. A
    /// caller may have changed ports of routers. It never rises, or it would depend on where runs begin: which packet-ins
    /// a cell waits for follows from it.
    pub fn look_ahead(&mut self) -> Result<Ns, Error> {
        let mut least = self.least_delay_ns;
        for direction in 0..self.directions.len() {
            let [from, to] = self.directions[direction];
            if from.0 == to.0 {
                continue;
            }
            let (network, local) = self.at(from);
            let this = &network.directions[local];
            let delay_ns = match this.from {
                Node::Router(router, port) => {
                    network.routers[router as usize].switch.port_delay_ns(port)
                }
                Node::Host(host) => network.wires[host as usize].config().delay_ns,
                Node::Away { .. } => continue,
            };
            if delay_ns == 0 {
                let problem = "the link has lost its delay, by which the scenario is cut into cells: give it one again";
                return Err(Error::at(&this.name, problem));
            }
            least = least.min(delay_ns);
        }
        self.least_delay_ns = least;
        for cell in &mut self.cells {
            cell.get_mut().expect(BROKEN).look_ahead = least;
        }
        Ok(least)
    }

    /// The time of a cell's next event, and of the packets that wait in its post.
    pub(super) fn coming_ns(&self, index: usize) -> Ns {
        let own = self.next_ns[index].load(Ordering::Relaxed);
        own.min(self.posts[index].earliest_ns.load(Ordering::Relaxed))
    }

    pub(super) fn set_next_ns(&self, index: usize, next: Ns) {
        self.next_ns[index].store(next, Ordering::Relaxed);
    }

    /// Brings the packets of a cell's outbox to the posts of others.
    pub(super) fn send(&self, cell: &mut Cell) {
        for (to, messages) in &mut cell.network.outbox.slots {
            if let Some(earliest) = messages.iter().map(|message| message.at).min() {
                let post = &self.posts[*to as usize];
                let mut waiting = post.messages.lock().expect(BROKEN);
                waiting.append(messages);
                post.earliest_ns.fetch_min(earliest, Ordering::Relaxed);
            }
        }
    }

    /// Brings a cell the packets of its post. Some may be of this round; they are for later.
    pub(super) fn receive(&self, index: usize, cell: &mut Cell) {
        let post = &self.posts[index];
        let mut waiting = post.messages.lock().expect(BROKEN);
        for message in waiting.drain(..) {
            cell.network.inbox.put(message);
        }
        post.earliest_ns.store(Ns::MAX, Ordering::Relaxed);
    }
}
